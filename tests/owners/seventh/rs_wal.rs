//! A store of keys with a log: writes are grouped into segments, a snapshot makes older segments needless.
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

trait Sink: Send {
    fn append(&mut self, record: &[u8]) -> io::Result<u64>;
    fn rotate(&mut self) -> io::Result<()>;
}

/// Where bytes go that nobody wants back: only their sum is kept.
struct Digest {
    sum: u64,
    length: u64,
}

impl Sink for Digest {
    fn append(&mut self, record: &[u8]) -> io::Result<u64> {
        self.sum = record.iter().fold(self.sum, |s, &b| s.rotate_left(5) ^ u64::from(b));
        self.length += record.len() as u64;
        Ok(self.length)
    }

    fn rotate(&mut self) -> io::Result<()> {
        self.length = 0;
        Ok(())
    }
}

struct Segment {
    number: u64,
    records: Vec<Box<[u8]>>,
}

/// A log of which the last segments stay in memory for followers that are late.
struct Recent<S> {
    inner: S,
    open: Segment,
    closed: VecDeque<Arc<Segment>>,
}

impl<S: Sink> Recent<S> {
    fn new(inner: S) -> Self {
        Recent { inner, open: Segment { number: 0, records: Vec::new() }, closed: VecDeque::new() }
    }

    fn since(&self, number: u64) -> usize {
        self.closed.iter().filter(|s| s.number >= number).map(|s| s.records.len()).sum()
    }
}

impl<S: Sink> Sink for Recent<S> {
    fn append(&mut self, record: &[u8]) -> io::Result<u64> {
        self.open.records.push(record.to_vec().into_boxed_slice()); // guilty
        self.inner.append(record)
    }

    fn rotate(&mut self) -> io::Result<()> {
        let next = Segment { number: self.open.number + 1, records: Vec::new() };
        self.closed.push_back(Arc::new(std::mem::replace(&mut self.open, next)));
        self.inner.rotate()
    }
}

enum Command {
    Put(u32, String),
    Delete(u32),
    Snapshot,
}

struct Store {
    values: BTreeMap<u32, String>,
    log: Arc<Mutex<dyn Sink>>,
}

impl Store {
    fn encode(command: &Command) -> io::Result<Vec<u8>> {
        let mut out = Vec::with_capacity(256);
        match command {
            Command::Put(key, value) => write!(out, "put {key} {value}")?,
            Command::Delete(key) => write!(out, "delete {key}")?,
            Command::Snapshot => write!(out, "snapshot")?,
        }
        Ok(out)
    }

    fn apply(&mut self, command: Command) -> io::Result<()> {
        let record = Self::encode(&command)?;
        let mut log = self.log.lock().expect("the log is whole");
        if log.append(&record)? > 400_000 {
            log.rotate()?;
        }
        match command {
            Command::Put(key, value) => drop(self.values.insert(key, value)),
            Command::Delete(key) => drop(self.values.remove(&key)),
            Command::Snapshot => log.rotate()?,
        }
        Ok(())
    }

    fn serve(mut self, commands: Receiver<Command>) -> io::Result<usize> {
        for command in commands {
            self.apply(command)?;
        }
        Ok(self.values.len())
    }
}

fn write_load(to: &SyncSender<Command>, writer: u32) {
    for i in 0..110_000u32 {
        let key = (i * 7 + writer) % 3_000;
        let command = match i % 10 {
            9 => Command::Delete(key),
            _ if i % 20_000 == 5 => Command::Snapshot,
            _ => Command::Put(key, format!("{{\"writer\":{writer},\"n\":{i},\"text\":\"{}\"}}", "x".repeat((i % 180) as usize))),
        };
        to.send(command).expect("the store is there");
    }
}

fn main() -> io::Result<()> {
    let log = Arc::new(Mutex::new(Recent::new(Digest { sum: 0, length: 0 })));
    let store = Store { values: BTreeMap::new(), log: log.clone() };
    let (to, commands) = mpsc::sync_channel(64);
    let server = thread::spawn(move || store.serve(commands));
    for writer in 0..3 {
        write_load(&to, writer);
    }
    drop(to);
    let left = server.join().expect("the store ends well")?;
    let log = log.lock().expect("the log is whole");
    println!("{left} values, sum {:x}, {} records of the last segments", log.inner.sum, log.since(2));
    Ok(())
}
