// Lets people into a stadium: tickets with seals, turnstiles, passes back, counts by stand, and letters from the stewards.
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

#[derive(Clone, Debug)]
struct Ticket {
    number: u64,
    stand: u8,
    row: u16,
    holder: String,
    seal: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Refusal {
    Unreadable,
    Forged,
    WrongStand,
    Used,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = match self {
            Refusal::Unreadable => "could not be read",
            Refusal::Forged => "has a wrong seal",
            Refusal::WrongStand => "belongs to another stand",
            Refusal::Used => "was used before",
        };
        f.write_str(text)
    }
}

fn seal(number: u64, stand: u8, row: u16) -> u64 {
    let mut h = 0xcbf29ce484222325u64;
    for part in [number, stand as u64, row as u64, 0x5eed] {
        h = (h ^ part).wrapping_mul(0x100000001b3);
    }
    h
}

impl Ticket {
    fn parse(code: &str) -> Result<Ticket, Refusal> {
        let mut parts = code.split(';');
        let mut next = || parts.next().ok_or(Refusal::Unreadable);
        let number = next()?.parse().map_err(|_| Refusal::Unreadable)?;
        let stand = next()?.parse().map_err(|_| Refusal::Unreadable)?;
        let row = next()?.parse().map_err(|_| Refusal::Unreadable)?;
        let holder = next()?.to_string();
        let found = u64::from_str_radix(next()?, 16).map_err(|_| Refusal::Unreadable)?;
        let ticket = Ticket { number, stand, row, holder, seal: found };
        if ticket.seal != seal(number, stand, row) {
            return Err(Refusal::Forged);
        }
        Ok(ticket)
    }
}

struct Gate {
    stand: u8,
    passed: u32,
    refused: BTreeMap<Refusal, u32>,
}

struct Entry {
    ticket: Ticket,
    gate: usize,
    second: u32,
}

/// Who is in the stadium, or was there in an earlier match.
#[derive(Default)]
struct Register {
    entries: HashMap<(u32, u64), Entry>,
}

impl Register {
    fn used(&self, game: u32, number: u64) -> bool {
        self.entries.contains_key(&(game, number))
    }

    fn admit(&mut self, game: u32, ticket: Ticket, gate: usize, second: u32) {
        self.entries.insert((game, ticket.number), Entry { ticket, gate, second }); // guilty
    }

    fn where_is(&self, game: u32, number: u64) -> Option<String> {
        let entry = self.entries.get(&(game, number))?;
        Some(format!("{} came through gate {} after {} s to row {}", entry.ticket.holder, entry.gate, entry.second, entry.ticket.row))
    }
}

struct Stadium {
    gates: Vec<Gate>,
    register: Register,
    by_stand: [u32; 8],
    letters: Vec<String>,
    game: u32,
}

impl Stadium {
    fn new(gates: usize) -> Stadium {
        let gates = (0..gates).map(|g| Gate { stand: (g % 8) as u8, passed: 0, refused: BTreeMap::new() }).collect();
        Stadium { gates, register: Register::default(), by_stand: [0; 8], letters: Vec::new(), game: 0 }
    }

    fn open(&mut self) {
        self.game += 1;
        self.by_stand = [0; 8];
        self.letters.clear();
    }

    fn present(&mut self, gate: usize, code: &str, second: u32) -> Result<(), Refusal> {
        let result = self.check(gate, code);
        match result {
            Ok(ticket) => {
                self.gates[gate].passed += 1;
                self.by_stand[ticket.stand as usize] += 1;
                self.register.admit(self.game, ticket, gate, second);
                Ok(())
            }
            Err(why) => {
                *self.gates[gate].refused.entry(why).or_default() += 1;
                if why == Refusal::Forged && self.letters.len() < 50 {
                    self.letters.push(format!("gate {gate}: {code} {why}"));
                }
                Err(why)
            }
        }
    }

    fn check(&self, gate: usize, code: &str) -> Result<Ticket, Refusal> {
        let ticket = Ticket::parse(code)?;
        if ticket.stand != self.gates[gate].stand {
            return Err(Refusal::WrongStand);
        }
        if self.register.used(self.game, ticket.number) {
            return Err(Refusal::Used);
        }
        Ok(ticket)
    }

    fn busiest(&self) -> Option<(usize, u32)> {
        self.gates.iter().enumerate().map(|(i, g)| (i, g.passed)).max_by_key(|g| g.1)
    }
}

struct Crowd(u64);

impl Crowd {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(2862933555777941757).wrapping_add(3037000493);
        (self.0 >> 33) % n
    }

    fn code(&mut self) -> (u8, String) {
        let number = 1_000_000 + self.below(60_000);
        let (stand, row) = ((number % 8) as u8, (number / 8 % 90) as u16);
        let holder = format!("{} {}", ["Ada", "Emil", "Noor", "Piotr", "Lucía"][number as usize % 5], ["Berg", "Okafor", "Haddad", "Lind"][number as usize % 4]);
        let mut print = seal(number, stand, row);
        if self.below(200) == 0 {
            print ^= 1;
        }
        (stand, format!("{number};{stand};{row};{holder};{print:x}"))
    }
}

fn main() {
    let mut stadium = Stadium::new(24);
    let mut crowd = Crowd(9);
    let mut refusals: HashSet<Refusal> = HashSet::new();
    for _ in 0..12 {
        stadium.open();
        for second in 0..42_000 {
            let (stand, code) = crowd.code();
            let near = if crowd.below(30) == 0 { crowd.below(8) } else { stand as u64 };
            let gate = (near + 8 * crowd.below(3)) as usize;
            if let Err(why) = stadium.present(gate, &code, second / 6) {
                refusals.insert(why);
            }
        }
    }
    println!("{:?} by stand, busiest {:?}, {} letters, {} kinds of refusals", stadium.by_stand, stadium.busiest(), stadium.letters.len(), refusals.len());
    println!("{}", (1_000_000..).find_map(|n| stadium.register.where_is(12, n)).unwrap_or_default());
}
