// Full text search over a folder of changing notes; edited notes are indexed again.
use std::collections::{HashMap, HashSet};
use std::thread::sleep;
use std::time::Duration;

struct Words {
    seed: u64,
}

impl Words {
    fn pick(&mut self, n: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) % n
    }

    fn note(&mut self, words: usize) -> String {
        let mut s = String::new();
        for _ in 0..words {
            let skew = self.pick(60) * self.pick(60);
            s.push_str(&format!("word{} ", skew));
        }
        s
    }
}

#[derive(Clone)]
struct Posting {
    doc: u32,
    version: u32,
    position: u32,
}

#[derive(Default)]
struct Index {
    terms: HashMap<String, Vec<Posting>>,
    versions: HashMap<u32, u32>,
}

impl Index {
    fn update(&mut self, doc: u32, text: &str) {
        let version = self.versions.entry(doc).or_insert(0);
        *version += 1;
        let version = *version;
        for (position, word) in tokens(text).into_iter().enumerate() {
            self.terms.entry(word).or_default().push(Posting { // guilty
                doc,
                version,
                position: position as u32,
            });
        }
    }

    fn search(&self, word: &str) -> HashSet<u32> {
        let mut out = HashSet::new();
        if let Some(list) = self.terms.get(word) {
            for p in list {
                if self.versions.get(&p.doc) == Some(&p.version) {
                    out.insert(p.doc);
                }
            }
        }
        out
    }

    fn phrase(&self, a: &str, b: &str) -> usize {
        let (Some(x), Some(y)) = (self.terms.get(a), self.terms.get(b)) else {
            return 0;
        };
        let firsts: HashSet<(u32, u32)> = x
            .iter()
            .rev()
            .take(500)
            .map(|p| (p.doc, p.position + 1))
            .collect();
        y.iter().rev().take(500).filter(|p| firsts.contains(&(p.doc, p.position))).count()
    }
}

fn tokens(text: &str) -> Vec<String> {
    text.split_whitespace().map(|w| w.trim_matches(',').to_lowercase()).collect()
}

struct Folder {
    notes: Vec<String>,
}

impl Folder {
    fn edit(&mut self, i: usize, words: &mut Words) -> &str {
        let extra = words.note(12);
        let n = &mut self.notes[i];
        n.push_str(&extra);
        if n.len() > 2600 {
            n.drain(..600);
        }
        n
    }
}

fn main() {
    let mut words = Words { seed: 7 };
    let mut folder = Folder { notes: (0..150).map(|_| String::new()).collect() };
    let mut index = Index::default();
    for i in 0..folder.notes.len() {
        folder.notes[i] = words.note(200);
        index.update(i as u32, &folder.notes[i]);
    }
    let mut found = 0;
    let mut phrases = 0;
    for round in 0..14000u64 {
        let i = words.pick(150) as usize;
        let text = folder.edit(i, &mut words);
        index.update(i as u32, text);
        if round % 70 == 0 {
            found += index.search(&format!("word{}", words.pick(900))).len();
            phrases += index.phrase("word12", "word24");
            sleep(Duration::from_millis(8));
        }
    }
    println!("found {} phrases {}", found, phrases);
    sleep(Duration::from_millis(200));
}
