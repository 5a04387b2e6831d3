//! Solves sliding puzzles (fifteen squares on a tray) with A*, and remembers what it learned of the tray between puzzles.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

const SIDE: usize = 4;
const CELLS: usize = SIDE * SIDE;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Board {
    cells: Vec<u8>,
    empty: usize,
}

impl Board {
    fn solved() -> Self {
        let mut cells: Vec<u8> = (1..CELLS as u8).collect();
        cells.push(0);
        Board { cells, empty: CELLS - 1 }
    }

    fn moves(&self) -> Vec<usize> {
        let (x, y) = (self.empty % SIDE, self.empty / SIDE);
        let mut to = Vec::with_capacity(4);
        if x > 0 {
            to.push(self.empty - 1);
        }
        if x + 1 < SIDE {
            to.push(self.empty + 1);
        }
        if y > 0 {
            to.push(self.empty - SIDE);
        }
        if y + 1 < SIDE {
            to.push(self.empty + SIDE);
        }
        to
    }

    fn moved(&self, to: usize) -> Board {
        let mut board = self.clone();
        board.cells.swap(self.empty, to);
        board.empty = to;
        board
    }

    fn distance(&self) -> u32 {
        let mut sum = 0;
        for (i, &cell) in self.cells.iter().enumerate().filter(|(_, &cell)| cell > 0) {
            let home = cell as usize - 1;
            sum += (home % SIDE).abs_diff(i % SIDE) + (home / SIDE).abs_diff(i / SIDE);
        }
        sum as u32
    }
}

/// What is known of the boards that were met: at how many moves, and from which.
#[derive(Default)]
struct Memory {
    reached: HashMap<Board, (u32, Option<Board>, u32)>,
}

impl Memory {
    fn improve(&mut self, board: &Board, moves: u32, from: Option<&Board>, puzzle: u32) -> bool {
        match self.reached.get(board) {
            Some(&(best, _, of)) if of == puzzle && best <= moves => false,
            _ => {
                self.reached.insert(board.clone(), (moves, from.cloned(), puzzle)); // guilty
                true
            }
        }
    }

    fn path(&self, end: &Board) -> Vec<Board> {
        let mut path = vec![end.clone()];
        while let Some((_, Some(before), _)) = self.reached.get(path.last().unwrap()) {
            path.push(before.clone());
        }
        path.reverse();
        path
    }
}

#[derive(Default)]
struct Solver {
    memory: Memory,
    puzzles: u32,
}

impl Solver {
    fn solve(&mut self, start: &Board, patience: usize) -> Option<Vec<Board>> {
        self.puzzles += 1;
        let mut open = BinaryHeap::new();
        self.memory.improve(start, 0, None, self.puzzles);
        open.push(Reverse((start.distance(), 0u32, start.clone())));
        let mut tried = 0;
        while let Some(Reverse((_, moves, board))) = open.pop() {
            if board.distance() == 0 {
                return Some(self.memory.path(&board));
            }
            tried += 1;
            if tried > patience {
                break;
            }
            for to in board.moves() {
                let next = board.moved(to);
                if self.memory.improve(&next, moves + 1, Some(&board), self.puzzles) {
                    open.push(Reverse((moves + 1 + next.distance(), moves + 1, next)));
                }
            }
        }
        None
    }
}

fn shuffled(seed: &mut u64, moves: usize) -> Board {
    let mut board = Board::solved();
    for _ in 0..moves {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let to = board.moves();
        board = board.moved(to[(*seed >> 33) as usize % to.len()]);
    }
    board
}

fn main() {
    let mut solver = Solver::default();
    let (mut seed, mut solved, mut longest) = (2, 0, 0);
    for puzzle in 0..60 {
        let start = shuffled(&mut seed, 40 + puzzle * 2);
        if let Some(path) = solver.solve(&start, 2700) {
            solved += 1;
            longest = longest.max(path.len() - 1);
        }
    }
    println!("{} of {} solved, the longest in {} moves; {} boards", solved, solver.puzzles, longest, solver.memory.reached.len());
}
