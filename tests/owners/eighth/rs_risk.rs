//! The risk of a portfolio: prices are simulated along paths, and positions are valued on them.

use std::collections::HashMap;

const STEPS: usize = 48;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PathKey {
    asset: u32,
    scenario: u64,
}

struct Asset {
    name: String,
    spot: f64,
    volatility: f64,
    history: Vec<f64>,
}

enum Position {
    Share { asset: u32, count: f64 },
    Call { asset: u32, strike: f64, count: f64 },
    Barrier { asset: u32, level: f64, pays: f64 },
}

struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        (0..6).map(|_| self.uniform()).sum::<f64>() * std::f64::consts::SQRT_2 - 3.0 * std::f64::consts::SQRT_2
    }
}

fn simulate(asset: &Asset, seed: u64) -> Vec<f64> {
    let mut normal = Normal(seed | 1);
    let mut path = Vec::with_capacity(STEPS);
    let mut price = asset.spot;
    for _ in 0..STEPS {
        price *= (asset.volatility * normal.next()).exp();
        path.push(price);
    }
    path
}

struct Market {
    assets: Vec<Asset>,
    paths: HashMap<PathKey, Vec<f64>>,
}

impl Market {
    fn load(count: usize) -> Self {
        let assets = (0..count)
            .map(|number| {
                let mut normal = Normal(number as u64 + 77);
                let history: Vec<f64> = (0..1500).map(|_| 0.01 * normal.next()).collect();
                let variance = history.iter().map(|change| change * change).sum::<f64>() / history.len() as f64;
                Asset { name: format!("asset {number}"), spot: 20.0 + number as f64, volatility: variance.sqrt(), history }
            })
            .collect();
        Market { assets, paths: HashMap::new() }
    }

    fn path(&mut self, asset: u32, scenario: u64) -> &[f64] {
        let key = PathKey { asset, scenario };
        let simulated = &self.assets[asset as usize];
        let seed = scenario.wrapping_mul(0x9e3779b97f4a7c15) ^ u64::from(asset);
        self.paths.entry(key).or_insert_with(|| simulate(simulated, seed)) // guilty
    }
}

impl Position {
    fn value(&self, market: &mut Market, scenario: u64) -> f64 {
        match *self {
            Position::Share { asset, count } => count * market.path(asset, scenario)[STEPS - 1],
            Position::Call { asset, strike, count } => count * (market.path(asset, scenario)[STEPS - 1] - strike).max(0.0),
            Position::Barrier { asset, level, pays } => {
                let path = market.path(asset, scenario);
                if path.iter().any(|&price| price > level) { pays } else { 0.0 }
            }
        }
    }
}

struct Desk {
    name: String,
    positions: Vec<Position>,
}

impl Desk {
    fn open(number: u32, assets: u32) -> Self {
        let positions = (0..25)
            .map(|at| {
                let asset = (number * 13 + at * 5) % assets;
                let spot = 20.0 + f64::from(asset);
                match at % 3 {
                    0 => Position::Share { asset, count: 10.0 },
                    1 => Position::Call { asset, strike: spot, count: 50.0 },
                    _ => Position::Barrier { asset, level: spot * 1.05, pays: 400.0 },
                }
            })
            .collect();
        Desk { name: format!("desk {number}"), positions }
    }

    /// The loss that one scenario of twenty exceeds.
    fn value_at_risk(&self, market: &mut Market, first: u64, scenarios: u64) -> f64 {
        let mut values: Vec<f64> =
            (first..first + scenarios).map(|scenario| self.positions.iter().map(|position| position.value(market, scenario)).sum()).collect();
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        mean - values[values.len() / 20]
    }
}

fn main() {
    let mut market = Market::load(300);
    let desks: Vec<Desk> = (0..20).map(|number| Desk::open(number, 300)).collect();
    let mut worst = (0.0, String::new());
    for (number, desk) in desks.iter().enumerate() {
        let risk = desk.value_at_risk(&mut market, number as u64 * 1000, 160);
        if risk > worst.0 {
            worst = (risk, desk.name.clone());
        }
    }
    let longest = market.assets.iter().map(|asset| asset.name.len() + asset.history.len()).max();
    println!("{} has {:.2} at risk; {} paths, {longest:?}", worst.1, worst.0, market.paths.len());
}
