//! Walks a made-up tree of files by rules of what is ignored, as a tool for backups does.
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Star,
    Any,
}

#[derive(Debug)]
struct Pattern {
    parts: Vec<Part>,
    negated: bool,
}

impl Pattern {
    fn parse(line: &str) -> Pattern {
        let (negated, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let mut parts = Vec::new();
        let mut text = String::new();
        for c in line.chars() {
            let part = match c {
                '*' => Part::Star,
                '?' => Part::Any,
                _ => {
                    text.push(c);
                    continue;
                }
            };
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(part);
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        Pattern { parts, negated }
    }

    fn is_match(&self, name: &str) -> bool {
        fn go(parts: &[Part], name: &str) -> bool {
            match parts {
                [] => name.is_empty(),
                [Part::Text(t), rest @ ..] => name.strip_prefix(t.as_str()).is_some_and(|n| go(rest, n)),
                [Part::Any, rest @ ..] => name.get(1..).is_some_and(|n| go(rest, n)),
                [Part::Star, rest @ ..] => (0..=name.len()).any(|i| go(rest, &name[i..])),
            }
        }
        go(&self.parts, name)
    }
}

/// The rules of a folder, and those of the folders above.
struct Rules {
    own: Vec<Pattern>,
    above: Option<Rc<Rules>>,
}

impl Rules {
    fn is_ignored(&self, name: &str) -> bool {
        match self.own.iter().rev().find(|p| p.is_match(name)) {
            Some(p) => !p.negated,
            None => self.above.as_ref().is_some_and(|a| a.is_ignored(name)),
        }
    }
}

struct Walker {
    compiled: HashMap<String, Rc<Rules>>,
    files: u64,
    ignored: u64,
}

impl Walker {
    fn rules_of(&mut self, path: &str, text: &str, above: Option<&Rc<Rules>>) -> Rc<Rules> {
        if let Some(rules) = self.compiled.get(path) {
            return Rc::clone(rules);
        }
        let own = text.lines().filter(|l| !l.starts_with('#')).map(Pattern::parse).collect(); // guilty
        let rules = Rc::new(Rules { own, above: above.cloned() });
        self.compiled.insert(path.to_owned(), Rc::clone(&rules));
        rules
    }

    fn walk(&mut self, path: &mut String, depth: u32, above: Option<&Rc<Rules>>) {
        let text = ignore_file(path.len() as u32 + depth);
        let rules = self.rules_of(path, &text, above);
        for i in 0..9u32 {
            let name = format!("{}{i}.{}", ["core", "main", "build"][i as usize % 3], ["rs", "o", "tmp"][(i + depth) as usize % 3]);
            match rules.is_ignored(&name) {
                true => self.ignored += 1,
                false => self.files += 1,
            }
        }
        if depth == 0 {
            return;
        }
        for i in 0..11 {
            let length = path.len();
            path.push_str(&format!("/folder{i}"));
            self.walk(path, depth - 1, Some(&rules));
            path.truncate(length);
        }
    }
}

fn ignore_file(seed: u32) -> String {
    let mut text = String::from("# what is made again\n");
    for (i, end) in ["o", "tmp", "log", "pyc", "swp", "bak", "class"].iter().enumerate() {
        text.push_str(&format!("*{}.{end}\n", if (seed as usize + i) % 5 == 0 { "core?" } else { "" }));
    }
    text.push_str("!core1.tmp\n");
    text
}

fn main() {
    let mut walker = Walker { compiled: HashMap::new(), files: 0, ignored: 0 };
    for host in 0..3 {
        walker.walk(&mut format!("/srv/host{host}"), 4, None);
    }
    println!("{} files, {} ignored", walker.files, walker.ignored);
}
