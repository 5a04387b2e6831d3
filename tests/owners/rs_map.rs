// A hash map of strings to bytes.
use std::collections::HashMap;

struct Index {
    words: HashMap<String, Vec<u8>>,
}

#[inline(never)]
fn spell(number: u32) -> String {
    format!("word number {number} of the index")
}

impl Index {
    #[inline(never)]
    fn insert_word(&mut self, number: u32) {
        let mut text = Vec::new();
        text.extend((0..900u32).map(|i| (i + number) as u8)); // guilty
        self.words.insert(spell(number), text);
    }
}

fn main() {
    let mut index = Index { words: HashMap::new() };
    for number in 0..60_000 {
        index.insert_word(number);
    }
    std::mem::forget(index);
}
