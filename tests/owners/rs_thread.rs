// Threads that put what they format into a list that all share.
use std::sync::{Arc, Mutex};

#[inline(never)]
fn describe_job(number: usize, jobs: &Mutex<Vec<String>>) {
    let text = format!("{:>1$}", number, 900 + number % 10); // guilty
    jobs.lock().unwrap().push(text);
}

fn main() {
    let jobs = Arc::new(Mutex::new(Vec::new()));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let jobs = Arc::clone(&jobs);
            std::thread::spawn(move || (0..15_000).for_each(|number| describe_job(number, &jobs)))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    std::process::exit(0);
}
