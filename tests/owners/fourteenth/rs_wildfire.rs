// Simulates wildfires: a grid of fuel, fires in an arena with generations, wind, crews that put them out, and the area burnt.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    index: u32,
    generation: u32,
}

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// Values that are named by keys which stay valid until the value is removed.
struct Arena<T> {
    slots: Vec<Slot<T>>,
    alive: usize,
}

impl<T> Arena<T> {
    fn new() -> Self {
        Arena { slots: Vec::new(), alive: 0 }
    }

    fn insert(&mut self, value: T) -> Key {
        self.alive += 1;
        self.slots.push(Slot { generation: 0, value: Some(value) }); // guilty
        Key { index: self.slots.len() as u32 - 1, generation: 0 }
    }

    fn remove(&mut self, key: Key) -> Option<T> {
        let slot = self.slots.get_mut(key.index as usize).filter(|s| s.generation == key.generation)?;
        slot.generation += 1;
        let value = slot.value.take();
        self.alive -= value.is_some() as usize;
        value
    }

    fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        self.slots.get_mut(key.index as usize).filter(|s| s.generation == key.generation)?.value.as_mut()
    }
}

#[derive(Clone, Copy)]
struct Cell {
    fuel: u8,
    height: u8,
}

struct Fire {
    x: usize,
    y: usize,
    heat: f32,
    started: u32,
    spread: [f32; 8],
    crews: u8,
}

struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

struct Forest {
    width: usize,
    cells: Vec<Cell>,
    fires: Arena<Fire>,
    front: Vec<Key>,
    wind: usize,
    burnt: u64,
}

const AROUND: [(isize, isize); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

impl Forest {
    fn new(width: usize, dice: &mut Dice) -> Forest {
        let cells = (0..width * width).map(|_| Cell { fuel: (dice.unit() * 9.0) as u8, height: (dice.unit() * 200.0) as u8 }).collect();
        Forest { width, cells, fires: Arena::new(), front: Vec::new(), wind: 0, burnt: 0 }
    }

    fn ignite(&mut self, x: usize, y: usize, minute: u32) {
        let cell = &mut self.cells[y * self.width + x];
        if cell.fuel < 3 {
            return;
        }
        let heat = cell.fuel as f32;
        cell.fuel = 0;
        let mut spread = [0.06; 8];
        for (i, (dx, dy)) in AROUND.iter().enumerate() {
            let (nx, ny) = ((x as isize + dx).rem_euclid(self.width as isize), (y as isize + dy).rem_euclid(self.width as isize));
            let up = self.cells[ny as usize * self.width + nx as usize].height > self.cells[y * self.width + x].height;
            spread[i] += if i == self.wind { 0.2 } else { 0.0 } + if up { 0.03 } else { 0.0 };
        }
        self.front.push(self.fires.insert(Fire { x, y, heat, started: minute, spread, crews: 0 }));
    }

    fn step(&mut self, minute: u32, dice: &mut Dice) {
        if dice.unit() < 0.1 {
            self.wind = (self.wind + 1) % 8;
        }
        let mut sparks = Vec::new();
        let (fires, burnt, width) = (&mut self.fires, &mut self.burnt, self.width as isize);
        self.front.retain(|&key| {
            let Some(fire) = fires.get_mut(key) else { return false };
            fire.heat -= 0.6 + fire.crews as f32;
            for (chance, (dx, dy)) in fire.spread.iter().zip(AROUND) {
                if dice.unit() < *chance {
                    sparks.push(((fire.x as isize + dx).rem_euclid(width) as usize, (fire.y as isize + dy).rem_euclid(width) as usize));
                }
            }
            let over = fire.heat < 0.0 || minute - fire.started > 60;
            if over {
                *burnt += 1;
                fires.remove(key);
            }
            !over
        });
        for (x, y) in sparks {
            self.ignite(x, y, minute);
        }
    }

    /// Sends crews to the hottest fires.
    fn send_crews(&mut self, crews: usize) {
        let fires = &mut self.fires;
        let mut hot: Vec<(u32, Key)> = self.front.iter().map(|&key| (fires.get_mut(key).map_or(0, |f| (f.heat * 100.0) as u32), key)).collect();
        hot.sort_by_key(|&(heat, _)| std::cmp::Reverse(heat));
        for (_, key) in hot.into_iter().take(crews) {
            if let Some(fire) = fires.get_mut(key) {
                fire.crews += 1;
            }
        }
    }
}

fn main() {
    let mut dice = Dice(0x9e3779b97f4a7c15);
    let mut forest = Forest::new(300, &mut dice);
    for minute in 0..2400 {
        if minute % 20 == 0 {
            let (x, y) = ((dice.unit() * 300.0) as usize, (dice.unit() * 300.0) as usize);
            forest.ignite(x, y, minute);
            forest.send_crews(6);
        }
        if minute % 40 == 0 {
            forest.cells.iter_mut().for_each(|c| c.fuel = (c.fuel + 1).min(9));
        }
        forest.step(minute, &mut dice);
    }
    println!("{} cells burnt, {} alight", forest.burnt, forest.fires.alive);
}
