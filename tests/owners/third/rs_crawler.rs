// A crawler with threads and a channel; the report of each page is kept, where the page itself was wanted only once.
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::process;
use std::sync::mpsc::{channel, sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

struct Page {
    url: String,
    body: String,
    links: Vec<u32>,
}

trait Source: Send + Sync {
    fn fetch(&self, number: u32) -> Page;
}

struct MadeUp {
    words: Vec<String>,
}

impl MadeUp {
    fn new(count: usize) -> Self {
        MadeUp { words: (0..count).map(|n| format!("word{n}")).collect() }
    }
}

impl Source for MadeUp {
    fn fetch(&self, number: u32) -> Page {
        let mut body = String::new();
        for i in 0..300 {
            let word = &self.words[(number as usize * 7 + i) % self.words.len()];
            write!(body, "<p>{word}</p>").unwrap();
        }
        Page { url: format!("/page/{number}"), body, links: vec![number * 2, number * 2 + 1] }
    }
}

#[derive(Default)]
struct Report {
    lines: BTreeMap<String, String>,
    seen: HashSet<u32>,
}

impl Report {
    fn note(&mut self, page: &Page) {
        let text: String = page.body.chars().filter(|c| c.is_alphanumeric()).collect(); // guilty
        self.lines.insert(page.url.clone(), text);
    }

    fn visit(&mut self, number: u32) -> bool {
        self.seen.insert(number)
    }
}

fn work(source: &dyn Source, numbers: &Mutex<Receiver<u32>>, pages: &SyncSender<Page>) {
    loop {
        let number = numbers.lock().unwrap().recv();
        match number {
            Ok(number) => pages.send(source.fetch(number)).unwrap(),
            Err(_) => return,
        }
    }
}

fn crawl(source: Arc<dyn Source>, most: u32) -> Report {
    let mut report = Report::default();
    let (numbers, asked) = channel();
    let (found, pages) = sync_channel(16);
    let asked = Arc::new(Mutex::new(asked));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (source, asked, found) = (source.clone(), asked.clone(), found.clone());
            thread::spawn(move || work(&*source, &asked, &found))
        })
        .collect();
    numbers.send(1).unwrap();
    let mut open = 1;
    while open > 0 {
        let page = pages.recv().unwrap();
        open -= 1;
        report.note(&page);
        for &link in page.links.iter().filter(|link| **link < most) {
            if report.visit(link) {
                numbers.send(link).unwrap();
                open += 1;
            }
        }
    }
    drop(numbers);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    report
}

fn main() {
    let report = crawl(Arc::new(MadeUp::new(20_000)), 15_000);
    println!("{} pages", report.lines.len());
    process::exit(0);
}
