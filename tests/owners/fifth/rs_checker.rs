//! Checks programs of a small language; what is wrong is gathered and sorted at the end.
use std::collections::HashMap;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Error,
    Warning,
    Hint,
}

#[derive(Debug, Clone)]
struct Span {
    line: usize,
    from: usize,
    to: usize,
}

#[derive(Debug)]
struct Diagnostic {
    severity: Severity,
    message: String,
    span: Span,
    excerpt: Vec<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in line {}, {}-{}: {}", self.severity, self.span.line + 1, self.span.from, self.span.to, self.message)
    }
}

struct Source {
    lines: Vec<String>,
}

impl Source {
    fn new(text: &str) -> Self {
        Source { lines: text.lines().map(str::to_owned).collect() }
    }

    fn around(&self, line: usize, by: usize) -> Vec<String> {
        let from = line.saturating_sub(by);
        let to = (line + by + 1).min(self.lines.len());
        self.lines[from..to].iter().enumerate().map(|(i, l)| format!("{:5} | {}", from + i + 1, l)).collect()
    }
}

#[derive(Default)]
struct Sink {
    all: Vec<Diagnostic>,
}

impl Sink {
    /// With the lines around, though at the end only the first ten are shown.
    fn report(&mut self, source: &Source, severity: Severity, span: Span, message: String) {
        let excerpt = source.around(span.line, 3); // guilty
        self.all.push(Diagnostic { severity, message, span, excerpt });
    }
}

#[derive(Debug)]
enum CheckError {
    Empty,
    TooLong(usize),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Empty => write!(f, "nothing to check"),
            CheckError::TooLong(n) => write!(f, "{n} lines are too many"),
        }
    }
}

fn check_names(source: &Source, sink: &mut Sink) {
    let mut known: HashMap<String, usize> = HashMap::new();
    for (line, text) in source.lines.iter().enumerate() {
        let mut words = text.split_whitespace();
        if words.next() == Some("let") {
            let name = words.next().unwrap_or("?");
            if let Some(before) = known.insert(name.to_string(), line) {
                let span = Span { line, from: 4, to: 4 + name.len() };
                sink.report(source, Severity::Warning, span, format!("{name} hides that of line {}", before + 1));
            }
        }
    }
}

fn check_semicolons(source: &Source, sink: &mut Sink) {
    for (line, text) in source.lines.iter().enumerate() {
        if !text.ends_with(';') && !text.ends_with('{') && !text.ends_with('}') {
            sink.report(source, Severity::Error, Span { line, from: text.len(), to: text.len() + 1 }, "no semicolon".into());
        }
    }
}

fn check_style(source: &Source, sink: &mut Sink) {
    for (line, text) in source.lines.iter().enumerate() {
        if let Some(at) = text.find("  ") {
            sink.report(source, Severity::Hint, Span { line, from: at, to: at + 2 }, "two spaces".to_string());
        }
    }
}

fn check(text: &str, sink: &mut Sink) -> Result<Source, CheckError> {
    let source = Source::new(text);
    match source.lines.len() {
        0 => return Err(CheckError::Empty),
        n if n > 1_000_000 => return Err(CheckError::TooLong(n)),
        _ => {}
    }
    for pass in [check_names, check_semicolons, check_style] {
        pass(&source, sink);
    }
    Ok(source)
}

fn program() -> String {
    let mut text = String::new();
    for i in 0..90_000usize {
        let end = if i % 6 == 0 { "" } else { ";" };
        let space = if i % 5 == 0 { "  " } else { " " };
        text += &format!("let name{}{space}= other{} + call({}){end}\n", i % 60_000, i / 3, i * 7);
    }
    text
}

fn main() -> Result<(), String> {
    let mut sink = Sink::default();
    let source = check(&program(), &mut sink).map_err(|e| e.to_string())?;
    sink.all.sort_by(|a, b| a.severity.cmp(&b.severity).then(a.span.line.cmp(&b.span.line)));
    for diagnostic in sink.all.iter().take(10) {
        println!("{diagnostic}");
        println!("{}", diagnostic.excerpt.join("\n"));
    }
    println!("{} in {} lines", sink.all.len(), source.lines.len());
    Ok(())
}
