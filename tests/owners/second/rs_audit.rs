// An audit log of formatted texts.
use std::process;

struct Audit {
    lines: Vec<String>,
}

impl Audit {
    #[inline(never)]
    fn note(&mut self, user: u32, action: &str) {
        self.lines.push(format!("user {:0>300} did {}", user, action)); // guilty
    }
}

#[inline(never)]
fn read_users() -> Vec<String> {
    (0..1000).map(|n| n.to_string()).collect()
}

fn main() {
    let users = read_users();
    let mut audit = Audit { lines: Vec::new() };
    for n in 0..100_000 {
        audit.note(n, "log in");
    }
    println!("{} {}", users.len(), audit.lines.len());
    process::exit(0);
}
