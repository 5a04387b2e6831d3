//! The documents of a language server. Each change makes a version; whoever works on an old one still has it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[derive(Clone, Debug)]
struct Position {
    line: usize,
    column: usize,
}

struct Edit {
    at: Position,
    text: String,
}

struct Snapshot {
    version: u64,
    lines: Vec<Arc<str>>,
}

impl Snapshot {
    fn parse(version: u64, text: &str) -> Self {
        Snapshot { version, lines: text.lines().map(Arc::from).collect() }
    }

    fn with(&self, edit: &Edit) -> Snapshot {
        let mut lines = self.lines.clone();
        let old = &lines[edit.at.line];
        let column = edit.at.column.min(old.len());
        lines[edit.at.line] = format!("{}{}{}", &old[..column], edit.text, &old[column..]).into();
        Snapshot { version: self.version + 1, lines }
    }
}

#[derive(Default)]
struct Diagnostics {
    by_line: BTreeMap<usize, Vec<String>>,
}

impl Diagnostics {
    fn check(snapshot: &Snapshot) -> Self {
        let mut found = Diagnostics::default();
        for (number, line) in snapshot.lines.iter().enumerate() {
            if line.len() > 100 {
                found.by_line.entry(number).or_default().push(format!("line {number} is {} long", line.len()));
            }
        }
        found
    }
}

struct Document {
    now: Arc<Snapshot>,
    diagnostics: Diagnostics,
}

#[derive(Default)]
struct Server {
    documents: HashMap<String, Document>,
    in_work: Vec<(u64, Arc<Snapshot>)>,
    next_request: u64,
    answers: u64,
}

impl Server {
    fn did_open(&mut self, uri: &str, text: &str) {
        let now = Arc::new(Snapshot::parse(0, text));
        let diagnostics = Diagnostics::check(&now);
        self.documents.insert(uri.to_string(), Document { now, diagnostics });
    }

    /// The request for completion, which an editor sends after each letter, is never answered when the next letter was faster.
    fn did_change(&mut self, uri: &str, edit: &Edit) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.now = Arc::new(document.now.with(edit)); // guilty
        document.diagnostics = Diagnostics::check(&document.now);
        self.in_work.push((self.next_request, Arc::clone(&document.now)));
        self.next_request += 1;
    }

    fn poll(&mut self) {
        let current: Vec<u64> = self.documents.values().map(|d| d.now.version).collect();
        if self.next_request % 50 == 0 {
            if let Some((_, snapshot)) = self.in_work.pop() {
                self.answers += u64::from(current.contains(&snapshot.version));
            }
        }
    }

    fn hover(&self, uri: &str, at: &Position) -> Option<String> {
        let line = self.documents.get(uri)?.now.lines.get(at.line)?;
        line.split_whitespace().nth(at.column % 5).map(str::to_owned)
    }
}

fn source(seed: usize) -> String {
    (0..1200).map(|i| format!("    let value_{i} = compute({}, {seed}); // on the line with the number {i}\n", i * seed)).collect()
}

fn main() {
    let mut server = Server::default();
    let uris: Vec<String> = (0..10).map(|i| format!("file:///home/me/project/src/module_{i}.rs")).collect();
    for (i, uri) in uris.iter().enumerate() {
        server.did_open(uri, &source(i));
    }
    let mut words = 0;
    for typed in 0..2600 {
        let uri = &uris[typed % 3];
        let at = Position { line: typed * 7 % 1200, column: typed % 30 };
        words += server.hover(uri, &at).map_or(0, |w| w.len());
        server.did_change(uri, &Edit { at, text: "x".repeat(1 + typed % 3) });
        server.poll();
    }
    let lines: usize = server.documents.values().map(|d| d.diagnostics.by_line.len()).sum();
    println!("{} in work, {} answers, {words} letters, {lines} long lines", server.in_work.len(), server.answers);
}
