// Receives telemetry from vehicles on one thread, stores aggregates on another.
use std::collections::HashMap;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;
use std::time::Duration;

#[derive(Clone)]
struct Reading {
    vehicle: u32,
    speed: f32,
    rpm: f32,
    trail: Vec<(f32, f32)>,
}

#[derive(Default)]
struct Totals {
    count: u64,
    speed: f64,
    max_rpm: f32,
    distance: f64,
}

struct Radio {
    state: u32,
}

impl Radio {
    fn bits(&mut self) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        self.state
    }

    fn packet(&mut self) -> Vec<u8> {
        let n = 20 + self.bits() as usize % 60;
        let mut p = Vec::with_capacity(12 + n * 4);
        p.extend_from_slice(&(self.bits() % 400).to_le_bytes());
        p.extend_from_slice(&(self.bits() % 14000).to_le_bytes());
        p.extend_from_slice(&(self.bits() % 700).to_le_bytes());
        for _ in 0..n {
            p.extend_from_slice(&self.bits().to_le_bytes());
        }
        p
    }
}

fn word(p: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([p[at], p[at + 1], p[at + 2], p[at + 3]])
}

fn decode(p: &[u8]) -> Reading {
    let trail = p[12..]
        .chunks_exact(4)
        .map(|c| ((c[0] as f32) / 7.0 + c[1] as f32, (c[2] as f32) / 7.0 + c[3] as f32))
        .collect();
    Reading {
        vehicle: word(p, 0),
        rpm: word(p, 4) as f32 / 2.0,
        speed: word(p, 8) as f32 / 4.0,
        trail,
    }
}

fn receive(tx: Sender<Reading>, packets: u32) {
    let mut radio = Radio { state: 0xBEEF };
    let mut bad = 0;
    for i in 0..packets {
        let p = radio.packet();
        if p[11] != 0 {
            bad += 1;
            continue;
        }
        if tx.send(decode(&p)).is_err() { // guilty
            break;
        }
        if i % 1000 == 0 {
            thread::sleep(Duration::from_millis(14));
        }
    }
    println!("receiver done, {} bad", bad);
}

fn distance(trail: &[(f32, f32)]) -> f64 {
    trail
        .windows(2)
        .map(|w| (((w[1].0 - w[0].0).powi(2) + (w[1].1 - w[0].1).powi(2)) as f64).sqrt())
        .sum()
}

fn apply(totals: &mut HashMap<u32, Totals>, r: &Reading) {
    let t = totals.entry(r.vehicle).or_default();
    t.count += 1;
    t.speed += r.speed as f64;
    t.max_rpm = t.max_rpm.max(r.rpm);
    t.distance += distance(&r.trail);
}

fn store(rx: Receiver<Reading>, rounds: u32) -> HashMap<u32, Totals> {
    let mut totals = HashMap::new();
    let mut batch = Vec::new();
    for _ in 0..rounds {
        while batch.len() < 200 {
            match rx.try_recv() {
                Ok(r) => batch.push(r),
                Err(_) => break,
            }
        }
        for r in batch.drain(..) {
            apply(&mut totals, &r);
        }
        thread::sleep(Duration::from_millis(10));
    }
    totals
}

fn main() {
    let (tx, rx) = channel();
    let receiver = thread::spawn(move || receive(tx, 160_000));
    let totals = store(rx, 240);
    let count: u64 = totals.values().map(|t| t.count).sum();
    let km: f64 = totals.values().map(|t| t.distance).sum();
    let top = totals.values().map(|t| t.max_rpm).fold(0.0, f32::max);
    let avg: f64 = totals.values().map(|t| t.speed).sum::<f64>() / count.max(1) as f64;
    receiver.join().unwrap();
    println!("{} readings {:.1} km top {} avg {:.1}", count, km, top, avg);
}
