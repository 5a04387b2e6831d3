// helpsearch - full-text search over help articles, which editors change all the time.
use std::collections::{HashMap, HashSet};
use std::thread::sleep;
use std::time::Duration;

#[derive(Clone)]
struct Article {
    id: u32,
    revision: u32,
    title: String,
    body: String,
}

#[derive(Clone)]
struct Posting {
    doc: u32,
    revision: u32,
    positions: Vec<u32>,
}

#[derive(Default)]
struct Index {
    terms: HashMap<String, Vec<Posting>>,
    current: HashMap<u32, u32>,
}

fn normalise(word: &str) -> String {
    let w: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    let w = w.to_lowercase();
    w.strip_suffix("ing").map(str::to_string).unwrap_or(w)
}

fn positions_by_term(text: &str) -> HashMap<String, Vec<u32>> {
    let mut out: HashMap<String, Vec<u32>> = HashMap::new();
    for (i, w) in text.split_whitespace().enumerate() {
        let t = normalise(w);
        if t.len() > 2 {
            out.entry(t).or_default().push(i as u32);
        }
    }
    out
}

impl Index {
    fn update(&mut self, a: &Article) {
        let text = format!("{} {}", a.title, a.body);
        for (term, positions) in positions_by_term(&text) {
            let list = self.terms.entry(term).or_default();
            list.push(Posting { doc: a.id, revision: a.revision, positions }); // guilty
        }
        self.current.insert(a.id, a.revision);
    }

    fn search(&self, query: &str, limit: usize) -> Vec<(u32, usize)> {
        let mut score: HashMap<u32, usize> = HashMap::new();
        for w in query.split(' ') {
            let Some(list) = self.terms.get(&normalise(w)) else { continue };
            for p in list.iter().rev().take(200) {
                if self.current.get(&p.doc) == Some(&p.revision) {
                    *score.entry(p.doc).or_default() += p.positions.len();
                }
            }
        }
        let mut hits: Vec<_> = score.into_iter().collect();
        hits.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        hits.truncate(limit);
        hits
    }
}

struct Editors {
    seed: u64,
    articles: Vec<Article>,
}

impl Editors {
    fn new(n: u32) -> Self {
        let articles = (0..n)
            .map(|id| Article { id, revision: 0, title: format!("Help topic {id}"), body: String::new() })
            .collect();
        Editors { seed: 1, articles }
    }

    fn roll(&mut self) -> u64 {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.seed >> 33
    }

    fn save(&mut self) -> Article {
        let k = self.roll() as usize % self.articles.len();
        let words = 80 + self.roll() as usize % 120;
        let mut body = String::new();
        for _ in 0..words {
            let w = self.roll() % 4000;
            body.push_str(&format!("word{w} "));
        }
        let a = &mut self.articles[k];
        a.revision += 1;
        a.body = body;
        a.clone()
    }
}

fn snippet(a: &Article, query: &str) -> String {
    let words: HashSet<&str> = query.split(' ').collect();
    a.body
        .split(' ')
        .map(|w| if words.contains(w) { format!("<b>{w}</b>") } else { w.to_string() })
        .take(30)
        .collect::<Vec<_>>()
        .join(" ")
}

fn main() {
    let mut editors = Editors::new(300);
    let mut index = Index::default();
    let (mut found, mut shown) = (0usize, 0usize);
    for n in 0..6000u32 {
        let a = editors.save();
        index.update(&a);
        if n % 3 == 0 {
            let q = format!("word{} word{}", n % 4000, (n * 7) % 4000);
            for (doc, _) in index.search(&q, 5) {
                found += 1;
                shown += snippet(&editors.articles[doc as usize], &q).len();
            }
        }
        if n % 20 == 0 {
            sleep(Duration::from_millis(8));
        }
    }
    println!("{} terms, {found} hits, {shown} bytes shown", index.terms.len());
}
