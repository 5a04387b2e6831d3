// A store on a BTreeMap, whose old versions are kept.
use std::collections::BTreeMap;
use std::process;

#[derive(Default)]
struct Store {
    versions: BTreeMap<String, Vec<Vec<u8>>>,
}

impl Store {
    #[inline(never)]
    fn put(&mut self, key: &str, value: &[u8]) {
        self.versions.entry(key.to_string()).or_default().push(value.to_vec()); // guilty
    }

    #[inline(never)]
    fn create_keys(&mut self) {
        for n in 0..500 {
            self.versions.insert(format!("key{n}"), Vec::with_capacity(100));
        }
    }
}

fn main() {
    let mut store = Store::default();
    store.create_keys();
    let value = vec![7u8; 1000];
    for n in 0..50_000 {
        store.put(&format!("key{}", n % 500), &value);
    }
    println!("{}", store.versions.len());
    process::exit(0);
}
