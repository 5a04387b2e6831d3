// Plug-ins behind a trait, with a cache of the program's own; one of them makes the key from the time, and so finds nothing again.
use std::collections::HashMap;
use std::hash::Hash;
use std::process;

struct Cache<K, V> {
    items: HashMap<K, V>,
    hits: usize,
}

impl<K: Hash + Eq, V> Cache<K, V> {
    fn new() -> Self {
        Cache { items: HashMap::new(), hits: 0 }
    }

    fn get_or<F: FnOnce() -> V>(&mut self, key: K, make: F) -> &V {
        if self.items.contains_key(&key) {
            self.hits += 1;
        }
        self.items.entry(key).or_insert_with(make)
    }
}

struct Frame {
    number: u64,
    samples: Vec<u8>,
}

trait Plugin {
    fn name(&self) -> &str;
    fn process(&mut self, frame: &Frame) -> u64;
}

struct Histogram {
    counts: Vec<u64>,
}

impl Plugin for Histogram {
    fn name(&self) -> &str {
        "histogram"
    }

    fn process(&mut self, frame: &Frame) -> u64 {
        for sample in &frame.samples {
            self.counts[*sample as usize] += 1;
        }
        self.counts[0]
    }
}

struct Blur {
    kernels: Cache<usize, Vec<u32>>,
}

impl Plugin for Blur {
    fn name(&self) -> &str {
        "blur"
    }

    fn process(&mut self, frame: &Frame) -> u64 {
        let width = 3 + frame.number as usize % 8;
        let kernel = self.kernels.get_or(width, || (0..width as u32 * 1000).collect());
        frame.samples.windows(width).map(|w| w[0] as u64 * kernel[1] as u64).sum()
    }
}

struct Preview {
    scaled: Cache<(u64, usize), Vec<u8>>,
    factor: usize,
}

impl Preview {
    fn scale(&mut self, frame: &Frame) -> usize {
        let factor = self.factor;
        let small = self.scaled.get_or((frame.number, factor), || {
            let mut small = Vec::with_capacity(frame.samples.len() / factor); // guilty
            small.extend(frame.samples.iter().step_by(factor));
            small
        });
        small.len()
    }
}

impl Plugin for Preview {
    fn name(&self) -> &str {
        "preview"
    }

    fn process(&mut self, frame: &Frame) -> u64 {
        self.scale(frame) as u64
    }
}

struct Host {
    plugins: Vec<Box<dyn Plugin>>,
    totals: HashMap<String, u64>,
}

impl Host {
    fn run(&mut self, frame: &Frame) {
        for plugin in &mut self.plugins {
            let value = plugin.process(frame);
            *self.totals.entry(plugin.name().to_string()).or_default() += value;
        }
    }
}

fn record(number: u64) -> Frame {
    Frame { number, samples: (0..16_000).map(|i| (i as u64 * number % 251) as u8).collect() }
}

fn main() {
    let mut host = Host { plugins: vec![], totals: HashMap::new() };
    host.plugins.push(Box::new(Histogram { counts: vec![0; 100_000] }));
    host.plugins.push(Box::new(Blur { kernels: Cache::new() }));
    host.plugins.push(Box::new(Preview { scaled: Cache::new(), factor: 4 }));
    for number in 0..10_000 {
        host.run(&record(number));
    }
    println!("{:?}", host.totals);
    process::exit(0);
}
