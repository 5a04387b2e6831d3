// A linter for a small configuration language: reads files into tokens, interns identifiers, and reports names that are not used.
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Symbol(u32);

#[derive(Default)]
struct Interner {
    ids: HashMap<Rc<str>, Symbol>,
    names: Vec<Rc<str>>,
}

impl Interner {
    fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.ids.get(text) {
            return symbol;
        }
        let name: Rc<str> = Rc::from(text); // guilty
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.clone());
        self.ids.insert(name, symbol);
        symbol
    }

    fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}

enum Token {
    Name(Symbol),
    Text(Symbol),
    Number(f64),
    Punctuation(char),
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn new(source: &'a str) -> Self {
        Lexer { source, at: 0 }
    }

    fn take_while(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.source[self.at..];
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn tokens(&mut self, interner: &mut Interner) -> Vec<Token> {
        let mut tokens = Vec::new();
        loop {
            self.take_while(char::is_whitespace);
            let Some(c) = self.source[self.at..].chars().next() else { return tokens };
            if c.is_alphabetic() {
                let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
                tokens.push(Token::Name(interner.intern(name)));
            } else if c.is_ascii_digit() {
                tokens.push(Token::Number(self.take_while(|c| c.is_ascii_digit() || c == '.').parse().unwrap_or(0.0)));
            } else if c == '"' {
                self.at += 1;
                let text = self.take_while(|c| c != '"');
                self.at += 1;
                tokens.push(Token::Text(interner.intern(text)));
            } else {
                self.at += c.len_utf8();
                tokens.push(Token::Punctuation(c));
            }
        }
    }
}

struct Warning {
    file: String,
    message: String,
}

struct Linter {
    interner: Interner,
    warnings: Vec<Warning>,
    numbers: f64,
}

impl Linter {
    fn lint(&mut self, file: &str, source: &str) {
        let tokens = Lexer::new(source).tokens(&mut self.interner);
        let mut set = Vec::new();
        let mut used = HashSet::new();
        for pair in tokens.windows(2) {
            match (&pair[0], &pair[1]) {
                (Token::Name(name), Token::Punctuation('=')) => set.push(*name),
                (Token::Punctuation('$'), Token::Name(name)) => drop(used.insert(*name)),
                (_, Token::Number(value)) => self.numbers += value,
                (_, Token::Text(text)) if self.interner.name(*text).is_empty() => self.warn(file, "empty text".to_string()),
                _ => {}
            }
        }
        for name in set.into_iter().filter(|name| !used.contains(name)).take(1) {
            let message = format!("{} is never used", self.interner.name(name));
            self.warn(file, message);
        }
    }

    fn warn(&mut self, file: &str, message: String) {
        if self.warnings.len() < 500 {
            self.warnings.push(Warning { file: file.to_string(), message });
        }
    }
}

fn read_file(number: u32) -> String {
    let mut text = String::new();
    for line in 0..60 {
        let id = number * 60 + line;
        text += &format!("listen_{} = {} \"upstream of host-{id}.cluster.internal.example.org in rack {}\" $listen_{}\n", line, id % 900, id % 40, line / 2);
        if line % 6 == 0 {
            text += &format!("secret_{line} = \"{:016x}{:016x}\"\n", id as u64 * 0x9e3779b97f4a7c15, id as u64 * 0xc2b2ae3d27d4eb4f);
        }
    }
    text
}

fn main() {
    let mut linter = Linter { interner: Interner::default(), warnings: Vec::new(), numbers: 0.0 };
    for number in 0..4500 {
        linter.lint(&format!("conf.d/{number}.conf"), &read_file(number));
    }
    let first = &linter.warnings[0];
    println!("{}: {} ({} warnings, {} names, {})", first.file, first.message, linter.warnings.len(), linter.interner.names.len(), linter.numbers);
}
