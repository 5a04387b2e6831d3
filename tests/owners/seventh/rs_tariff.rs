//! Rates calls by tariffs: prices are found by the longest prefix of a number, and bills are made at the end of a day.
use std::collections::{BTreeMap, HashMap};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
enum RateError {
    NoTariff(String),
    TooShort { number: String, seconds: u32 },
}

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RateError::NoTariff(number) => write!(f, "no tariff for {number}"),
            RateError::TooShort { number, seconds } => write!(f, "{number}: {seconds} s are not billed"),
        }
    }
}

#[derive(Clone)]
struct Call {
    from: u32,
    to: String,
    seconds: u32,
    route: Vec<u16>,
}

struct Tariff {
    prices: BTreeMap<String, u64>,
}

impl Tariff {
    fn new() -> Self {
        let prices = (15..99).flat_map(|p| [(format!("+{p}"), 9 + p % 7), (format!("+{p}1"), 4 + p % 3)]).collect();
        Tariff { prices }
    }

    fn price(&self, number: &str) -> Option<u64> {
        (2..=number.len().min(5)).rev().find_map(|n| self.prices.get(&number[..n])).copied()
    }
}

#[derive(Default)]
struct Bill {
    cents: u64,
    lines: Vec<String>,
}

struct Rater<'t> {
    tariff: &'t Tariff,
    bills: HashMap<u32, Bill>,
    refused: Vec<(Call, RateError)>,
}

impl<'t> Rater<'t> {
    fn new(tariff: &'t Tariff) -> Self {
        Rater { tariff, bills: HashMap::new(), refused: Vec::new() }
    }

    fn check(&self, call: &Call) -> Result<u64, RateError> {
        if call.seconds < 3 {
            return Err(RateError::TooShort { number: call.to.clone(), seconds: call.seconds });
        }
        self.tariff.price(&call.to).ok_or_else(|| RateError::NoTariff(call.to.clone()))
    }

    /// A call that has no price is looked at by people, who have more on one screen than they ever read.
    fn refuse(&mut self, call: &Call, why: RateError) -> usize {
        self.refused.push((call.clone(), why)); // guilty
        self.refused.len()
    }

    fn rate(&mut self, call: &Call) -> Result<u64, usize> {
        let price = match self.check(call) {
            Ok(price) => price,
            Err(why) => return Err(self.refuse(call, why)),
        };
        let cents = price * u64::from(call.seconds.div_ceil(60));
        let bill = self.bills.entry(call.from).or_default();
        bill.cents += cents;
        bill.lines.push(format!("{} {:>6} s {cents:>5} ct", call.to, call.seconds));
        Ok(cents)
    }

    fn close_day(&mut self) -> u64 {
        self.bills.drain().map(|(_, bill)| bill.cents + bill.lines.len() as u64).sum()
    }
}

fn calls(day: u32) -> impl Iterator<Item = Call> {
    (0..12_000u32).map(move |i| {
        let n = i.wrapping_mul(2_654_435_761).wrapping_add(day) >> 7;
        Call {
            from: n % 500,
            to: format!("+{}{:07}", n % 97, i % 9_999_991),
            seconds: n % 300,
            route: (0..24).map(|hop| (n >> (hop % 8)) as u16).collect(),
        }
    })
}

fn main() {
    let tariff = Tariff::new();
    let mut rater = Rater::new(&tariff);
    let (mut cents, mut refused, mut hops) = (0, 0, 0);
    for day in 0..150 {
        for call in calls(day) {
            hops += call.route.len();
            if let Err(n) = rater.rate(&call) {
                refused = n;
            }
        }
        cents += rater.close_day();
    }
    let last = rater.refused.last().map(|(_, why)| why.to_string()).unwrap_or_default();
    println!("{cents} ct, {refused} refused ({last}), {hops} hops");
}
