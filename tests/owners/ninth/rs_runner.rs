// A runner of build jobs: takes them from a queue, runs their steps, collects what they print, and shows the state of recent ones.
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

struct Step {
    name: &'static str,
    lines: usize,
    fails: bool,
}

struct Job {
    id: u64,
    branch: String,
    steps: Vec<Step>,
}

struct StepReport {
    name: &'static str,
    outcome: Outcome,
    output: Rc<str>,
}

struct JobReport {
    id: u64,
    branch: String,
    outcome: Outcome,
    steps: Vec<StepReport>,
}

/// What a step prints; it is used again for the next.
#[derive(Default)]
struct Console {
    text: String,
}

impl Console {
    fn line(&mut self, number: usize, text: &str) {
        self.text.push_str(&format!("[{number:>4}] {text}\n"));
    }
}

struct History {
    reports: BTreeMap<u64, JobReport>,
    shown: usize,
}

impl History {
    fn page(&self) -> Vec<String> {
        let newest = self.reports.values().rev().take(self.shown);
        newest.map(|report| format!("#{} {} {:?}, {} steps", report.id, report.branch, report.outcome, report.steps.len())).collect()
    }
}

struct Runner {
    console: Console,
    history: Rc<RefCell<History>>,
    workspace: Vec<Vec<u8>>,
    totals: BTreeMap<Outcome, u64>,
}

impl Runner {
    fn new(history: Rc<RefCell<History>>) -> Self {
        Runner { console: Console::default(), history, workspace: Vec::new(), totals: BTreeMap::new() }
    }

    fn checkout(&mut self, job: &Job) {
        self.workspace.clear();
        self.workspace.extend((0..20).map(|file| vec![(job.id as usize + file) as u8; 128 * 1024]));
    }

    fn run_step(&mut self, job: &Job, step: &Step) -> Outcome {
        self.console.text.clear();
        for n in 0..step.lines {
            let file = n * 31 % 977;
            self.console.line(n, &format!("{}: {}: src/module_{file}.rs: done in {} ms", job.branch, step.name, (n as u64 * job.id) % 300));
        }
        if step.fails {
            self.console.line(step.lines, "error: process didn't exit successfully (exit status: 101)");
            return Outcome::Failed;
        }
        Outcome::Passed
    }

    fn finish(&mut self, job: &Job, outcomes: Vec<(Outcome, String)>) {
        let failed = outcomes.iter().any(|(outcome, _)| *outcome == Outcome::Failed);
        let outcome = if failed { Outcome::Failed } else { Outcome::Passed };
        let mut steps = Vec::with_capacity(job.steps.len());
        for (step, (outcome, output)) in job.steps.iter().zip(outcomes) {
            steps.push(StepReport { name: step.name, outcome, output: Rc::from(output) }); // guilty
        }
        *self.totals.entry(outcome).or_default() += 1;
        self.history.borrow_mut().reports.insert(job.id, JobReport { id: job.id, branch: job.branch.clone(), outcome, steps });
    }

    fn run(&mut self, job: &Job) {
        self.checkout(job);
        let mut outcomes = Vec::new();
        let mut failed = false;
        for step in &job.steps {
            if failed {
                outcomes.push((Outcome::Skipped, String::new()));
                continue;
            }
            let outcome = self.run_step(job, step);
            failed = outcome == Outcome::Failed;
            outcomes.push((outcome, self.console.text.clone()));
        }
        self.finish(job, outcomes);
    }
}

fn pushed(id: u64) -> Job {
    let kinds = ["compile", "test", "lint", "package"];
    let steps = kinds.iter().enumerate().map(|(n, name)| Step {
        name,
        lines: 30 + (id as usize * (n + 3)) % 70,
        fails: (id + n as u64 * 5) % 23 == 0,
    });
    Job { id, branch: format!("feature/ticket-{}", id % 190), steps: steps.collect() }
}

fn main() {
    let history = Rc::new(RefCell::new(History { reports: BTreeMap::new(), shown: 20 }));
    let mut runner = Runner::new(Rc::clone(&history));
    let mut queue = VecDeque::new();
    let mut shown = 0;
    for id in 0..2400 {
        queue.push_back(pushed(id));
        if queue.len() > 3 {
            while let Some(job) = queue.pop_front() {
                runner.run(&job);
            }
            shown += history.borrow().page().len();
        }
    }
    let kept = history.borrow();
    let last = kept.reports.values().next_back().and_then(|report| report.steps.last());
    println!("{:?}, {shown} lines shown, last {:?}", runner.totals, last.map(|step| (step.name, step.outcome, step.output.len())));
}
