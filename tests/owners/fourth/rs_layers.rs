//! The map of a turn-based game: layers that are updated each turn, each in its own way.

const WIDTH: usize = 160;
const HEIGHT: usize = 120;

#[derive(Clone, PartialEq)]
struct Grid<T> {
    cells: Vec<T>,
}

impl<T: Clone + Default> Grid<T> {
    fn new() -> Self {
        Grid { cells: vec![T::default(); WIDTH * HEIGHT] }
    }

    fn get(&self, x: usize, y: usize) -> &T {
        &self.cells[y * WIDTH + x]
    }

    fn set(&mut self, x: usize, y: usize, value: T) {
        self.cells[y * WIDTH + x] = value;
    }

    fn map<U, F: Fn(usize, usize, &T) -> U>(&self, f: F) -> Grid<U> {
        Grid { cells: self.cells.iter().enumerate().map(|(i, c)| f(i % WIDTH, i / WIDTH, c)).collect() }
    }
}

struct Turn {
    number: u32,
    units: Vec<(usize, usize)>,
}

trait Layer {
    fn title(&self) -> &str;
    fn update(&mut self, turn: &Turn);
    fn memory(&self) -> usize;
}

#[derive(Default)]
struct Heights {
    grid: Option<Grid<f32>>,
}

impl Layer for Heights {
    fn title(&self) -> &str {
        "heights"
    }
    fn update(&mut self, turn: &Turn) {
        let old = self.grid.take().unwrap_or_else(Grid::new);
        self.grid = Some(old.map(|x, y, h| h * 0.99 + ((x + y) as u32 % 7 + turn.number % 3) as f32));
    }
    fn memory(&self) -> usize {
        self.grid.as_ref().map_or(0, |g| g.cells.len() * 4)
    }
}

/// What the player sees now, and what was seen.
struct Fog {
    seen: Grid<u8>,
    before: Vec<Grid<u8>>,
}

impl Layer for Fog {
    fn title(&self) -> &str {
        "fog"
    }
    /// For the replay at the end of the game, the grids of all turns are kept, though it shows each tenth.
    fn update(&mut self, turn: &Turn) {
        self.before.push(self.seen.clone()); // guilty
        self.seen = self.seen.map(|_, _, c| c.saturating_sub(1));
        for &(x, y) in &turn.units {
            for dy in 0..7 {
                for dx in 0..7 {
                    self.seen.set((x + dx) % WIDTH, (y + dy) % HEIGHT, 255);
                }
            }
        }
    }
    fn memory(&self) -> usize {
        self.before.len() * WIDTH * HEIGHT
    }
}

struct Paths {
    trails: Vec<(usize, usize)>,
    costs: Grid<u16>,
}

impl Layer for Paths {
    fn title(&self) -> &str {
        "paths"
    }
    fn update(&mut self, turn: &Turn) {
        self.trails.extend(&turn.units);
        let weight = Grid::<u16>::new().map(|x, y, _| (x + y) as u16);
        self.costs = self.costs.map(|x, y, c| c / 2 + weight.get(x, y));
    }
    fn memory(&self) -> usize {
        self.trails.len() * 16
    }
}

struct World {
    layers: Vec<Box<dyn Layer>>,
    units: Vec<(usize, usize)>,
}

impl World {
    fn next(&mut self, number: u32) {
        for (i, unit) in self.units.iter_mut().enumerate() {
            *unit = ((unit.0 + i % 3) % WIDTH, (unit.1 + i % 2) % HEIGHT);
        }
        let turn = Turn { number, units: self.units.clone() };
        for layer in &mut self.layers {
            layer.update(&turn);
        }
    }
}

fn main() {
    let mut world = World {
        layers: vec![
            Box::new(Heights::default()),
            Box::new(Paths { trails: Vec::new(), costs: Grid::new() }),
            Box::new(Fog { seen: Grid::new(), before: Vec::new() }),
        ],
        units: (0..60).map(|i| (i * 13 % WIDTH, i * 7 % HEIGHT)).collect(),
    };
    for number in 0..2000 {
        world.next(number);
    }
    for layer in &world.layers {
        println!("{}: {} KiB", layer.title(), layer.memory() / 1024);
    }
}
