// Quotes options on a moving underlying; lattice results are remembered for repeated strikes.
use std::collections::HashMap;
use std::thread::sleep;
use std::time::Duration;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[derive(Hash, PartialEq, Eq, Clone)]
struct Key {
    spot: u64,
    strike: u64,
    days: u32,
}

#[derive(Clone)]
struct Curve {
    delta: f64,
    price: f64,
    levels: Vec<f64>,
}

struct Market {
    spot: f64,
    rng: Rng,
}

impl Market {
    fn tick(&mut self) -> f64 {
        self.spot *= 1.0 + (self.rng.unit() - 0.5) * 0.0004;
        self.spot
    }
}

fn lattice(spot: f64, strike: f64, days: u32, steps: usize) -> Curve {
    let dt = days as f64 / 365.0 / steps as f64;
    let up = (0.2 * dt.sqrt()).exp();
    let p = (1.0 - 1.0 / up) / (up - 1.0 / up);
    let mut row: Vec<f64> = (0..=steps)
        .map(|i| (spot * up.powi(2 * i as i32 - steps as i32) - strike).max(0.0))
        .collect();
    let levels = row.clone();
    let mut delta = 0.0;
    for n in (0..steps).rev() {
        for i in 0..=n {
            row[i] = p * row[i + 1] + (1.0 - p) * row[i];
        }
        if n == 1 {
            delta = (row[1] - row[0]) / (spot * up - spot / up);
        }
    }
    Curve { delta, price: row[0], levels }
}

struct Quoter {
    known: HashMap<Key, Curve>,
    asked: u64,
    reused: u64,
}

impl Quoter {
    fn new() -> Self {
        Quoter { known: HashMap::new(), asked: 0, reused: 0 }
    }

    fn quote(&mut self, spot: f64, strike: f64, days: u32) -> (f64, f64) {
        self.asked += 1;
        let key = Key { spot: spot.to_bits(), strike: strike.to_bits(), days };
        if let Some(c) = self.known.get(&key) {
            self.reused += !c.levels.is_empty() as u64;
            return (c.price, c.delta);
        }
        let c = lattice(spot, strike, days, 120);
        let out = (c.price, c.delta);
        self.known.insert(key, c); // guilty
        out
    }
}

struct Book {
    positions: Vec<(f64, u32, f64)>,
}

impl Book {
    fn random(rng: &mut Rng) -> Book {
        let positions = (0..16)
            .map(|_| (90.0 + (rng.unit() * 20.0).round(), 10 + (rng.next() % 4) as u32 * 30, rng.unit()))
            .collect();
        Book { positions }
    }

    fn revalue(&self, q: &mut Quoter, spot: f64) -> (f64, f64) {
        let mut value = 0.0;
        let mut delta = 0.0;
        for (strike, days, qty) in &self.positions {
            let (p, d) = q.quote(spot, *strike, *days);
            value += p * qty;
            delta += d * qty;
        }
        (value, delta)
    }
}

fn main() {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    let books: Vec<Book> = (0..3).map(|_| Book::random(&mut rng)).collect();
    let mut market = Market { spot: 100.0, rng };
    let mut quoter = Quoter::new();
    let mut history: Vec<f64> = Vec::new();
    for t in 0..1300 {
        let spot = market.tick();
        for b in &books {
            let (v, d) = b.revalue(&mut quoter, spot);
            history.push(v - d * spot);
        }
        if history.len() > 300 {
            history.drain(..150);
        }
        if t % 10 == 0 {
            sleep(Duration::from_millis(9));
        }
    }
    println!("asked {} reused {} last {:.3}", quoter.asked, quoter.reused, history.last().unwrap());
    sleep(Duration::from_millis(200));
}
