// The back end of charging stations: handles the messages of each station, meters its sessions, and bills those that end.
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug)]
struct Sample {
    time: u64,
    watt_hours: u32,
    phases: [f32; 3],
    context: String,
}

enum Message {
    Start { station: String, card: String, time: u64 },
    Meter { session: u32, sample: Sample },
    Stop { session: u32, time: u64 },
    Heartbeat { station: String, time: u64 },
}

struct Session {
    station: String,
    card: String,
    started: u64,
    ended: Option<u64>,
    samples: Vec<Sample>,
}

struct Receipt {
    card: String,
    kilowatt_hours: f64,
    cents: u32,
}

#[derive(Default)]
struct Central {
    sessions: HashMap<u32, Session>,
    last_seen: BTreeMap<String, u64>,
    receipts: Vec<Receipt>,
    next: u32,
}

impl Central {
    fn handle(&mut self, message: Message) -> Option<u32> {
        match message {
            Message::Start { station, card, time } => Some(self.start(station, card, time)),
            Message::Meter { session, sample } => {
                self.meter(session, &sample);
                None
            }
            Message::Stop { session, time } => {
                self.stop(session, time);
                None
            }
            Message::Heartbeat { station, time } => {
                self.last_seen.insert(station, time);
                None
            }
        }
    }

    fn start(&mut self, station: String, card: String, time: u64) -> u32 {
        self.next += 1;
        let session = Session { station, card, started: time, ended: None, samples: Vec::new() };
        self.sessions.insert(self.next, session);
        self.next
    }

    fn meter(&mut self, id: u32, sample: &Sample) {
        if let Some(session) = self.sessions.get_mut(&id) {
            session.samples.push(sample.clone()); // guilty
        }
    }

    fn stop(&mut self, id: u32, time: u64) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        session.ended = Some(time);
        let used = match (session.samples.first(), session.samples.last()) {
            (Some(first), Some(last)) => last.watt_hours - first.watt_hours,
            _ => 0,
        };
        let receipt = price(&session.card, used, time - session.started);
        self.receipts.push(receipt);
        if self.receipts.len() > 2000 {
            self.send_receipts();
        }
    }

    fn send_receipts(&mut self) -> usize {
        let csv: String = self.receipts.iter().map(|r| format!("{};{:.3};{}\n", r.card, r.kilowatt_hours, r.cents)).collect();
        self.receipts.clear();
        csv.len()
    }

    fn busy(&self) -> Vec<&str> {
        let mut stations: Vec<&str> = self.sessions.values().filter(|s| s.ended.is_none()).map(|s| s.station.as_str()).collect();
        stations.sort_unstable();
        stations
    }
}

fn price(card: &str, watt_hours: u32, seconds: u64) -> Receipt {
    let kilowatt_hours = watt_hours as f64 / 1000.0;
    let blocked = seconds.saturating_sub(4 * 3600) / 60 * 10;
    Receipt { card: card.to_string(), kilowatt_hours, cents: (kilowatt_hours * 49.0) as u32 + blocked as u32 }
}

fn parse_sample(line: &str) -> Option<Sample> {
    let mut fields = line.split(',');
    let time = fields.next()?.parse().ok()?;
    let watt_hours = fields.next()?.parse().ok()?;
    let mut phases = [0.0; 3];
    for phase in phases.iter_mut() {
        *phase = fields.next()?.parse().ok()?;
    }
    Some(Sample { time, watt_hours, phases, context: fields.next()?.to_string() })
}

fn main() {
    let mut central = Central::default();
    let mut energy = 0u64;
    for n in 0..4000u64 {
        let station = format!("DE*ABC*E{:05}", n % 320);
        let start = Message::Start { station: station.clone(), card: format!("RFID-{:08X}", n * 2654435761 % 0xffffffff), time: n * 60 };
        let session = central.handle(start).unwrap();
        for k in 0..(60 + n % 70) {
            let line = format!("{},{},{:.1},{:.1},{:.1},Sample.Periodic", n * 60 + k * 30, k * 180, 16.0, 15.9, 15.8);
            if let Some(sample) = parse_sample(&line) {
                energy += sample.watt_hours as u64 + sample.time % 2 + sample.phases[0] as u64 % 2 + sample.context.len() as u64 % 2;
                central.handle(Message::Meter { session, sample });
            }
        }
        central.handle(Message::Heartbeat { station, time: n * 60 });
        central.handle(Message::Stop { session, time: n * 60 + 7200 });
    }
    println!("{} sessions, {} busy, {} stations, {}", central.sessions.len(), central.busy().len(), central.last_seen.len(), energy);
}
