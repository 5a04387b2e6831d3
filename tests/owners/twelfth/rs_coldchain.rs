// Watches fridges of vaccines: readings, excursions of temperature, and alarms for those on duty.
use std::collections::{BTreeMap, HashMap, VecDeque};

#[derive(Clone, Debug)]
struct Reading {
    minute: u32,
    celsius: f32,
    battery: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Kind {
    TooWarm,
    TooCold,
    Battery,
}

struct Alarm {
    fridge: u32,
    kind: Kind,
    text: String,
    before: Vec<Reading>,
    acknowledged: bool,
}

#[derive(Default)]
struct Alarms {
    all: Vec<Alarm>,
    open: VecDeque<usize>,
    by_kind: BTreeMap<Kind, usize>,
}

impl Alarms {
    fn raise(&mut self, fridge: &Fridge, kind: Kind) {
        let reading = fridge.recent.back().expect("an alarm follows a reading");
        let text = format!("{}: {:?} at {:.1} C, battery {} %", fridge.ward, kind, reading.celsius, reading.battery);
        let before = fridge.recent.iter().cloned().collect();
        self.open.push_back(self.all.len());
        self.all.push(Alarm { fridge: fridge.number, kind, text, before, acknowledged: false }); // guilty
        *self.by_kind.entry(kind).or_default() += 1;
    }

    fn acknowledge(&mut self, most: usize) -> Vec<String> {
        let mut said = Vec::new();
        for _ in 0..most {
            let Some(number) = self.open.pop_front() else { break };
            let alarm = &mut self.all[number];
            alarm.acknowledged = true;
            let warmest = alarm.before.iter().map(|r| r.celsius).fold(f32::MIN, f32::max);
            said.push(format!("fridge {} {} (up to {warmest:.1}, since minute {})", alarm.fridge, alarm.text, alarm.before[0].minute));
        }
        said
    }

    fn unanswered(&self, kind: Kind) -> usize {
        self.all.iter().filter(|a| a.kind == kind && !a.acknowledged).count()
    }
}

struct Fridge {
    number: u32,
    ward: String,
    recent: VecDeque<Reading>,
    quiet_until: HashMap<Kind, u32>,
    minutes_out: u32,
}

impl Fridge {
    fn new(number: u32) -> Fridge {
        let ward = ["paediatrics", "surgery", "pharmacy", "outpatients"][number as usize % 4];
        Fridge { number, ward: format!("{ward} {}", number / 4), recent: VecDeque::new(), quiet_until: HashMap::new(), minutes_out: 0 }
    }

    fn note(&mut self, reading: Reading) {
        if self.recent.len() == 90 {
            self.recent.pop_front();
        }
        self.recent.push_back(reading);
    }

    /// What is wrong and was not said within the last quarter of an hour.
    fn troubles(&mut self) -> Vec<Kind> {
        let Some(last) = self.recent.back().cloned() else { return Vec::new() };
        let tail: Vec<f32> = self.recent.iter().rev().take(5).map(|r| r.celsius).collect();
        let mean = tail.iter().sum::<f32>() / tail.len() as f32;
        let mut found = Vec::new();
        if mean > 8.0 {
            found.push(Kind::TooWarm);
        }
        if mean < 2.0 {
            found.push(Kind::TooCold);
        }
        if last.battery < 10 {
            found.push(Kind::Battery);
        }
        self.minutes_out += u32::from(mean > 8.0 || mean < 2.0);
        found.retain(|kind| self.quiet_until.get(kind).map_or(true, |until| last.minute >= *until));
        for kind in &found {
            self.quiet_until.insert(*kind, last.minute + 15);
        }
        found
    }
}

struct Sensors {
    state: u64,
}

impl Sensors {
    fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1);
        (self.state >> 40) % n
    }

    fn read(&mut self, fridge: u32, minute: u32) -> Reading {
        let wave = ((minute as f32 / 700.0 + fridge as f32).sin() * 3.2) + 5.0;
        let door = if self.below(40) == 0 { 4.0 } else { 0.0 };
        let noise = self.below(100) as f32 / 100.0;
        Reading { minute, celsius: wave + door + noise, battery: 100 - ((minute / 40 + fridge * 7) % 98) as u8 }
    }
}

struct Watch {
    fridges: Vec<Fridge>,
    alarms: Alarms,
    sensors: Sensors,
    letters: usize,
}

impl Watch {
    fn new(fridges: u32) -> Watch {
        Watch { fridges: (0..fridges).map(Fridge::new).collect(), alarms: Alarms::default(), sensors: Sensors { state: 11 }, letters: 0 }
    }

    fn minute(&mut self, minute: u32) {
        for fridge in &mut self.fridges {
            fridge.note(self.sensors.read(fridge.number, minute));
            for kind in fridge.troubles() {
                self.alarms.raise(fridge, kind);
            }
        }
        if minute % 3 == 0 {
            self.letters += self.alarms.acknowledge(4).iter().map(String::len).sum::<usize>();
        }
    }

    fn worst(&self) -> Option<(&str, u32)> {
        self.fridges.iter().map(|f| (f.ward.as_str(), f.minutes_out)).max_by_key(|w| w.1)
    }
}

fn main() {
    let mut watch = Watch::new(48);
    for minute in 0..14000 {
        watch.minute(minute);
    }
    let open = watch.alarms.unanswered(Kind::TooWarm) + watch.alarms.unanswered(Kind::TooCold);
    println!("{:?}, {} letters said, {} unanswered, worst {:?}", watch.alarms.by_kind, watch.letters, open, watch.worst());
}
