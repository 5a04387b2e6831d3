// Build farm scheduler: targets become ready, run on workers, and are reported.
use std::collections::{BTreeMap, VecDeque};
use std::thread::sleep;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Running,
    Passed,
    Failed,
}

struct Job {
    id: u64,
    target: String,
    argv: Vec<String>,
    output: String,
    state: State,
    left: u32,
}

struct Lcg(u32);

impl Lcg {
    fn roll(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.0 >> 8) % n
    }
}

struct Farm {
    waiting: VecDeque<Job>,
    running: Vec<Job>,
    done: BTreeMap<u64, Job>,
    slots: usize,
    passed: u64,
    failed: u64,
}

impl Farm {
    fn new(slots: usize) -> Farm {
        Farm {
            waiting: VecDeque::new(),
            running: Vec::new(),
            done: BTreeMap::new(),
            slots,
            passed: 0,
            failed: 0,
        }
    }

    fn enqueue(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    fn start_ready(&mut self) {
        while self.running.len() < self.slots {
            match self.waiting.pop_front() {
                Some(mut j) => {
                    j.state = State::Running;
                    self.running.push(j);
                }
                None => break,
            }
        }
    }

    fn tick(&mut self, rng: &mut Lcg) {
        let mut i = 0;
        while i < self.running.len() {
            let j = &mut self.running[i];
            compile_some(j, rng);
            j.left -= 1;
            if j.left == 0 {
                let ok = rng.roll(12) != 0;
                let j = self.running.swap_remove(i);
                self.complete(j, ok);
            } else {
                i += 1;
            }
        }
    }

    fn complete(&mut self, mut job: Job, ok: bool) {
        job.state = if ok { State::Passed } else { State::Failed };
        if ok {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
        self.done.insert(job.id, job); // guilty
    }

    fn status(&self, id: u64) -> Option<State> {
        if let Some(j) = self.running.iter().chain(self.waiting.iter()).find(|j| j.id == id) {
            return Some(j.state);
        }
        self.done.get(&id).map(|j| j.state)
    }
}

fn compile_some(j: &mut Job, rng: &mut Lcg) {
    for _ in 0..1 + rng.roll(4) {
        let line = rng.roll(900);
        let msg = format!("{}:{}: warning: unused parameter 'ctx{}' [-Wunused-parameter]\n", j.argv[2], line, line % 7);
        j.output.push_str(&msg);
    }
}

fn make_job(id: u64, rng: &mut Lcg) -> Job {
    let lib = rng.roll(60);
    let src = format!("src/lib{}/module_{}.cc", lib, rng.roll(5000));
    let argv = vec!["cc".to_string(), "-c".to_string(), src, format!("-Iinclude/lib{}", lib), "-O2".to_string()];
    Job {
        id,
        target: format!("//lib{}:obj{}", lib, id),
        argv,
        output: String::new(),
        state: State::Waiting,
        left: 3 + rng.roll(12),
    }
}

fn main() {
    let mut rng = Lcg(99);
    let mut farm = Farm::new(64);
    let mut id = 0;
    let mut seen_failed = 0;
    let mut longest = String::new();
    for t in 0..4200u64 {
        for _ in 0..7 {
            id += 1;
            let j = make_job(id, &mut rng);
            if j.target.len() > longest.len() {
                longest = j.target.clone();
            }
            farm.enqueue(j);
        }
        farm.start_ready();
        farm.tick(&mut rng);
        if id > 500 && farm.status(id - 400) == Some(State::Failed) {
            seen_failed += 1;
        }
        if t % 25 == 0 {
            sleep(Duration::from_millis(10));
        }
    }
    println!("{} passed {} failed {} sampled, {}", farm.passed, farm.failed, seen_failed, longest);
    sleep(Duration::from_millis(200));
}
