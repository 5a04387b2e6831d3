//! Searches a game of stones on a small board; positions that were seen are known by their hash.
use std::collections::hash_map::Entry;
use std::collections::HashMap;

const SIDE: usize = 7;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stone {
    Empty,
    Mine,
    Theirs,
}

#[derive(Clone)]
struct Position {
    cells: [Stone; SIDE * SIDE],
    mine_to_move: bool,
}

#[derive(Clone, Debug)]
struct Outcome {
    score: i32,
    depth: u8,
    line: Vec<u8>,
}

impl Position {
    fn start() -> Self {
        let mut cells = [Stone::Empty; SIDE * SIDE];
        cells[8] = Stone::Mine;
        cells[40] = Stone::Theirs;
        Position { cells, mine_to_move: true }
    }

    fn hash(&self) -> u64 {
        self.cells.iter().fold(u64::from(self.mine_to_move), |h, &c| (h ^ c as u64).wrapping_mul(0x100_0000_01b3).rotate_left(9))
    }

    fn moves(&self) -> Vec<u8> {
        let side = if self.mine_to_move { Stone::Mine } else { Stone::Theirs };
        let near = |i: usize, j: usize| (i / SIDE).abs_diff(j / SIDE) <= 1 && (i % SIDE).abs_diff(j % SIDE) <= 1;
        (0..SIDE * SIDE)
            .filter(|&i| self.cells[i] == Stone::Empty && (0..SIDE * SIDE).any(|j| self.cells[j] == side && near(i, j)))
            .map(|i| i as u8)
            .collect()
    }

    fn after(&self, cell: u8) -> Position {
        let mut next = self.clone();
        next.cells[cell as usize] = if self.mine_to_move { Stone::Mine } else { Stone::Theirs };
        next.mine_to_move = !self.mine_to_move;
        next
    }

    fn score(&self) -> i32 {
        let weigh = |i: usize| 3 - (i / SIDE).abs_diff(3).max((i % SIDE).abs_diff(3)) as i32;
        (0..SIDE * SIDE)
            .map(|i| match self.cells[i] {
                Stone::Empty => 0,
                Stone::Mine => 1 + weigh(i),
                Stone::Theirs => -1 - weigh(i),
            })
            .sum()
    }
}

#[derive(Default)]
struct Engine {
    known: HashMap<u64, Outcome>,
    hits: u64,
}

impl Engine {
    /// Takes what is deeper than what was known, and gives it back.
    fn settle(&mut self, key: u64, found: &Outcome) -> i32 {
        match self.known.entry(key) {
            Entry::Occupied(mut old) if old.get().depth < found.depth => old.insert(found.clone()).score.max(found.score),
            Entry::Occupied(old) => old.get().score,
            Entry::Vacant(place) => place.insert(found.clone()).score, // guilty
        }
    }

    fn search(&mut self, position: &Position, depth: u8, mut low: i32, high: i32) -> Outcome {
        let key = position.hash();
        if let Some(known) = self.known.get(&key).filter(|k| k.depth >= depth) {
            self.hits += 1;
            return known.clone();
        }
        let sign = if position.mine_to_move { 1 } else { -1 };
        let mut best = Outcome { score: sign * position.score(), depth, line: Vec::new() };
        if depth == 0 {
            return best;
        }
        best.score = -10_000;
        for cell in position.moves() {
            let reply = self.search(&position.after(cell), depth - 1, -high, -low);
            if -reply.score > best.score {
                best.score = -reply.score;
                best.line.clear();
                best.line.extend(std::iter::once(cell).chain(reply.line).take(40));
                best.line.resize(24, 0xff);
            }
            low = low.max(best.score);
            if low >= high {
                break;
            }
        }
        self.settle(key, &best);
        best
    }
}

fn main() {
    let mut engine = Engine::default();
    let mut position = Position::start();
    for turn in 0..6 {
        let best = engine.search(&position, 8, -10_000, 10_000);
        println!("{turn}: {} at {:?}", best.score, best.line.first());
        let Some(&cell) = best.line.first().filter(|&&c| c != 0xff) else { break };
        position = position.after(cell);
    }
    println!("{} known, {} hits", engine.known.len(), engine.hits);
}
