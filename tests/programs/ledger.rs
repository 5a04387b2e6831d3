//! A Rust program on jemalloc's malloc; writes a heap dump to the file it is told.
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::fmt::Display;
use std::os::raw::{c_char, c_int, c_void};

#[link(name = "jemalloc")]
extern "C" {
    fn mallctl(name: *const c_char, old: *mut c_void, old_size: *mut usize, new: *mut c_void, new_size: usize)
        -> c_int;
}

trait Account {
    fn book(&mut self, amount: usize);
    fn copy(&self) -> Box<dyn Account>;
}

#[derive(Clone, Default)]
struct Savings {
    entries: Vec<Vec<u8>>,
}

#[derive(Clone)]
struct Tagged<T> {
    tag: T,
    names: BTreeMap<usize, String>,
}

impl Account for Savings {
    #[inline(never)]
    fn book(&mut self, amount: usize) {
        self.entries.push(vec![1; amount]);
    }
    fn copy(&self) -> Box<dyn Account> {
        Box::new(self.clone())
    }
}

impl<T: Display + Clone + 'static> Account for Tagged<T> {
    #[inline(never)]
    fn book(&mut self, amount: usize) {
        let name = format!("{} has {:>200}", self.tag, amount);
        self.names.insert(amount, name);
    }
    fn copy(&self) -> Box<dyn Account> {
        Box::new(self.clone())
    }
}

#[inline(never)]
fn each<F: FnMut(usize)>(count: usize, mut call: F) {
    (0..count).for_each(|i| call(i));
}

#[inline(never)]
fn index(count: usize) -> HashMap<String, Vec<u64>> {
    let mut map = HashMap::new();
    for i in 0..count {
        map.entry(format!("the account with the number {i}")).or_insert_with(|| vec![0; 100 + i]);
    }
    map
}

mod bank {
    pub struct Vault<const SIZE: usize>(pub Vec<[u8; SIZE]>);
    impl<const SIZE: usize> Vault<SIZE> {
        #[inline(never)]
        pub fn fill(&mut self, count: usize) {
            self.0.resize(count, [7; SIZE]);
        }
    }
}

fn main() {
    let path = CString::new(std::env::args().nth(1).expect("usage: ledger DUMP")).unwrap();
    let mut accounts: Vec<Box<dyn Account>> = vec![
        Box::new(Savings::default()),
        Box::new(Tagged { tag: "text", names: BTreeMap::new() }),
        Box::new(Tagged { tag: 5u32, names: BTreeMap::new() }),
    ];
    each(40, |i| accounts.iter_mut().for_each(|account| account.book(1000 + i)));
    let copies: Vec<_> = accounts.iter().map(|account| account.copy()).collect();
    let map = index(60);
    let mut vault = bank::Vault::<640>(Vec::new());
    vault.fill(50);
    let callbacks: Vec<Box<dyn Fn() -> usize>> = (0..20)
        .map(|i| {
            let text = "x".repeat(500 + i);
            Box::new(move || text.len()) as Box<dyn Fn() -> usize>
        })
        .collect();
    let worker = std::thread::spawn(|| (0..30).map(|i| vec![i; 300]).collect::<Vec<_>>());
    let from_worker = worker.join().unwrap();
    let mut target = path.as_ptr();
    let failed = unsafe {
        let value = &mut target as *mut *const c_char as *mut c_void;
        let dump = CString::new("prof.dump").unwrap();
        mallctl(dump.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), value, std::mem::size_of_val(&target))
    };
    // Everything lives until here.
    drop((accounts, copies, map, vault, callbacks, from_worker));
    assert_eq!(failed, 0, "prof.dump");
}
