// Watches the glucose of patients: readings from sensors, adaptors of iterators that smooth and compare, alarms, and a summary by day.
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    patient: u32,
    minute: u64,
    value: f64,
    temperature: f64,
    battery: u8,
}

struct Sensor {
    patient: u32,
    minute: u64,
    last: u64,
    state: u64,
    level: f64,
}

impl Sensor {
    fn new(patient: u32, days: u64) -> Sensor {
        Sensor { patient, minute: 0, last: days * 1440, state: 77 + patient as u64, level: 100.0 }
    }

    fn noise(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    }
}

impl Iterator for Sensor {
    type Item = Reading;

    fn next(&mut self) -> Option<Reading> {
        if self.minute >= self.last {
            return None;
        }
        self.minute += 1;
        let meal = if matches!(self.minute % 1440, 450..=480 | 750..=790 | 1140..=1180) { 2.2 } else { 0.0 };
        self.level += meal + self.noise() * 4.0 + (100.0 - self.level) * 0.02;
        Some(Reading {
            patient: self.patient,
            minute: self.minute,
            value: self.level,
            temperature: 36.5 + self.noise(),
            battery: 100 - (self.minute * 100 / self.last) as u8,
        })
    }
}

/// The items of an iterator, each with those that came within some minutes before it.
struct Lookback<I: Iterator<Item = Reading>> {
    inner: I,
    minutes: u64,
    recent: VecDeque<Reading>,
}

struct Trend {
    reading: Reading,
    mean: f64,
    slope: f64,
}

impl<I: Iterator<Item = Reading>> Iterator for Lookback<I> {
    type Item = Trend;

    fn next(&mut self) -> Option<Trend> {
        let reading = self.inner.next()?;
        self.recent.push_back(reading); // guilty
        let from = reading.minute.saturating_sub(self.minutes);
        let window = self.recent.iter().rev().take_while(|r| r.minute >= from);
        let (n, sum, oldest) = window.fold((0.0, 0.0, reading), |(n, sum, _), r| (n + 1.0, sum + r.value, *r));
        let slope = (reading.value - oldest.value) / (reading.minute - oldest.minute).max(1) as f64;
        Some(Trend { reading, mean: sum / n, slope })
    }
}

trait Watched: Iterator<Item = Reading> + Sized {
    fn look_back(self, minutes: u64) -> Lookback<Self> {
        Lookback { inner: self, minutes, recent: VecDeque::new() }
    }
}

impl<I: Iterator<Item = Reading>> Watched for I {}

#[derive(Default)]
struct Day {
    readings: u32,
    sum: f64,
    highest: f64,
}

#[derive(Default)]
struct Ward {
    days: BTreeMap<(u32, u64), Day>,
    alarms: VecDeque<String>,
    all_alarms: usize,
}

impl Ward {
    fn note(&mut self, trend: &Trend) {
        let Reading { patient, minute, value, .. } = trend.reading;
        let day = self.days.entry((patient, minute / 1440)).or_default();
        day.readings += 1;
        day.sum += value;
        day.highest = day.highest.max(value);
        if trend.slope < -0.6 && trend.mean < 96.0 || value > 148.0 {
            self.alarm(format!("patient {patient} at minute {minute}: {value:.0}, {:+.1} per minute, {} % of battery", trend.slope, trend.reading.battery));
        }
    }

    fn alarm(&mut self, text: String) {
        self.all_alarms += 1;
        self.alarms.push_back(text);
        if self.alarms.len() > 300 {
            self.alarms.pop_front();
        }
    }

    fn worst_day(&self) -> Option<(&(u32, u64), f64)> {
        self.days.iter().map(|(key, day)| (key, day.sum / day.readings as f64)).max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn main() {
    let mut ward = Ward::default();
    let mut streams: Vec<_> = (0..30).map(|p| Sensor::new(p, 26).filter(|r| r.temperature > 36.05).look_back(30)).collect();
    let mut open = true;
    while open {
        open = false;
        for stream in &mut streams {
            if let Some(trend) = stream.next() {
                ward.note(&trend);
                open = true;
            }
        }
    }
    println!("{} days, {} alarms, the last: {}", ward.days.len(), ward.all_alarms, ward.alarms.back().map_or("none", |a| a));
    if let Some(((patient, day), mean)) = ward.worst_day() {
        println!("worst: patient {patient} on day {day} with a mean of {mean:.1}");
    }
}
