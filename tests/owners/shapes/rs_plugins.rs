use std::collections::HashMap;
trait Handler { fn handle(&mut self, line: &str) -> usize; }
struct Count { words: HashMap<String, usize> }
impl Handler for Count {
    fn handle(&mut self, line: &str) -> usize {
        for word in line.split(' ').take(2) { *self.words.entry(word.chars().take(3).collect()).or_insert(0) += 1; }
        self.words.len()
    }
}
struct Quarantine { held: Vec<String>, limit: usize }
impl Handler for Quarantine {
    fn handle(&mut self, line: &str) -> usize {
        if line.len() > self.limit {
            self.held.push(line.to_uppercase()); // guilty
        }
        self.held.len()
    }
}
struct Pipeline { handlers: Vec<Box<dyn Handler>> }
impl Pipeline {
    fn with(mut self, handler: Box<dyn Handler>) -> Self { self.handlers.push(handler); self }
    fn run(&mut self, line: &str) -> usize { self.handlers.iter_mut().map(|h| h.handle(line)).sum() }
}
fn letter(n: usize) -> String { format!("letter {n} {}", "blah ".repeat(n % 60)) }
fn main() {
    let mut pipeline = Pipeline { handlers: Vec::new() }
        .with(Box::new(Count { words: HashMap::new() }))
        .with(Box::new(Quarantine { held: Vec::new(), limit: 100 }));
    let mut sum = 0;
    for n in 0..200000 { sum += pipeline.run(&letter(n)); }
    println!("{sum}");
}
