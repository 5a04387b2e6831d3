// auditlog - payment API whose audit records are written by a background thread.
use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

struct Record {
    seq: u64,
    actor: String,
    action: &'static str,
    before: String,
    after: String,
}

struct Sink {
    written: u64,
    digest: u64,
}

impl Sink {
    fn write(&mut self, r: &Record) {
        let line = format!("{} {} {} {} -> {}\n", r.seq, r.actor, r.action, r.before, r.after);
        for b in line.bytes() {
            self.digest = self.digest.rotate_left(5) ^ u64::from(b);
        }
        self.written += 1;
        if self.written % 8 == 0 {
            thread::sleep(Duration::from_millis(3));
        }
    }
}

fn write_loop(rx: Receiver<Record>, total: usize) -> Sink {
    let mut sink = Sink { written: 0, digest: 0 };
    while let Ok(r) = rx.recv() {
        sink.write(&r);
        if sink.written as usize >= total {
            break;
        }
    }
    sink
}

struct Audit {
    tx: Sender<Record>,
    seq: u64,
}

impl Audit {
    fn start(total: usize) -> (Audit, JoinHandle<Sink>) {
        let (tx, rx) = channel();
        let h = thread::spawn(move || write_loop(rx, total));
        (Audit { tx, seq: 0 }, h)
    }

    fn record(&mut self, actor: &str, action: &'static str, before: &Account, after: &Account) {
        self.seq += 1;
        let rec = Record {
            seq: self.seq,
            actor: actor.to_owned(),
            action,
            before: before.describe(),
            after: after.describe(),
        };
        let _ = self.tx.send(rec); // guilty
    }
}

#[derive(Clone)]
struct Account {
    id: u32,
    cents: i64,
    holder: String,
    recent: VecDeque<i64>,
}

impl Account {
    fn describe(&self) -> String {
        let mut s = format!("{{\"id\":{},\"holder\":\"{}\",\"cents\":{},\"recent\":[", self.id, self.holder, self.cents);
        for v in &self.recent {
            s.push_str(&v.to_string());
            s.push(',');
        }
        s.push_str("]}");
        s
    }

    fn apply(&mut self, delta: i64) {
        self.cents += delta;
        self.recent.push_back(delta);
        if self.recent.len() > 40 {
            self.recent.pop_front();
        }
    }
}

struct Bank {
    accounts: BTreeMap<u32, Account>,
    refused: u64,
}

impl Bank {
    fn open(n: u32) -> Bank {
        let accounts = (0..n)
            .map(|id| (id, Account { id, cents: 100_000, holder: format!("Holder Number {id}"), recent: VecDeque::new() }))
            .collect();
        Bank { accounts, refused: 0 }
    }

    fn transfer(&mut self, from: u32, to: u32, cents: i64, audit: &mut Audit) {
        if from == to || self.accounts[&from].cents < cents {
            self.refused += 1;
            return;
        }
        for (id, delta) in [(from, -cents), (to, cents)] {
            let a = self.accounts.get_mut(&id).unwrap();
            let before = a.clone();
            a.apply(delta);
            audit.record("api-gateway", if delta < 0 { "debit" } else { "credit" }, &before, a);
        }
    }
}

fn main() {
    let (mut audit, writer) = Audit::start(12_000);
    let mut bank = Bank::open(500);
    let mut x = 17u32;
    for n in 0..50_000u32 {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        bank.transfer((x >> 8) % 500, (x >> 17) % 500, i64::from(x % 9000), &mut audit);
        if n % 150 == 0 {
            thread::sleep(Duration::from_millis(9));
        }
    }
    println!("records {} refused {}", audit.seq, bank.refused);
    drop(audit);
    let sink = writer.join().unwrap();
    println!("written {} digest {:x}", sink.written, sink.digest);
}
