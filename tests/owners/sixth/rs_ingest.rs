//! Takes measurements from threads, and gives sums by tag.
use std::collections::HashMap;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

type Tags = Vec<(String, String)>;

#[derive(Debug)]
struct Point {
    series: Arc<Series>,
    value: f64,
}

#[derive(Debug)]
struct Series {
    name: String,
    tags: Tags,
    sum: Mutex<(f64, u64)>,
}

#[derive(Default)]
struct Registry {
    known: RwLock<HashMap<String, Arc<Series>>>,
}

fn normalized(line: &str) -> Option<(String, Tags, f64)> {
    let (head, value) = line.rsplit_once(' ')?;
    let mut parts = head.split(',');
    let name = parts.next()?.trim().to_ascii_lowercase();
    let mut tags: Tags = parts.filter_map(|p| p.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    tags.sort();
    Some((name, tags, value.parse().ok()?))
}

fn key_of(name: &str, tags: &Tags) -> String {
    tags.iter().fold(name.to_owned(), |key, (k, v)| key + "," + k + "=" + v)
}

impl Registry {
    fn resolve(&self, name: &str, tags: &Tags) -> Arc<Series> {
        let key = key_of(name, tags);
        if let Some(s) = self.known.read().unwrap().get(&key) {
            return Arc::clone(s);
        }
        let mut known = self.known.write().unwrap();
        let series = Arc::new(Series { name: name.to_owned(), tags: tags.clone(), sum: Mutex::new((0.0, 0)) });
        Arc::clone(known.entry(key).or_insert(series)) // guilty
    }

    fn parse(&self, line: &str) -> Option<Point> {
        let (name, tags, value) = normalized(line)?;
        Some(Point { series: self.resolve(&name, &tags), value })
    }

    fn preload(&self, names: &[&str]) {
        for name in names {
            let series = self.resolve(name, &Tags::new());
            assert!(series.tags.is_empty());
        }
    }

    fn by(&self, tag: &str) -> HashMap<String, f64> {
        let mut sums = HashMap::new();
        for s in self.known.read().unwrap().values() {
            for (_, v) in s.tags.iter().filter(|(k, _)| k == tag) {
                *sums.entry(format!("{}/{v}", s.name)).or_insert(0.0) += s.sum.lock().unwrap().0;
            }
        }
        sums
    }
}

fn agent(id: usize, registry: Arc<Registry>, out: SyncSender<Vec<Point>>) -> thread::JoinHandle<usize> {
    thread::spawn(move || {
        let mut bad = 0;
        for batch in 0..300 {
            let mut points = Vec::with_capacity(250);
            for i in 0..250 {
                let n = (id * 300 + batch) * 250 + i;
                let line = match n % 3 {
                    0 => format!("Http.Requests,host=web{},path=/api/v1/users/{n}/profile,method=GET {}", n % 12, n % 90),
                    1 => format!("cpu.load,host=web{} {}", n % 12, n % 100),
                    _ => format!("disk.free,host=db{},mount=/var {}", n % 5, if n % 500 == 2 { "?" } else { "17.5" }),
                };
                match registry.parse(&line) {
                    Some(p) => points.push(p),
                    None => bad += 1,
                }
            }
            out.send(points).expect("the sink is gone");
        }
        bad
    })
}

fn sink(points: Receiver<Vec<Point>>) -> u64 {
    let mut seen = 0;
    for p in points.into_iter().flatten() {
        let mut sum = p.series.sum.lock().unwrap();
        sum.0 += p.value;
        sum.1 += 1;
        seen += 1;
    }
    seen
}

fn main() {
    let registry = Arc::new(Registry::default());
    registry.preload(&["cpu.load", "disk.free", "http.requests"]);
    let (out, points) = sync_channel(16);
    let agents: Vec<_> = (0..3).map(|id| agent(id, Arc::clone(&registry), out.clone())).collect();
    drop(out);
    let seen = sink(points);
    let bad: usize = agents.into_iter().map(|a| a.join().unwrap()).sum();
    println!("{seen} points, {bad} bad, {} sums", registry.by("host").len());
}
