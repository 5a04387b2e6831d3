// Transposes songs: chord sheets parsed into lines that borrow their text, keys, capos, diagrams for guitars, and a songbook in pages.
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

const NOTES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];

#[derive(Clone, Copy, Debug)]
struct Chord<'a> {
    root: usize,
    suffix: &'a str,
}

#[derive(Debug)]
enum Part<'a> {
    Chord(Chord<'a>),
    Words(&'a str),
}

#[derive(Debug)]
struct Song<'a> {
    title: &'a str,
    lines: Vec<Vec<Part<'a>>>,
}

impl<'a> Chord<'a> {
    fn parse(text: &'a str) -> Option<Chord<'a>> {
        let length = if text[1..].starts_with('#') { 2 } else { 1 };
        let root = NOTES.iter().position(|n| *n == &text[..length])?;
        Some(Chord { root, suffix: &text[length..] })
    }

    fn up(self, steps: usize) -> Chord<'a> {
        Chord { root: (self.root + steps) % 12, ..self }
    }
}

impl Song<'static> {
    /// Songs go to any page of the book, so they have their text for themselves.
    fn parse(text: String) -> Option<Song<'static>> {
        let text: &'static str = Box::leak(text.into_boxed_str()); // guilty
        let mut lines = text.lines();
        let title = lines.next()?.strip_prefix("title: ")?;
        Some(Song { title, lines: lines.map(parts).collect() })
    }
}

fn parts(line: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    for piece in line.split('[') {
        let words = match piece.split_once(']') {
            Some((chord, words)) => {
                found.extend(Chord::parse(chord).map(Part::Chord));
                words
            }
            None => piece,
        };
        if !words.is_empty() {
            found.push(Part::Words(words));
        }
    }
    found
}

impl Song<'_> {
    fn chords(&self) -> impl Iterator<Item = Chord<'_>> + '_ {
        self.lines.iter().flatten().filter_map(|p| if let Part::Chord(c) = p { Some(*c) } else { None })
    }

    /// The capo with which most chords are easy to grip.
    fn capo(&self) -> usize {
        let easy = |steps: usize| self.chords().filter(|c| matches!(c.up(12 - steps).root, 0 | 2 | 4 | 7 | 9)).count();
        (0..8).max_by_key(|&steps| (easy(steps), 8 - steps)).unwrap_or(0)
    }

    fn write(&self, steps: usize) -> String {
        let mut out = format!("{}\n", self.title);
        for line in &self.lines {
            for part in line {
                let _ = match part {
                    Part::Chord(c) => write!(out, "[{}{}]", NOTES[c.up(steps).root], c.suffix),
                    Part::Words(w) => write!(out, "{w}"),
                };
            }
            out.push('\n');
        }
        out
    }
}

#[derive(Default)]
struct Book {
    pages: VecDeque<String>,
    bytes: usize,
    by_capo: BTreeMap<usize, usize>,
}

impl Book {
    fn add(&mut self, song: &Song<'_>) {
        let capo = song.capo();
        *self.by_capo.entry(capo).or_default() += 1;
        let page = song.write(12 - capo);
        self.bytes += page.len();
        self.pages.push_back(page);
        if self.pages.len() > 200 {
            self.pages.pop_front();
        }
    }
}

struct Bard(u32);

impl Bard {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(22695477).wrapping_add(1);
        (self.0 >> 12) as usize % n
    }

    fn song(&mut self, number: usize) -> String {
        let words = ["river", "moon", "the", "old", "road", "my", "heart", "rolling", "home", "and", "rain", "whisper"];
        let key = self.below(12);
        let mut text = format!("{}: {} {number}\n", if self.below(50) == 0 { "titel" } else { "title" }, words[self.below(12)]);
        for _ in 0..24 + self.below(16) {
            for _ in 0..4 {
                let _ = write!(text, "[{}{}]", NOTES[(key + [0, 5, 7, 9][self.below(4)]) % 12], ["", "m", "7", "sus4"][self.below(4)]);
                let _ = write!(text, "{} {} ", words[self.below(12)], words[self.below(12)]);
            }
            text.push('\n');
        }
        text
    }
}

fn main() {
    let (mut bard, mut book, mut broken) = (Bard(1), Book::default(), 0);
    for number in 0..16_000 {
        match Song::parse(bard.song(number)) {
            Some(song) => book.add(&song),
            None => broken += 1,
        }
    }
    println!("{} bytes of pages, {broken} songs broken, capos {:?}", book.bytes, book.by_capo);
    println!("{}", book.pages.back().map_or("", |p| p.lines().next().unwrap_or("")));
}
