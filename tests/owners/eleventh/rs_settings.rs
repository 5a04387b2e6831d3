//! A settings service: applications read the newest version, and each change is checked and makes a new one.

use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    Number(i64),
    Flag(bool),
}

type Settings = BTreeMap<String, Value>;

struct Version {
    number: u64,
    author: String,
    settings: Arc<Settings>,
}

struct Change {
    author: String,
    key: String,
    value: Option<Value>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

struct Validator {
    prefixes: Vec<&'static str>,
}

impl Validator {
    fn check(&self, change: &Change) -> Result<(), String> {
        if !self.prefixes.iter().any(|p| change.key.starts_with(p)) {
            return Err(format!("{}: no such section", change.key));
        }
        match &change.value {
            Some(Value::Number(n)) if *n < 0 => Err(format!("{}: {} is negative", change.key, n)),
            Some(Value::Text(t)) if t.len() > 200 => Err(format!("{}: too long", change.key)),
            _ => Ok(()),
        }
    }
}

struct Store {
    validator: Validator,
    versions: Vec<Version>,
}

impl Store {
    fn new(first: Settings) -> Self {
        let validator = Validator { prefixes: vec!["http.", "db.", "mail.", "cache.", "feature."] };
        let settings = Arc::new(first);
        Store { validator, versions: vec![Version { number: 1, author: "setup".into(), settings }] }
    }

    fn current(&self) -> &Version {
        self.versions.last().unwrap()
    }

    fn apply(&mut self, change: Change) -> Result<u64, String> {
        self.validator.check(&change)?;
        let mut settings = Settings::clone(&self.current().settings); // guilty
        match change.value {
            Some(value) => settings.insert(change.key, value),
            None => settings.remove(&change.key),
        };
        let number = self.current().number + 1;
        self.versions.push(Version { number, author: change.author, settings: Arc::new(settings) });
        Ok(number)
    }

    fn differences(&self, from: u64, to: u64) -> Vec<String> {
        let (old, new) = (&self.versions[from as usize - 1], &self.versions[to as usize - 1]);
        let changed = new.settings.iter().filter(|(key, value)| old.settings.get(*key) != Some(value));
        changed.map(|(key, value)| format!("{} by {}: {:?}", key, new.author, value)).collect()
    }
}

struct Application {
    section: &'static str,
    seen: u64,
    cached: Vec<(String, Value)>,
}

impl Application {
    fn refresh(&mut self, version: &Version) {
        if self.seen != version.number {
            let own = version.settings.iter().filter(|(key, _)| key.starts_with(self.section));
            self.cached = own.map(|(key, value)| (key.clone(), value.clone())).collect();
            self.seen = version.number;
        }
    }
}

fn key(random: &mut Random) -> String {
    let sections = ["http.", "db.", "mail.", "cache.", "feature.", "ftp."];
    format!("{}option_{}", sections[random.below(6) as usize], random.below(120))
}

fn value(random: &mut Random) -> Value {
    match random.below(3) {
        0 => Value::Text(format!("value of the {}th kind, for all hosts", random.below(1000))),
        1 => Value::Number(random.below(5000) as i64 - 100),
        _ => Value::Flag(random.below(2) == 0),
    }
}

fn main() {
    let mut random = Random(5);
    let first = (0..250).map(|_| (key(&mut random), value(&mut random))).collect();
    let mut store = Store::new(first);
    let mut applications: Vec<Application> =
        ["http.", "db.", "mail.", "cache."].iter().map(|&section| Application { section, seen: 0, cached: Vec::new() }).collect();
    let (mut refused, mut shown) = (0, 0);
    for step in 0..1250u64 {
        let new = if random.below(6) == 0 { None } else { Some(value(&mut random)) };
        let change = Change { author: format!("admin{}", step % 7), key: key(&mut random), value: new };
        refused += store.apply(change).is_err() as u32;
        for application in &mut applications {
            application.refresh(store.current());
        }
        let now = store.current().number;
        shown += store.differences(now.saturating_sub(5).max(1), now).len();
    }
    let cached: usize = applications.iter().map(|a| a.cached.len()).sum();
    println!("version {}, {} refused, {} shown, {} cached", store.current().number, refused, shown, cached);
}
