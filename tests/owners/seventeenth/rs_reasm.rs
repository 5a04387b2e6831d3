// Reassembles fragmented datagrams captured on a lossy radio link.
use std::collections::HashMap;
use std::thread::sleep;
use std::time::Duration;

#[derive(Hash, PartialEq, Eq, Clone, Copy, Debug)]
struct FlowId {
    src: u32,
    dst: u32,
    ident: u32,
}

struct Fragment {
    flow: FlowId,
    index: u8,
    last: bool,
    payload: Vec<u8>,
}

struct Partial {
    first_seen: u64,
    expected: Option<u8>,
    parts: Vec<Fragment>,
}

impl Partial {
    fn complete(&self) -> bool {
        match self.expected {
            Some(n) => self.parts.len() == n as usize,
            None => false,
        }
    }

    fn join(mut self) -> Vec<u8> {
        self.parts.sort_by_key(|f| f.index);
        let mut out = Vec::new();
        for f in &self.parts {
            out.extend_from_slice(&f.payload);
        }
        out
    }
}

#[derive(Default)]
struct Stats {
    whole: u64,
    bytes: u64,
    fragments: u64,
    oldest: u64,
}

struct Reassembler {
    partial: HashMap<FlowId, Partial>,
    stats: Stats,
}

impl Reassembler {
    fn new() -> Self {
        Reassembler { partial: HashMap::new(), stats: Stats::default() }
    }

    fn push(&mut self, f: Fragment, now: u64) -> Option<Vec<u8>> {
        self.stats.fragments += 1;
        let flow = f.flow;
        let p = self.partial.entry(flow).or_insert_with(|| Partial {
            first_seen: now,
            expected: None,
            parts: Vec::with_capacity(4),
        });
        if f.last {
            p.expected = Some(f.index + 1);
        }
        p.parts.push(f); // guilty
        if !p.complete() {
            return None;
        }
        let done = self.partial.remove(&flow)?;
        self.stats.oldest = self.stats.oldest.max(now - done.first_seen);
        let data = done.join();
        self.stats.whole += 1;
        self.stats.bytes += data.len() as u64;
        Some(data)
    }
}

struct Link {
    seed: u64,
    ident: u32,
}

impl Link {
    fn rand(&mut self, n: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed % n
    }

    fn datagram(&mut self) -> Vec<Fragment> {
        self.ident += 1;
        let flow = FlowId { src: self.rand(50) as u32, dst: self.rand(20) as u32, ident: self.ident };
        let n = 2 + self.rand(4) as u8;
        let mut out = Vec::new();
        for index in 0..n {
            if self.rand(12) == 0 {
                continue;
            }
            let len = 200 + self.rand(400) as usize;
            let payload = vec![index ^ self.ident as u8; len];
            out.push(Fragment { flow, index, last: index + 1 == n, payload });
        }
        out
    }
}

fn checksum(data: &[u8]) -> u32 {
    data.chunks(2).fold(0u32, |s, c| {
        let hi = c[0] as u32;
        let lo = *c.get(1).unwrap_or(&0) as u32;
        s.wrapping_add(hi << 8 | lo)
    })
}

fn main() {
    let mut link = Link { seed: 0xfeed_f00d_1234, ident: 0 };
    let mut r = Reassembler::new();
    let mut sum = 0u32;
    for now in 0..1400u64 {
        for _ in 0..100 {
            for f in link.datagram() {
                if let Some(data) = r.push(f, now) {
                    sum = sum.wrapping_add(checksum(&data));
                }
            }
        }
        if now % 6 == 0 {
            sleep(Duration::from_millis(8));
        }
    }
    println!(
        "{} fragments, {} whole, {} bytes, slowest {}, sum {:08x}",
        r.stats.fragments, r.stats.whole, r.stats.bytes, r.stats.oldest, sum
    );
    sleep(Duration::from_millis(200));
}
