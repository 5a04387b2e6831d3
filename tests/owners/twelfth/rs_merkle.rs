// A key-value store whose state has a root hash per block: a tree of hashed nodes, written by copies of paths.
use std::collections::{BTreeMap, HashMap};
use std::fmt;

type Hash = u64;

#[derive(Clone)]
enum Node {
    Leaf { key: u32, value: Vec<u8> },
    Branch { children: [Hash; 16] },
}

impl Node {
    fn hash(&self) -> Hash {
        let mut h = 0xcbf29ce484222325u64;
        let mut mix = |byte: u8| h = (h ^ u64::from(byte)).wrapping_mul(0x100000001b3);
        match self {
            Node::Leaf { key, value } => {
                mix(0);
                key.to_le_bytes().into_iter().for_each(&mut mix);
                value.iter().copied().for_each(&mut mix);
            }
            Node::Branch { children } => {
                mix(1);
                children.iter().flat_map(|c| c.to_le_bytes()).for_each(&mut mix);
            }
        }
        h | 1
    }
}

#[derive(Default)]
struct Database {
    nodes: HashMap<Hash, Box<Node>>,
    written: usize,
    shared: usize,
}

impl Database {
    fn commit(&mut self, node: Node) -> Hash {
        let hash = node.hash();
        self.written += 1;
        if self.nodes.contains_key(&hash) {
            self.shared += 1;
        } else {
            self.nodes.insert(hash, Box::new(node)); // guilty
        }
        hash
    }

    fn get(&self, hash: Hash) -> Option<&Node> {
        self.nodes.get(&hash).map(|n| &**n)
    }
}

#[derive(Default)]
struct State {
    database: Database,
    roots: Vec<Hash>,
}

#[derive(Debug)]
enum Fault {
    Missing(u32),
    Funds { account: u32, balance: u64 },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing(account) => write!(f, "no account {account}"),
            Fault::Funds { account, balance } => write!(f, "account {account} has {balance} only"),
        }
    }
}

fn spread(key: u32) -> u32 {
    key.wrapping_mul(0x9e3779b1).rotate_left(11)
}

impl State {
    fn nibble(key: u32, depth: u32) -> usize {
        (spread(key) >> (depth * 4) & 15) as usize
    }

    fn write(&mut self, at: Hash, key: u32, value: Vec<u8>, depth: u32) -> Hash {
        let mut children = [0; 16];
        match self.database.get(at).cloned() {
            None => return self.database.commit(Node::Leaf { key, value }),
            Some(Node::Leaf { key: other, .. }) if other == key => return self.database.commit(Node::Leaf { key, value }),
            Some(Node::Leaf { key: other, .. }) => children[Self::nibble(other, depth)] = at,
            Some(Node::Branch { children: old }) => children = old,
        }
        let slot = Self::nibble(key, depth);
        children[slot] = self.write(children[slot], key, value, depth + 1);
        self.database.commit(Node::Branch { children })
    }

    fn read(&self, root: Hash, key: u32) -> Option<&[u8]> {
        let (mut at, mut depth) = (root, 0);
        loop {
            match self.database.get(at)? {
                Node::Leaf { key: other, value } => return (*other == key).then_some(value.as_slice()),
                Node::Branch { children } => at = children[Self::nibble(key, depth)],
            }
            depth += 1;
        }
    }

    fn root(&self) -> Hash {
        self.roots.last().copied().unwrap_or(0)
    }

    fn apply(&mut self, changes: BTreeMap<u32, Vec<u8>>) {
        let mut root = self.root();
        for (key, value) in changes {
            root = self.write(root, key, value, 0);
        }
        self.roots.push(root);
    }
}

struct Block<'a> {
    state: &'a State,
    changes: BTreeMap<u32, Vec<u8>>,
}

impl Block<'_> {
    fn balance(&self, account: u32) -> Result<u64, Fault> {
        let bytes = self.changes.get(&account).map(Vec::as_slice).or_else(|| self.state.read(self.state.root(), account));
        let bytes = bytes.ok_or(Fault::Missing(account))?;
        Ok(u64::from_le_bytes(bytes[..8].try_into().unwrap()))
    }

    fn set(&mut self, account: u32, balance: u64) {
        let mut record = balance.to_le_bytes().to_vec();
        record.extend(std::iter::repeat(account as u8).take(24));
        self.changes.insert(account, record);
    }

    fn transfer(&mut self, from: u32, to: u32, amount: u64) -> Result<(), Fault> {
        let balance = self.balance(from)?;
        if balance < amount {
            return Err(Fault::Funds { account: from, balance });
        }
        let other = self.balance(to)?;
        if from != to {
            self.set(from, balance - amount);
            self.set(to, other + amount);
        }
        Ok(())
    }
}

fn main() {
    let mut state = State::default();
    let mut seed = 17u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    let mut genesis = Block { state: &state, changes: BTreeMap::new() };
    (0..3000).for_each(|account| genesis.set(account, 1000));
    let changes = genesis.changes;
    state.apply(changes);
    let (mut done, mut last_fault) = (0, String::new());
    for _ in 0..900 {
        let mut block = Block { state: &state, changes: BTreeMap::new() };
        for _ in 0..40 {
            match block.transfer(random(3005) as u32, random(3000) as u32, random(900)) {
                Ok(()) => done += 1,
                Err(fault) => last_fault = fault.to_string(),
            }
        }
        let changes = block.changes;
        state.apply(changes);
    }
    let database = &state.database;
    println!("{} blocks, {} transfers, {} nodes written, {} shared", state.roots.len(), done, database.written, database.shared);
    println!("root {:x}, at last {}", state.root(), last_fault);
}
