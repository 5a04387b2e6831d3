//! Sets text in lines: what was broken into lines once is remembered for its width.
use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

mod memo {
    use super::*;

    pub struct Memo<K, V> {
        known: RefCell<HashMap<K, Rc<V>>>,
        most: usize,
    }

    impl<K: Eq + Hash, V> Memo<K, V> {
        pub fn new(most: usize) -> Self {
            Memo { known: RefCell::new(HashMap::new()), most }
        }

        pub fn get_or<Q, F>(&self, key: &Q, make: F) -> Rc<V>
        where
            K: Borrow<Q>,
            Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
            F: FnOnce(&Q) -> V,
        {
            if let Some(v) = self.known.borrow().get(key) {
                return Rc::clone(v);
            }
            let v = Rc::new(make(key));
            let mut known = self.known.borrow_mut();
            if known.len() >= self.most {
                known.clear();
            }
            known.insert(key.to_owned(), Rc::clone(&v));
            v
        }
    }
}

use memo::Memo;

#[derive(Clone, Debug)]
struct Glyph {
    x: f32,
    advance: f32,
    code: u32,
}

#[derive(Debug)]
struct Line {
    glyphs: Vec<Glyph>,
    width: f32,
}

type Paragraph = Vec<Line>;

struct Typesetter {
    words: Memo<String, Vec<Glyph>>,
    paragraphs: Memo<(u32, u32), Paragraph>,
}

impl Typesetter {
    fn new() -> Self {
        Typesetter { words: Memo::new(500), paragraphs: Memo::new(usize::MAX) }
    }

    fn shape(&self, word: &str) -> Rc<Vec<Glyph>> {
        self.words.get_or(word, |w| {
            w.chars()
                .scan(0.0, |x, c| {
                    let advance = if "ijl.,".contains(c) { 3.0 } else { 6.5 };
                    *x += advance;
                    Some(Glyph { x: *x - advance, advance, code: c as u32 })
                })
                .collect()
        })
    }

    fn lay_out(&self, id: u32, text: &str, width: u32) -> Rc<Paragraph> {
        self.paragraphs.get_or(&(id, width), |_| {
            let mut lines: Paragraph = Vec::new();
            let mut line = Line { glyphs: Vec::new(), width: 0.0 };
            for word in text.split(' ') {
                let shaped = self.shape(word);
                let wide: f32 = shaped.iter().map(|g| g.advance).sum();
                if line.width + wide > width as f32 {
                    lines.push(std::mem::replace(&mut line, Line { glyphs: Vec::new(), width: 0.0 }));
                }
                let at = line.width;
                line.glyphs.extend(shaped.iter().map(|g| Glyph { x: g.x + at, ..g.clone() })); // guilty
                line.width += wide + 3.0;
            }
            lines.push(line);
            lines
        })
    }

    fn height(&self, id: u32, text: &str, width: u32) -> f32 {
        self.lay_out(id, text, width).len() as f32 * 14.0
    }

    fn draw(&self, id: u32, text: &str, width: u32, canvas: &mut Vec<u32>) {
        for line in self.lay_out(id, text, width).iter() {
            canvas.extend(line.glyphs.iter().map(|g| g.code ^ g.x as u32));
        }
    }
}

fn texts(n: u32) -> Vec<String> {
    (0..n)
        .map(|i| (0..60).map(|k| format!("word{}", (i * 31 + k * 7) % 900)).collect::<Vec<_>>().join(" "))
        .collect()
}

fn main() {
    let setter = Typesetter::new();
    let texts = texts(60);
    let mut checksum = 0u64;
    for step in 0..130u32 {
        let width = 300 + step * 3;
        let mut y = 0.0;
        let mut canvas = Vec::new();
        for (id, text) in texts.iter().enumerate() {
            y += setter.height(id as u32, text, width);
            if y < 900.0 {
                setter.draw(id as u32, text, width, &mut canvas);
            }
        }
        checksum = canvas.iter().fold(checksum, |c, &g| c.wrapping_mul(31).wrapping_add(g as u64));
    }
    println!("{checksum:x}");
}
