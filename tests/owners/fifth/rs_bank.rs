// Accounts, transfers between them, and a log from which all could be restored.

mod log {
    /// A list to which one can only append; items never move.
    pub struct AppendLog<T> {
        chunks: Vec<Chunk<T>>,
    }

    struct Chunk<T> {
        items: Vec<T>,
    }

    const CHUNK: usize = 512;

    impl<T> Chunk<T> {
        fn fresh() -> Self {
            Chunk { items: Vec::with_capacity(CHUNK) }
        }
        fn is_full(&self) -> bool {
            self.items.len() == CHUNK
        }
    }

    impl<T> AppendLog<T> {
        pub fn new() -> Self {
            AppendLog { chunks: Vec::new() }
        }
        pub fn append(&mut self, item: T) -> usize {
            if self.chunks.last().map_or(true, Chunk::is_full) {
                self.chunks.push(Chunk::fresh());
            }
            self.chunks.last_mut().unwrap().items.push(item);
            self.len() - 1
        }
        pub fn len(&self) -> usize {
            self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.items.len())
        }
        pub fn iter(&self) -> impl Iterator<Item = &T> {
            self.chunks.iter().flat_map(|c| c.items.iter())
        }
    }
}

use log::AppendLog;
use std::fmt;

#[derive(Clone, Copy)]
struct Account {
    number: u32,
    balance: i64,
    limit: i64,
}

#[derive(Clone, Copy)]
enum Entry {
    Moved { from: Account, to: Account, amount: i64 },
    Fee { of: Account, amount: i64 },
}

#[derive(Debug)]
enum Refused {
    NoSuchAccount(u32),
    NotEnough { missing: i64 },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refused::NoSuchAccount(n) => write!(f, "no account {n}"),
            Refused::NotEnough { missing } => write!(f, "{missing} missing"),
        }
    }
}

struct Bank {
    accounts: AppendLog<Account>,
    balances: Vec<i64>,
    journal: AppendLog<Entry>,
    refused: AppendLog<Refused>,
}

impl Bank {
    fn new() -> Bank {
        Bank { accounts: AppendLog::new(), balances: vec![], journal: AppendLog::new(), refused: AppendLog::new() }
    }

    fn open(&mut self, balance: i64) -> u32 {
        let number = self.accounts.append(Account { number: self.balances.len() as u32, balance, limit: 500 }) as u32;
        self.balances.push(balance);
        number
    }

    fn account(&self, number: u32) -> Result<Account, Refused> {
        let balance = *self.balances.get(number as usize).ok_or(Refused::NoSuchAccount(number))?;
        Ok(Account { number, balance, limit: 500 })
    }

    // The accounts as they were are written as well, and the log is never cut when all was saved.
    fn post(&mut self, from: Account, to: Account, amount: i64) {
        let fee = amount / 100;
        self.journal.append(Entry::Moved { from, to, amount }); // guilty
        self.balances[from.number as usize] -= amount + fee;
        self.balances[to.number as usize] += amount;
        if fee > 40 {
            self.journal.append(Entry::Fee { of: from, amount: fee });
        }
    }

    fn transfer(&mut self, from: u32, to: u32, amount: i64) -> Result<(), Refused> {
        let (a, b) = (self.account(from)?, self.account(to)?);
        if a.balance + a.limit < amount {
            return Err(Refused::NotEnough { missing: amount - a.balance - a.limit });
        }
        self.post(a, b, amount);
        Ok(())
    }

    fn earned(&self) -> i64 {
        self.journal.iter().map(|e| match e {
            Entry::Moved { from, to, amount } => amount / 100 * (from.number != to.number) as i64,
            Entry::Fee { of, amount } => amount * (of.number as i64 % 2),
        }).sum()
    }
}

fn main() {
    let mut bank = Bank::new();
    for i in 0..20_000 {
        bank.open(5_000 + i % 700);
    }
    let mut x = 1u32;
    for _ in 0..600_000 {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        let (from, to, amount) = ((x >> 8) % 20_010, (x >> 5) % 19_999, (x >> 12) as i64 % 900);
        if let Err(why) = bank.transfer(from, to, amount) {
            if bank.refused.len() < 20_000 {
                bank.refused.append(why);
            }
        }
    }
    let last = bank.refused.iter().last().map(|r| r.to_string()).unwrap_or_default();
    println!("{} refused ({last}), {} entries, earned {}", bank.refused.len(), bank.journal.len(), bank.earned());
}
