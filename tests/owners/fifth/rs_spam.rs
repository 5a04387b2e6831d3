// Learns what is spam from mails, and says of others whether they are. No libraries.
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Spam,
    Ham,
}

#[derive(Default)]
struct Counts {
    spam: u32,
    ham: u32,
}

struct Mail {
    from: String,
    subject: String,
    body: String,
}

#[derive(Default)]
struct Filter {
    words: HashMap<String, Counts>,
    pairs: HashMap<(String, String), Counts>,
    senders: HashSet<String>,
    mails: BTreeMap<u64, Kind>,
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '$').filter(|w| w.len() > 1)
}

impl Filter {
    fn train(&mut self, id: u64, mail: &Mail, kind: Kind) {
        self.mails.insert(id, kind);
        if kind == Kind::Ham {
            self.senders.insert(mail.from.clone());
        }
        for word in words(&mail.subject).chain(words(&mail.body)) {
            let counts = self.words.entry(word.to_lowercase()).or_default();
            match kind {
                Kind::Spam => counts.spam += 1,
                Kind::Ham => counts.ham += 1,
            }
        }
        self.train_pairs(mail, kind);
    }

    /// Pairs of words say more than words. Most are seen once, and never dropped.
    fn train_pairs(&mut self, mail: &Mail, kind: Kind) {
        let all: Vec<&str> = words(&mail.body).collect();
        for pair in all.windows(2) {
            let counts = self.pairs.entry((pair[0].to_lowercase(), pair[1].to_lowercase())).or_default(); // guilty
            match kind {
                Kind::Spam => counts.spam += 1,
                Kind::Ham => counts.ham += 1,
            }
        }
    }

    fn score(&self, mail: &Mail) -> f64 {
        if self.senders.contains(&mail.from) {
            return 0.0;
        }
        let mut log = 0.0;
        for word in words(&mail.body) {
            if let Some(c) = self.words.get(&word.to_lowercase()) {
                log += ((c.spam as f64 + 1.0) / (c.ham as f64 + 1.0)).ln();
            }
        }
        let all: Vec<String> = words(&mail.body).map(str::to_lowercase).collect();
        for pair in all.windows(2) {
            if let Some(c) = self.pairs.get(&(pair[0].clone(), pair[1].clone())) {
                log += 2.0 * ((c.spam as f64 + 1.0) / (c.ham as f64 + 1.0)).ln();
            }
        }
        log
    }
}

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

fn make_mail(rng: &mut Rng, kind: Kind) -> Mail {
    const SPAM: [&str; 8] = ["Winner", "cheap", "offer", "$1000", "click", "now", "loan", "free"];
    const HAM: [&str; 8] = ["meeting", "report", "Tuesday", "attached", "thanks", "review", "draft", "lunch"];
    let list = if kind == Kind::Spam { &SPAM } else { &HAM };
    let mut body = String::new();
    for _ in 0..60 {
        if rng.below(4) == 0 {
            body.push_str(list[rng.below(8) as usize]);
        } else {
            body.push_str(&format!("word{}", rng.below(1500)));
        }
        body.push(' ');
    }
    Mail { from: format!("user{}@example.org", rng.below(3000)), subject: format!("Re: {}", list[rng.below(8) as usize]), body }
}

fn main() {
    let mut filter = Filter::default();
    let mut rng = Rng(42);
    for id in 0..4600 {
        let kind = if id % 3 == 0 { Kind::Spam } else { Kind::Ham };
        let mail = make_mail(&mut rng, kind);
        filter.train(id, &mail, kind);
    }
    let (mut right, mut all) = (0, 0);
    for id in 0..400 {
        let kind = if id % 2 == 0 { Kind::Spam } else { Kind::Ham };
        let score = filter.score(&make_mail(&mut rng, kind));
        all += 1;
        right += ((score > 0.0) == (kind == Kind::Spam)) as u32;
    }
    println!("{right} of {all} right, {} words, {} mails", filter.words.len(), filter.mails.len());
}
