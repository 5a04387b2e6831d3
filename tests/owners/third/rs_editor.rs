// An editor of text: commands, a history of them, and a search; the history keeps the whole text with each command.
use std::collections::BTreeSet;
use std::fmt;
use std::process;

#[derive(Clone)]
enum Command {
    Insert { at: usize, text: String },
    Delete { at: usize, count: usize },
    Upper { line: usize },
}

#[derive(Clone, Default)]
struct Text {
    lines: Vec<String>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl Text {
    fn generate(lines: usize) -> Self {
        Text { lines: (0..lines).map(|n| format!("this is line {n} of a text that is edited")).collect() }
    }

    fn apply(&mut self, command: &Command) {
        let count = self.lines.len();
        match command {
            Command::Insert { at, text } => self.lines[at % count].push_str(text),
            Command::Delete { at, count: n } => {
                let line = &mut self.lines[at % count];
                let left = line.len().saturating_sub(*n);
                line.truncate(left);
            }
            Command::Upper { line } => self.lines[line % count] = self.lines[line % count].to_uppercase(),
        }
    }
}

struct Step {
    command: Command,
    before: Text,
}

struct History {
    steps: Vec<Step>,
    undone: usize,
}

impl History {
    fn push(&mut self, command: Command, text: &Text) {
        self.undone = 0;
        self.steps.push(Step { command, before: text.clone() }); // guilty
    }

    fn undo(&mut self) -> Option<Text> {
        self.undone += 1;
        self.steps.get(self.steps.len().checked_sub(self.undone)?).map(|step| step.before.clone())
    }
}

struct Index {
    words: BTreeSet<String>,
}

impl Index {
    fn build(text: &Text) -> Self {
        let words = text.to_string().split_whitespace().map(str::to_owned).collect();
        Index { words }
    }
}

struct Editor {
    text: Text,
    history: History,
    index: Option<Index>,
}

impl Editor {
    fn run(&mut self, command: Command) {
        self.history.push(command.clone(), &self.text);
        self.text.apply(&command);
        self.index = None;
    }

    fn find(&mut self, word: &str) -> bool {
        let text = &self.text;
        self.index.get_or_insert_with(|| Index::build(text)).words.contains(word)
    }
}

fn command(number: usize) -> Command {
    match number % 3 {
        0 => Command::Insert { at: number, text: format!(" and {number}") },
        1 => Command::Delete { at: number * 7, count: 3 },
        _ => Command::Upper { line: number * 3 },
    }
}

fn main() {
    let mut editor = Editor { text: Text::generate(200), history: History { steps: vec![], undone: 0 }, index: None };
    let mut found = 0;
    for number in 0..3000 {
        editor.run(command(number));
        if number % 50 == 0 {
            found += usize::from(editor.find("edited"));
        }
        if number % 500 == 499 {
            editor.text = editor.history.undo().unwrap();
        }
    }
    let inserts = editor.history.steps.iter().filter(|step| matches!(step.command, Command::Insert { .. })).count();
    println!("{found} {inserts}");
    process::exit(0);
}
