// A backup program: cuts files into blobs, stores those that the repository does not have, and packs them.
use std::collections::HashMap;
use std::fmt::Write;

#[derive(Clone, Debug)]
struct BlobLocation {
    pack: String,
    offset: u32,
    length: u32,
    uncompressed: u32,
}

#[derive(Default)]
struct Index {
    blobs: HashMap<String, Vec<BlobLocation>>,
    packs: usize,
}

impl Index {
    fn has(&self, id: &str) -> bool {
        self.blobs.contains_key(id)
    }

    fn store(&mut self, id: &str, location: BlobLocation) {
        self.blobs.entry(id.to_string()).or_default().push(location); // guilty
    }

    fn locate(&self, id: &str) -> Option<&BlobLocation> {
        self.blobs.get(id)?.first()
    }
}

struct Packer {
    id: String,
    number: u64,
    data: Vec<u8>,
    limit: usize,
}

impl Packer {
    fn new(limit: usize) -> Self {
        Packer { id: hex(0x1234), number: 0, data: Vec::with_capacity(limit), limit }
    }

    /// Where it was put; a pack that is full is written, and another begun.
    fn add(&mut self, blob: &[u8], uncompressed: usize) -> BlobLocation {
        if self.data.len() + blob.len() > self.limit {
            self.data.clear();
            self.number += 1;
            self.id = hex(self.number.wrapping_mul(0x9e3779b97f4a7c15));
        }
        let offset = self.data.len() as u32;
        self.data.extend_from_slice(blob);
        BlobLocation { pack: self.id.clone(), offset, length: blob.len() as u32, uncompressed: uncompressed as u32 }
    }
}

fn hex(of: u64) -> String {
    let mut text = String::with_capacity(64);
    let mut state = of | 1;
    for _ in 0..4 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let _ = write!(text, "{state:016x}");
    }
    text
}

fn digest(data: &[u8]) -> String {
    hex(data.iter().fold(0xcbf29ce484222325u64, |h, &byte| (h ^ u64::from(byte)).wrapping_mul(0x100000001b3)))
}

fn compress(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for run in data.chunk_by(|a, b| a == b) {
        out.extend_from_slice(&[run.len() as u8, run[0]]);
    }
    out
}

#[derive(Debug)]
struct Node {
    name: String,
    size: u64,
    content: Vec<u64>,
}

struct Archiver {
    index: Index,
    packer: Packer,
    tree: Vec<Node>,
    unchanged: usize,
}

impl Archiver {
    fn new() -> Self {
        Archiver { index: Index::default(), packer: Packer::new(1 << 20), tree: Vec::new(), unchanged: 0 }
    }

    fn save_blob(&mut self, data: &[u8]) -> String {
        let id = digest(data);
        if self.index.has(&id) {
            self.unchanged += 1;
        } else {
            let location = self.packer.add(&compress(data), data.len());
            self.index.store(&id, location);
        }
        id
    }

    fn save_file(&mut self, name: &str, data: &[u8]) {
        let mut content = Vec::new();
        for chunk in data.chunks(48) {
            let id = self.save_blob(chunk);
            content.push(u64::from_str_radix(&id[..16], 16).unwrap_or(0));
        }
        self.tree.push(Node { name: name.to_string(), size: data.len() as u64, content });
    }

    fn finish(mut self) -> (Index, Vec<Node>) {
        self.index.packs = self.packer.number as usize + 1;
        (self.index, self.tree)
    }
}

struct Files {
    random: u64,
}

impl Files {
    fn next(&mut self, number: usize) -> (String, Vec<u8>) {
        let mut data = Vec::new();
        for n in 0..20 + number % 41 {
            if n % 4 != 3 {
                self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1);
            }
            let value = if n % 4 == 3 { (n as u64) << 40 } else { self.random };
            data.extend_from_slice(&value.to_be_bytes());
            data.resize(data.len() + 40, (value >> 33) as u8);
        }
        (format!("home/user/Documents/{}/scan-{number:06}.tif", number / 200), data)
    }
}

fn main() {
    let mut archiver = Archiver::new();
    let mut files = Files { random: 99 };
    for number in 0..5000 {
        let (name, data) = files.next(number);
        archiver.save_file(&name, &data);
    }
    let unchanged = archiver.unchanged;
    let (index, tree) = archiver.finish();
    let last = tree.last().map(|node| (node.name.as_str(), node.size, node.content.len()));
    let place = index.locate(&digest(b"nothing")).map(|l| (l.pack.clone(), l.offset, l.length, l.uncompressed));
    println!("{} blobs in {} packs, {unchanged} were there, last {last:?}, {place:?}", index.blobs.len(), index.packs);
}
