// Sells seats of theatres: holds seats while somebody pays, sells or frees them, and keeps a plan of each performance.
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

#[derive(Clone, Copy, PartialEq)]
enum Seat {
    Free,
    Held(u64),
    Sold,
}

struct Performance {
    title: String,
    seats: Vec<Seat>,
}

#[derive(Clone)]
struct Hold {
    performance: usize,
    seats: Vec<usize>,
    customer: String,
    mail: String,
    until: u64,
}

#[derive(Default)]
struct Holds {
    open: HashMap<u64, Hold>,
    expiring: VecDeque<(u64, u64)>,
    next: u64,
}

impl Holds {
    fn place(&mut self, performance: usize, seats: &[usize], customer: &str, now: u64) -> u64 {
        self.next += 1;
        let hold = Hold {
            performance,
            seats: seats.to_vec(),
            customer: customer.to_string(),
            mail: format!("{}@mail.example.org", customer.to_lowercase().replace(' ', ".")),
            until: now + 600,
        };
        self.expiring.push_back((hold.until, self.next));
        self.open.insert(self.next, hold); // guilty
        self.next
    }

    fn expired(&mut self, now: u64) -> Vec<Hold> {
        let mut gone = Vec::new();
        while self.expiring.front().is_some_and(|(until, _)| *until <= now) {
            let (_, id) = self.expiring.pop_front().unwrap();
            if let Some(hold) = self.open.get(&id) {
                gone.push(hold.clone());
            }
        }
        gone
    }

    fn pay(&mut self, id: u64) -> Option<Hold> {
        self.open.remove(&id)
    }
}

struct Office {
    performances: Vec<Performance>,
    holds: Arc<Mutex<Holds>>,
    revenue: u64,
    log: VecDeque<String>,
}

impl Office {
    fn new(count: usize) -> Self {
        let performances = (0..count).map(|n| Performance { title: format!("Evening {n}"), seats: vec![Seat::Free; 800] }).collect();
        Office { performances, holds: Arc::default(), revenue: 0, log: VecDeque::new() }
    }

    fn note(&mut self, line: String) {
        if self.log.len() == 1000 {
            self.log.pop_front();
        }
        self.log.push_back(line);
    }

    fn choose(&mut self, performance: usize, wanted: usize, customer: &str, now: u64) -> Option<u64> {
        let seats: Vec<usize> = {
            let plan = &self.performances[performance].seats;
            plan.iter().enumerate().filter(|(_, seat)| **seat == Seat::Free).map(|(i, _)| i).take(wanted).collect()
        };
        if seats.len() < wanted {
            return None;
        }
        let id = self.holds.lock().unwrap().place(performance, &seats, customer, now);
        for seat in seats {
            self.performances[performance].seats[seat] = Seat::Held(id);
        }
        Some(id)
    }

    fn confirm(&mut self, id: u64) {
        let paid = self.holds.lock().unwrap().pay(id);
        if let Some(hold) = paid {
            for &seat in &hold.seats {
                self.performances[hold.performance].seats[seat] = Seat::Sold;
                self.revenue += 45;
            }
            self.note(format!("{} <{}> bought {} for {}", hold.customer, hold.mail, hold.seats.len(), self.performances[hold.performance].title));
        }
    }

    fn sweep(&mut self, now: u64) {
        let gone = self.holds.lock().unwrap().expired(now);
        for hold in gone {
            for &seat in &hold.seats {
                if matches!(self.performances[hold.performance].seats[seat], Seat::Held(_)) {
                    self.performances[hold.performance].seats[seat] = Seat::Free;
                }
            }
        }
    }
}

fn main() {
    let mut office = Office::new(900);
    let mut refused = 0;
    let mut random = 1u64;
    for n in 0..105_000u64 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let wanted = 2 + (random >> 40) as usize % 4;
        match office.choose((random >> 33) as usize % 900, wanted, &format!("Anna Maria Jensen {}", n % 70_000), n) {
            Some(id) if n % 7 == 0 => office.confirm(id),
            Some(_) => {}
            None => refused += 1,
        }
        if n % 60 == 0 {
            office.sweep(n);
        }
    }
    println!("{} earned, {} open, {} refused, {} lines", office.revenue, office.holds.lock().unwrap().open.len(), refused, office.log.len());
}
