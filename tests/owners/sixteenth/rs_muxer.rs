// muxer - reassembles messages of many streams that share one tunnel.
use std::collections::HashMap;
use std::fmt;
use std::thread::sleep;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Open,
    Data,
    Fin,
    Reset,
}

struct Frame {
    stream: u32,
    kind: Kind,
    payload: Vec<u8>,
}

#[derive(Debug)]
enum Error {
    Short,
    BadKind(u8),
    UnknownStream(u32),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Short => write!(f, "short frame"),
            Error::BadKind(k) => write!(f, "bad kind {k}"),
            Error::UnknownStream(s) => write!(f, "unknown stream {s}"),
        }
    }
}

fn decode(wire: &[u8]) -> Result<Frame, Error> {
    if wire.len() < 5 {
        return Err(Error::Short);
    }
    let stream = u32::from_be_bytes([wire[0], wire[1], wire[2], wire[3]]);
    let kind = match wire[4] {
        0 => Kind::Open,
        1 => Kind::Data,
        2 => Kind::Fin,
        3 => Kind::Reset,
        k => return Err(Error::BadKind(k)),
    };
    Ok(Frame { stream, kind, payload: wire[5..].to_vec() })
}

fn encode(stream: u32, kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut w = Vec::with_capacity(5 + payload.len());
    w.extend_from_slice(&stream.to_be_bytes());
    w.push(kind as u8);
    w.extend_from_slice(payload);
    w
}

#[derive(Default)]
struct Stats {
    messages: u64,
    bytes: u64,
    resets: u64,
    errors: HashMap<String, u64>,
}

#[derive(Default)]
struct Demux {
    open: HashMap<u32, u64>,
    partial: HashMap<u32, Vec<u8>>,
    stats: Stats,
}

impl Demux {
    fn receive(&mut self, wire: &[u8]) -> Option<Vec<u8>> {
        match decode(wire).and_then(|f| self.handle(f)) {
            Ok(m) => m,
            Err(e) => {
                let key = match e {
                    Error::UnknownStream(_) => "unknown stream".to_string(),
                    other => other.to_string(),
                };
                *self.stats.errors.entry(key).or_default() += 1;
                None
            }
        }
    }

    fn handle(&mut self, f: Frame) -> Result<Option<Vec<u8>>, Error> {
        match f.kind {
            Kind::Open => {
                self.open.insert(f.stream, 0);
                Ok(None)
            }
            Kind::Data => self.on_data(f).map(|_| None),
            Kind::Fin => {
                self.open.remove(&f.stream).ok_or(Error::UnknownStream(f.stream))?;
                let whole = self.partial.remove(&f.stream).unwrap_or_default();
                self.stats.messages += 1;
                self.stats.bytes += whole.len() as u64;
                Ok(Some(whole))
            }
            Kind::Reset => {
                self.open.remove(&f.stream);
                self.stats.resets += 1;
                Ok(None)
            }
        }
    }

    fn on_data(&mut self, f: Frame) -> Result<(), Error> {
        let seen = self.open.get_mut(&f.stream).ok_or(Error::UnknownStream(f.stream))?;
        *seen += f.payload.len() as u64;
        let buf = self.partial.entry(f.stream).or_default();
        buf.extend_from_slice(&f.payload); // guilty
        Ok(())
    }
}

struct Peer {
    seed: u32,
    next: u32,
    live: Vec<(u32, u32)>,
}

impl Peer {
    fn roll(&mut self) -> u32 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 17;
        self.seed ^= self.seed << 5;
        self.seed
    }

    fn next_wire(&mut self) -> Vec<u8> {
        if self.live.len() < 200 {
            self.next += 1;
            let chunks = 2 + self.roll() % 8;
            self.live.push((self.next, chunks));
            return encode(self.next, Kind::Open, b"");
        }
        let k = self.roll() as usize % self.live.len();
        let (id, left) = self.live[k];
        if left == 0 {
            self.live.swap_remove(k);
            return encode(id, Kind::Fin, b"");
        }
        if self.roll() % 20 == 0 {
            self.live.swap_remove(k);
            return encode(id, Kind::Reset, b"");
        }
        self.live[k].1 -= 1;
        let n = 300 + self.roll() as usize % 2000;
        encode(id, Kind::Data, &vec![(id % 251) as u8; n])
    }
}

fn checksum(m: &[u8]) -> u32 {
    m.iter().fold(1u32, |a, b| a.wrapping_mul(31).wrapping_add(u32::from(*b)))
}

fn main() {
    let mut peer = Peer { seed: 2463534242, next: 0, live: Vec::new() };
    let mut demux = Demux::default();
    let mut sum = 0u32;
    for n in 0..300_000u32 {
        if let Some(m) = demux.receive(&peer.next_wire()) {
            sum ^= checksum(&m);
        }
        if n % 1000 == 0 {
            sleep(Duration::from_millis(9));
        }
    }
    let s = &demux.stats;
    println!("{} messages {} bytes {} resets sum {sum:08x} {:?}", s.messages, s.bytes, s.resets, s.errors);
}
