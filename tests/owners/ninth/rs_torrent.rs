// The download half of a BitTorrent client: takes blocks from peers, puts pieces together, verifies and writes them.
use std::collections::{BTreeMap, HashMap};

const BLOCK: usize = 2048;
const PIECE: usize = 16 * BLOCK;

struct PartialPiece {
    buffer: Vec<u8>,
    have: Vec<bool>,
    missing: usize,
}

impl PartialPiece {
    fn new() -> Self {
        let blocks = PIECE / BLOCK;
        PartialPiece { buffer: vec![0; PIECE], have: vec![false; blocks], missing: blocks }
    }

    fn put(&mut self, block: usize, data: &[u8]) {
        if !self.have[block] {
            self.have[block] = true;
            self.missing -= 1;
        }
        self.buffer[block * BLOCK..(block + 1) * BLOCK].copy_from_slice(data);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Wanted,
    Requested(u32),
    Done,
}

/// Which piece is asked of whom.
struct Picker {
    states: Vec<State>,
    availability: Vec<u16>,
}

impl Picker {
    fn new(pieces: usize) -> Self {
        Picker { states: vec![State::Wanted; pieces], availability: (0..pieces).map(|n| (n * 7 % 50) as u16).collect() }
    }

    fn pick(&mut self, peer: u32, start: usize) -> Option<usize> {
        let count = self.states.len();
        let best = (0..count.min(64))
            .map(|n| (start + n) % count)
            .filter(|&n| self.states[n] == State::Wanted)
            .min_by_key(|&n| self.availability[n])?;
        self.states[best] = State::Requested(peer);
        Some(best)
    }

    fn give_back(&mut self, peer: u32) {
        for state in &mut self.states {
            if *state == State::Requested(peer) {
                *state = State::Wanted;
            }
        }
    }
}

struct Disk {
    written: BTreeMap<usize, u32>,
    cache: Vec<Vec<u8>>,
}

impl Disk {
    fn write(&mut self, piece: usize, data: &[u8]) {
        let sum = data.iter().fold(0u32, |sum, &byte| sum.rotate_left(3) ^ u32::from(byte));
        self.written.insert(piece, sum);
        if self.cache.len() == 96 {
            self.cache.remove(0);
        }
        self.cache.push(data.to_vec());
    }
}

struct Download {
    picker: Picker,
    partial: HashMap<(u32, usize), PartialPiece>,
    disk: Disk,
    finished: usize,
}

impl Download {
    fn new(pieces: usize) -> Self {
        let disk = Disk { written: BTreeMap::new(), cache: Vec::new() };
        Download { picker: Picker::new(pieces), partial: HashMap::new(), disk, finished: 0 }
    }

    fn on_block(&mut self, peer: u32, piece: usize, block: usize, data: &[u8]) {
        let partial = self.partial.entry((peer, piece)).or_insert_with(PartialPiece::new); // guilty
        partial.put(block, data);
        if partial.missing > 0 {
            return;
        }
        if let Some(whole) = self.partial.remove(&(peer, piece)) {
            self.disk.write(piece, &whole.buffer);
            self.picker.states[piece] = State::Done;
            self.finished += 1;
        }
    }

    fn on_disconnect(&mut self, peer: u32) {
        self.picker.give_back(peer);
    }
}

struct Peer {
    id: u32,
    patience: u32,
    random: u32,
}

impl Peer {
    fn connect(id: u32) -> Self {
        Peer { id, patience: 3 + id * 2654435761u32.wrapping_mul(id) % 60, random: id }
    }

    fn read(&mut self, piece: usize, block: usize) -> Option<Vec<u8>> {
        self.patience = self.patience.checked_sub(1)?;
        self.random = self.random.wrapping_mul(1664525).wrapping_add(1013904223);
        let mut data = vec![(piece + block) as u8; BLOCK];
        data[..4].copy_from_slice(&self.random.to_le_bytes());
        Some(data)
    }
}

/// One peer from its handshake to its disconnect.
fn serve(download: &mut Download, peer: &mut Peer) {
    'pieces: while let Some(piece) = download.picker.pick(peer.id, peer.id as usize * 97) {
        for block in 0..PIECE / BLOCK {
            match peer.read(piece, block) {
                Some(data) => download.on_block(peer.id, piece, block, &data),
                None => break 'pieces,
            }
        }
    }
    download.on_disconnect(peer.id);
}

fn main() {
    let mut download = Download::new(5000);
    for id in 1..1900 {
        let mut peer = Peer::connect(id);
        serve(&mut download, &mut peer);
    }
    println!("{} of 5000 pieces, {} on disk, {} begun", download.finished, download.disk.written.len(), download.partial.len());
}
