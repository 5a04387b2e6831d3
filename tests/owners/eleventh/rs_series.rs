//! A server for measurements: each set of labels is a series with its points of the last minutes.

use std::collections::{HashMap, VecDeque};

const KEEP: usize = 8;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Label {
    name: String,
    value: String,
}

#[derive(Clone, Copy)]
struct Point {
    time: u64,
    value: f64,
}

struct Series {
    labels: Vec<Label>,
    points: VecDeque<Point>,
}

#[derive(Default)]
struct Head {
    series: Vec<Series>,
    by_labels: HashMap<String, usize>,
    postings: HashMap<Label, Vec<usize>>,
}

struct Line {
    labels: Vec<Label>,
    point: Point,
}

fn parse(text: &str, time: u64) -> Option<Line> {
    let (name, rest) = text.split_once('{')?;
    let (inside, value) = rest.split_once("} ")?;
    let mut labels = vec![Label { name: "__name__".into(), value: name.into() }];
    for pair in inside.split(',') {
        let (name, value) = pair.split_once('=')?;
        labels.push(Label { name: name.into(), value: value.trim_matches('"').into() });
    }
    labels.sort();
    Some(Line { labels, point: Point { time, value: value.parse().ok()? } })
}

fn fingerprint(labels: &[Label]) -> String {
    let mut key = String::new();
    for label in labels {
        key.push_str(&label.name);
        key.push('\u{1}');
        key.push_str(&label.value);
        key.push('\u{2}');
    }
    key
}

impl Head {
    fn series_for(&mut self, labels: Vec<Label>) -> usize {
        let key = fingerprint(&labels);
        if let Some(&id) = self.by_labels.get(&key) {
            return id;
        }
        let id = self.series.len();
        for label in labels.iter().filter(|l| l.name == "__name__" || l.name == "service") {
            self.postings.entry(label.clone()).or_default().push(id);
        }
        self.series.push(Series { labels, points: VecDeque::with_capacity(KEEP) }); // guilty
        self.by_labels.insert(key, id);
        id
    }

    fn append(&mut self, line: Line) {
        let id = self.series_for(line.labels);
        let points = &mut self.series[id].points;
        if points.len() == KEEP {
            points.pop_front();
        }
        points.push_back(line.point);
    }

    fn rate(&self, service: &str, since: u64) -> f64 {
        let label = Label { name: "service".into(), value: service.into() };
        let Some(ids) = self.postings.get(&label) else { return 0.0 };
        let mut sum = 0.0;
        for &id in ids.iter().rev().take(500) {
            let recent = self.series[id].points.iter().filter(|p| p.time >= since);
            sum += recent.map(|p| p.value).sum::<f64>();
        }
        sum
    }

    fn busiest_path(&self) -> usize {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for series in self.series.iter().rev().take(2000) {
            for label in series.labels.iter().filter(|l| l.name == "path") {
                *counts.entry(label.value.as_str()).or_default() += series.points.len();
            }
        }
        counts.values().copied().max().unwrap_or(0)
    }
}

struct Scrape {
    state: u64,
}

impl Scrape {
    fn below(&mut self, limit: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % limit
    }

    fn text(&mut self) -> String {
        let service = ["cart", "search", "login"][self.below(3) as usize];
        let path = match self.below(4) {
            0 => "/".to_string(),
            1 => "/health".to_string(),
            _ => format!("/articles/{}", self.below(2_000_000)),
        };
        let seconds = self.below(900) as f64 / 1000.0;
        format!("http_seconds{{service=\"{service}\",path=\"{path}\",code=\"200\"}} {seconds}")
    }
}

fn main() {
    let mut head = Head::default();
    let mut scrape = Scrape { state: 77 };
    let (mut bad, mut total, mut busiest) = (0, 0.0, 0);
    for tick in 0..90_000u64 {
        match parse(&scrape.text(), tick / 100) {
            Some(line) => head.append(line),
            None => bad += 1,
        }
        if tick % 500 == 0 {
            total += head.rate("cart", (tick / 100).saturating_sub(60));
            busiest = head.busiest_path();
        }
    }
    println!("{} series, {} bad lines, {:.1} s, {}", head.series.len(), bad, total, busiest);
}
