// Words of a text, collected by iterators and kept for each document.
use std::process;

struct Document {
    words: Vec<String>,
}

#[inline(never)]
fn tokenize(text: &str) -> Document {
    Document {
        words: text.split(' ').map(|word| word.trim_matches('.').to_lowercase()).collect(), // guilty
    }
}

#[inline(never)]
fn make_text() -> String {
    let mut text = String::new();
    for n in 0..1000 {
        text.push_str(&format!("Word-of-some-length-{n}. "));
    }
    text
}

fn main() {
    let text = make_text();
    let mut documents = Vec::new();
    for _ in 0..800 {
        documents.push(tokenize(&text));
    }
    println!("{}", documents.iter().map(|d| d.words.len()).sum::<usize>());
    process::exit(0);
}
