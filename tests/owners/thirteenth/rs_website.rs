// Builds a web site from notes: a small markup, links between notes, tags, feeds, and a server that builds again what was changed.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Heading(u8, String),
    Text(Vec<Span>),
    List(Vec<Vec<Span>>),
}

#[derive(Debug, Clone, PartialEq)]
enum Span {
    Plain(String),
    Strong(String),
    Link(String),
}

fn spans(line: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for word in line.split_inclusive(' ') {
        let bare = word.trim();
        if bare.starts_with('*') && bare.ends_with('*') && bare.len() > 2 {
            found.push(Span::Strong(bare.trim_matches('*').to_string()));
        } else if bare.starts_with("[[") {
            found.push(Span::Link(bare.trim_matches(|c| "[].,".contains(c)).to_string()));
        } else if let Some(Span::Plain(text)) = found.last_mut() {
            text.push_str(word);
        } else {
            found.push(Span::Plain(word.to_string()));
        }
    }
    found
}

fn parse(source: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for line in source.lines().filter(|l| !l.is_empty()) {
        if line.starts_with('#') {
            let level = line.chars().take_while(|c| *c == '#').count();
            pieces.push(Piece::Heading(level as u8, line[level..].trim().to_string()));
        } else if let Some(item) = line.strip_prefix("- ") {
            match pieces.last_mut() {
                Some(Piece::List(items)) => items.push(spans(item)),
                _ => pieces.push(Piece::List(vec![spans(item)])),
            }
        } else {
            pieces.push(Piece::Text(spans(line)));
        }
    }
    pieces
}

#[derive(Clone)]
struct Note {
    title: String,
    source: String,
    tags: BTreeSet<String>,
    edited: u32,
}

struct Page {
    stamp: u32,
    html: String,
}

#[derive(Default)]
struct Site {
    notes: BTreeMap<String, Note>,
    pages: HashMap<(String, u32), Page>,
    built: usize,
    clock: u32,
}

impl Site {
    fn save(&mut self, name: &str, source: String) {
        self.clock += 1;
        let title = source.lines().next().unwrap_or("").trim_start_matches('#').trim().to_string();
        let tags = source.split_whitespace().filter(|w| w.starts_with('@')).map(str::to_string).collect();
        self.notes.insert(name.to_string(), Note { title, source, tags, edited: self.clock });
    }

    fn write_spans(&self, html: &mut String, spans: &[Span]) {
        for span in spans {
            let _ = match span {
                Span::Plain(text) => write!(html, "{text}"),
                Span::Strong(text) => write!(html, "<strong>{text}</strong> "),
                Span::Link(name) => match self.notes.get(name) {
                    Some(note) => write!(html, "<a href=\"/{name}\">{}</a> ", note.title),
                    None => write!(html, "<span class=\"missing\">{name}</span> "),
                },
            };
        }
    }

    fn render(&self, note: &Note) -> String {
        let mut html = format!("<title>{}</title>\n", note.title);
        for piece in parse(&note.source) {
            match piece {
                Piece::Heading(level, text) => {
                    let _ = writeln!(html, "<h{level}>{text}</h{level}>");
                }
                Piece::Text(spans) => {
                    html.push_str("<p>");
                    self.write_spans(&mut html, &spans);
                    html.push_str("</p>\n");
                }
                Piece::List(items) => {
                    html.push_str("<ul>\n");
                    for item in items {
                        html.push_str("<li>");
                        self.write_spans(&mut html, &item);
                        html.push_str("</li>\n");
                    }
                    html.push_str("</ul>\n");
                }
            }
        }
        html
    }

    /// The page of a note, built when it is asked for the first time since it was edited.
    fn page(&mut self, name: &str) -> Option<&Page> {
        let note = self.notes.get(name)?;
        let key = (name.to_string(), note.edited);
        if !self.pages.contains_key(&key) {
            let html = self.render(note);
            let stamp = note.edited;
            self.built += 1;
            self.pages.insert(key.clone(), Page { stamp, html }); // guilty
        }
        self.pages.get(&key)
    }

    fn tagged(&self, tag: &str) -> Vec<&str> {
        self.notes.values().filter(|n| n.tags.contains(tag)).map(|n| n.title.as_str()).collect()
    }

    fn feed(&self, most: usize) -> String {
        let mut newest: Vec<&Note> = self.notes.values().collect();
        newest.sort_by_key(|n| std::cmp::Reverse(n.edited));
        newest.iter().take(most).fold(String::new(), |feed, n| feed + "<entry>" + &n.title + "</entry>\n")
    }
}

struct Author(u64);

impl Author {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 36) % n
    }

    fn write(&mut self, number: u64) -> String {
        let words = ["garden", "bread", "the", "bicycle", "and", "*never*", "winter", "of", "letters", "@house", "@travel", "a", "kettle"];
        let mut text = format!("# Note {number} about {}\n\n", words[self.below(5) as usize]);
        for line in 0..12 {
            text.push_str(if line % 4 == 3 { "- " } else { "" });
            for _ in 0..14 {
                text.push_str(words[self.below(13) as usize]);
                text.push(' ');
            }
            let _ = write!(text, "[[n{}]]\n\n", self.below(400));
        }
        text
    }
}

fn main() {
    let mut site = Site::default();
    let mut author = Author(4);
    let mut sent = 0;
    for edit in 0..16_000 {
        let number = author.below(360);
        let name = format!("n{number}");
        site.save(&name, author.write(number));
        for _ in 0..3 {
            let other = if author.below(2) == 0 { name.clone() } else { format!("n{}", author.below(400)) };
            sent += site.page(&other).map_or(0, |p| p.html.len() + p.stamp as usize % 2);
        }
        if edit % 4000 == 0 {
            println!("{} notes on @travel, feed of {} bytes", site.tagged("@travel").len(), site.feed(20).len());
        }
    }
    println!("{} notes, {} pages built, {sent} bytes sent", site.notes.len(), site.built);
}
