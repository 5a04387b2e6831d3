// Checks orders that are dictated in sentences, with a grammar and an Earley parser, and explains mistakes.
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, PartialEq)]
enum Symbol {
    Rule(usize),
    Word(&'static str),
    Number,
}

struct Grammar {
    names: Vec<&'static str>,
    rules: Vec<(usize, Vec<Symbol>)>,
    by_name: HashMap<usize, Vec<usize>>,
}

impl Grammar {
    fn read(text: &'static str) -> Grammar {
        let mut names: Vec<&'static str> = Vec::new();
        for line in text.lines() {
            let name = line.split_whitespace().next().unwrap();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut rules = Vec::new();
        let mut by_name: HashMap<usize, Vec<usize>> = HashMap::new();
        for line in text.lines() {
            let mut parts = line.split_whitespace();
            let head = names.iter().position(|n| Some(*n) == parts.clone().next()).unwrap();
            let body = parts.by_ref().skip(2).map(|word| match names.iter().position(|n| *n == word) {
                Some(rule) => Symbol::Rule(rule),
                None if word == "#" => Symbol::Number,
                None => Symbol::Word(word),
            });
            by_name.entry(head).or_default().push(rules.len());
            rules.push((head, body.collect()));
        }
        Grammar { names, rules, by_name }
    }
}

#[derive(Clone, Copy, PartialEq)]
struct Item {
    rule: usize,
    dot: usize,
    start: usize,
}

#[derive(Default)]
struct Chart {
    sets: Vec<Vec<Item>>,
}

impl Chart {
    fn add(&mut self, at: usize, item: Item) {
        while self.sets.len() <= at {
            self.sets.push(Vec::new());
        }
        if !self.sets[at].contains(&item) {
            self.sets[at].push(item);
        }
    }
}

fn matches(symbol: &Symbol, word: &str) -> bool {
    match symbol {
        Symbol::Word(w) => *w == word,
        Symbol::Number => word.bytes().all(|b| b.is_ascii_digit()),
        Symbol::Rule(_) => false,
    }
}

fn parse(grammar: &Grammar, words: &[&str]) -> Chart {
    let mut chart = Chart::default();
    for &rule in &grammar.by_name[&0] {
        chart.add(0, Item { rule, dot: 0, start: 0 });
    }
    for at in 0..=words.len() {
        let mut next = 0;
        while next < chart.sets.get(at).map_or(0, Vec::len) {
            let item = chart.sets[at][next];
            next += 1;
            let (head, body) = &grammar.rules[item.rule];
            match body.get(item.dot) {
                Some(Symbol::Rule(name)) => {
                    for &rule in &grammar.by_name[name] {
                        chart.add(at, Item { rule, dot: 0, start: at });
                    }
                }
                Some(symbol) => {
                    if at < words.len() && matches(symbol, words[at]) {
                        chart.add(at + 1, Item { dot: item.dot + 1, ..item });
                    }
                }
                None => {
                    let waiting: Vec<Item> = chart.sets[item.start].iter().copied().collect();
                    for w in waiting {
                        if grammar.rules[w.rule].1.get(w.dot) == Some(&Symbol::Rule(*head)) {
                            chart.add(at, Item { dot: w.dot + 1, ..w });
                        }
                    }
                }
            }
        }
    }
    chart
}

struct Session {
    grammar: Rc<Grammar>,
    checked: Vec<(String, Chart)>,
    accepted: usize,
}

impl Session {
    fn check(&mut self, sentence: String) -> bool {
        let words: Vec<&str> = sentence.split(' ').collect();
        let chart = parse(&self.grammar, &words);
        let complete = |i: &Item| i.start == 0 && self.grammar.rules[i.rule].0 == 0 && i.dot == self.grammar.rules[i.rule].1.len();
        let good = chart.sets.len() == words.len() + 1 && chart.sets[words.len()].iter().any(complete);
        self.accepted += usize::from(good);
        self.checked.push((sentence, chart)); // guilty
        good
    }

    /// What could have stood where the last sentence went wrong.
    fn explain(&self) -> Option<String> {
        let (sentence, chart) = self.checked.last()?;
        let expected = chart.sets.last()?.iter().filter_map(|i| match self.grammar.rules[i.rule].1.get(i.dot)? {
            Symbol::Word(w) => Some(w.to_string()),
            Symbol::Number => Some("a number".to_string()),
            Symbol::Rule(name) => Some(format!("<{}>", self.grammar.names[*name])),
        });
        let word = sentence.split(' ').nth(chart.sets.len() - 1).unwrap_or("the end");
        Some(format!("not {word}, but {}", expected.collect::<Vec<_>>().join(" or ")))
    }
}

const ORDERS: &str = "order = request list
order = request list address
request = please send
request = send
list = entry
list = list and entry
entry = # goods
entry = # sort goods
sort = sort sort
sort = red
sort = large
sort = cheap
goods = pipes
goods = screws
goods = boxes of goods
address = to hall #
address = to the yard";

fn dictate(seed: &mut u32) -> String {
    let mut below = |n: u32| {
        *seed = seed.wrapping_mul(1103515245).wrapping_add(12345);
        (*seed >> 16) % n
    };
    let mut text = String::from(if below(2) == 0 { "please send" } else { "send" });
    for i in 0..2 + below(5) {
        text += &format!("{} {}", if i > 0 { " and" } else { "" }, 1 + below(90));
        (0..below(4)).for_each(|k| text += [" red", " large", " cheap", " red"][k as usize]);
        text += [" pipes", " screws", " boxes of pipes", " boxes of", " screws"][below(5) as usize];
    }
    text + ["", " to hall 4", " to the yard", " to hall"][below(4) as usize]
}

fn main() {
    let mut session = Session { grammar: Rc::new(Grammar::read(ORDERS)), checked: Vec::new(), accepted: 0 };
    let (mut seed, mut letters) = (5, 0);
    for _ in 0..4500 {
        let sentence = dictate(&mut seed).replace("  ", " ");
        if !session.check(sentence) {
            letters += session.explain().map_or(0, |text| text.len());
        }
    }
    println!("{} of {} accepted, {} letters of explanations", session.accepted, session.checked.len(), letters);
}
