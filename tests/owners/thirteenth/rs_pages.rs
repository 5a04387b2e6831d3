// A small database file: pages in a cache, records in slots, transactions with images from before, readers of old states, checkpoints.
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

const PAGE: usize = 1024;
const RECORD: usize = 64;

type Bytes = Box<[u8; PAGE]>;

fn blank() -> Bytes {
    Box::new([0; PAGE])
}

/// The file itself; a real one would be on a disk.
#[derive(Default)]
struct Disk {
    written: HashMap<u32, Vec<u8>>,
    writes: usize,
    reads: usize,
}

impl Disk {
    fn read(&mut self, number: u32) -> Bytes {
        self.reads += 1;
        let mut page = blank();
        if let Some(runs) = self.written.get(&number) {
            for (byte, run) in page.iter_mut().zip(unpack(runs)) {
                *byte = run;
            }
        }
        page
    }

    fn write(&mut self, number: u32, page: &Bytes) {
        self.writes += 1;
        self.written.insert(number, pack(&page[..]));
    }
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut runs: Vec<u8> = Vec::new();
    for byte in bytes {
        match runs.len() {
            n if n > 0 && runs[n - 1] == *byte && runs[n - 2] < 255 => runs[n - 2] += 1,
            _ => runs.extend([1, *byte]),
        }
    }
    runs.shrink_to_fit();
    runs
}

fn unpack(runs: &[u8]) -> impl Iterator<Item = u8> + '_ {
    runs.chunks(2).flat_map(|run| std::iter::repeat(run[1]).take(run[0] as usize))
}

struct Cache {
    pages: HashMap<u32, Bytes>,
    order: VecDeque<u32>,
    room: usize,
    disk: Disk,
}

impl Cache {
    fn page(&mut self, number: u32) -> &mut Bytes {
        if !self.pages.contains_key(&number) {
            if self.pages.len() == self.room {
                let old = self.order.pop_front().expect("a full cache has an order");
                let page = self.pages.remove(&old).expect("a page in order is in the cache");
                self.disk.write(old, &page);
            }
            let page = self.disk.read(number);
            self.pages.insert(number, page);
            self.order.push_back(number);
        }
        self.pages.get_mut(&number).expect("it was just read")
    }
}

/// Pages as they were before a transaction, for those who began to read earlier.
#[derive(Default)]
struct Undo {
    images: BTreeMap<(u32, u64), Rc<Bytes>>,
}

impl Undo {
    fn save(&mut self, number: u32, transaction: u64, page: &Bytes) {
        self.images.entry((number, transaction)).or_insert_with(|| Rc::new(page.clone())); // guilty
    }

    fn before(&self, number: u32, transaction: u64) -> Option<Rc<Bytes>> {
        self.images.range((number, transaction)..=(number, u64::MAX)).next().map(|(_, image)| image.clone())
    }
}

struct Database {
    cache: Cache,
    undo: Undo,
    transaction: u64,
    open: Vec<(u32, usize)>,
    committed: u64,
    undone: u64,
}

impl Database {
    fn new(room: usize) -> Database {
        let cache = Cache { pages: HashMap::new(), order: VecDeque::new(), room, disk: Disk::default() };
        Database { cache, undo: Undo::default(), transaction: 1, open: Vec::new(), committed: 0, undone: 0 }
    }

    fn put(&mut self, key: u32, value: &[u8]) {
        let (number, slot) = (key / (PAGE / RECORD) as u32, key as usize % (PAGE / RECORD) * RECORD);
        let page = self.cache.page(number);
        self.undo.save(number, self.transaction, page);
        let room = &mut page[slot..slot + RECORD];
        room.fill(0);
        room[..value.len().min(RECORD)].copy_from_slice(&value[..value.len().min(RECORD)]);
        self.open.push((number, slot));
    }

    fn commit(&mut self) {
        self.open.clear();
        self.transaction += 1;
        self.committed += 1;
    }

    fn roll_back(&mut self) {
        for (number, slot) in std::mem::take(&mut self.open) {
            if let Some(image) = self.undo.before(number, self.transaction) {
                self.cache.page(number)[slot..slot + RECORD].copy_from_slice(&image[slot..slot + RECORD]);
            }
        }
        self.transaction += 1;
        self.undone += 1;
    }

    /// The record as a reader sees it that began with this transaction.
    fn get(&mut self, key: u32, as_of: u64) -> String {
        let (number, slot) = (key / (PAGE / RECORD) as u32, key as usize % (PAGE / RECORD) * RECORD);
        let record = match self.undo.before(number, as_of) {
            Some(image) => image[slot..slot + RECORD].to_vec(),
            None => self.cache.page(number)[slot..slot + RECORD].to_vec(),
        };
        String::from_utf8_lossy(&record).trim_end_matches('\0').to_string()
    }
}

fn main() {
    let mut database = Database::new(600);
    let mut seed = 88u64;
    let mut below = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
        (seed >> 34) % n
    };
    let (mut changed, mut length) = (0, 0);
    for order in 0..22_000u64 {
        let first = below(20_000) as u32;
        for line in 0..1 + below(3) as u32 {
            let text = format!("order {order} line {line}: {} of article {}", 1 + below(20), below(5000));
            database.put(first + 40 * line, text.as_bytes());
        }
        if below(15) == 0 {
            database.roll_back();
        } else {
            database.commit();
        }
        if order % 10 == 0 {
            let began = database.transaction - below(5).min(database.transaction - 1);
            let now = database.get(first, u64::MAX);
            changed += usize::from(database.get(first, began) != now);
            length += now.len();
        }
    }
    println!("{} committed, {} undone, {changed} records differed, {length} bytes", database.committed, database.undone);
    println!("{} reads and {} writes of pages", database.cache.disk.reads, database.cache.disk.writes);
}
