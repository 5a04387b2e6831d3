// probes: several prober threads send latency samples to one aggregator thread.
use std::collections::BTreeMap;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

struct Sample {
    target: String,
    minute: u32,
    micros: u32,
    detail: String,
}

struct Percentiles {
    p50: u32,
    p99: u32,
}

struct LatencyBook {
    minutes: BTreeMap<u32, Vec<Sample>>,
    latest: u32,
}

impl LatencyBook {
    fn observe(&mut self, s: Sample) {
        if s.minute > self.latest {
            self.latest = s.minute;
        }
        self.minutes.entry(s.minute).or_insert_with(Vec::new).push(s); // guilty
    }

    fn percentiles(&self, minute: u32) -> Option<Percentiles> {
        let rows = self.minutes.get(&minute)?;
        let mut v: Vec<u32> = rows.iter().map(|s| s.micros).collect();
        if v.is_empty() {
            return None;
        }
        v.sort_unstable();
        Some(Percentiles { p50: v[v.len() / 2], p99: v[v.len() * 99 / 100] })
    }

    fn slowest(&self, minute: u32) -> Option<&Sample> {
        self.minutes.get(&minute)?.iter().max_by_key(|s| s.micros)
    }
}

struct Screen {
    lines: Vec<String>,
}

impl Screen {
    fn show(&mut self, line: String) {
        if self.lines.len() >= 8000 {
            self.lines.drain(..4000);
        }
        self.lines.push(line);
    }
}

fn prober(id: u32, tx: SyncSender<Sample>) {
    let mut x: u32 = 77 + id;
    let mut body: Vec<u8> = Vec::new();
    for round in 0..430u32 {
        for _ in 0..38 {
            x = x.wrapping_mul(1103515245).wrapping_add(12345);
            body.clear();
            body.resize(2000 + (x >> 20) as usize, b'.');
            let target = format!("https://node{:03}.site{}.example/health", (x >> 8) % 400, id);
            let headers: Vec<String> =
                (0..6).map(|k| format!("x-probe-{}: {:08x}{:08x}", k, x.rotate_left(k), body.len())).collect();
            let s = Sample {
                target,
                minute: round / 8,
                micros: (x >> 12) % 90000,
                detail: headers.join("\r\n") + &"-".repeat(((x >> 5) % 400) as usize),
            };
            if tx.send(s).is_err() {
                return;
            }
        }
        thread::sleep(Duration::from_millis(9));
    }
}

fn aggregate(rx: Receiver<Sample>) -> usize {
    let mut book = LatencyBook { minutes: BTreeMap::new(), latest: 0 };
    let mut screen = Screen { lines: Vec::new() };
    let mut n = 0usize;
    for s in rx {
        n += 1;
        screen.show(format!("{:>6} us  {}", s.micros, s.target));
        book.observe(s);
        if n % 2000 == 0 {
            if let Some(p) = book.percentiles(book.latest) {
                screen.show(format!("minute {} p50={} p99={}", book.latest, p.p50, p.p99));
            }
            if let Some(w) = book.slowest(book.latest) {
                screen.show(format!("slowest {} {}", w.target, w.detail.len()));
            }
        }
    }
    println!("{} samples, {} minutes, {} lines on screen", n, book.minutes.len(), screen.lines.len());
    n
}

fn main() {
    let (tx, rx) = sync_channel(256);
    let agg = thread::spawn(move || aggregate(rx));
    let workers: Vec<_> = (0..4)
        .map(|i| {
            let tx = tx.clone();
            thread::spawn(move || prober(i, tx))
        })
        .collect();
    drop(tx);
    for w in workers {
        w.join().unwrap();
    }
    let n = agg.join().unwrap();
    assert!(n > 0);
}
