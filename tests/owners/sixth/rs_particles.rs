//! A world of things in slots, in which sparks fly; systems run over all things each frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Handle {
    slot: u32,
    generation: u32,
}

struct Slab<T> {
    slots: Vec<(u32, Option<Box<T>>)>,
    unused: Vec<u32>,
}

impl<T> Slab<T> {
    fn with_room(n: usize) -> Self {
        Slab { slots: Vec::with_capacity(n), unused: Vec::new() }
    }

    fn put(&mut self, value: T) -> Handle {
        if let Some(slot) = self.unused.pop() {
            let entry = &mut self.slots[slot as usize];
            entry.0 += 1;
            entry.1 = Some(Box::new(value));
            return Handle { slot, generation: entry.0 };
        }
        self.slots.push((0, Some(Box::new(value))));
        Handle { slot: self.slots.len() as u32 - 1, generation: 0 }
    }

    fn take(&mut self, h: Handle) -> Option<Box<T>> {
        let entry = self.slots.get_mut(h.slot as usize).filter(|e| e.0 == h.generation)?;
        let value = entry.1.take();
        if value.is_some() {
            self.unused.push(h.slot);
        }
        value
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = (Handle, &mut T)> {
        self.slots.iter_mut().enumerate().filter_map(|(i, (generation, v))| {
            let handle = Handle { slot: i as u32, generation: *generation };
            v.as_deref_mut().map(|v| (handle, v))
        })
    }
}

#[derive(Debug)]
enum Kind {
    Ship { fuel: f32 },
    Shot { left: u32 },
    Spark { heat: f32 },
}

#[derive(Debug)]
struct Thing {
    kind: Kind,
    at: [f32; 3],
    speed: [f32; 3],
    history: [[f32; 3]; 6],
}

impl Thing {
    fn new(kind: Kind, at: [f32; 3], speed: [f32; 3]) -> Self {
        Thing { kind, at, speed, history: [at; 6] }
    }
}

struct World {
    things: Slab<Thing>,
    random: u32,
}

impl World {
    fn next(&mut self) -> f32 {
        self.random = self.random.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.random >> 8) as f32 / (1 << 24) as f32 - 0.5
    }

    fn launch(&mut self, n: usize) -> Vec<Handle> {
        (0..n).map(|i| self.things.put(Thing::new(Kind::Ship { fuel: 1e4 }, [i as f32, 0.0, 0.0], [0.0, 1.0, 0.0]))).collect()
    }

    fn fire(&mut self, at: [f32; 3]) -> Handle {
        let speed = [self.next(), 8.0, self.next()];
        self.things.put(Thing::new(Kind::Shot { left: 30 }, at, speed))
    }

    /// They cool by a share of their heat, and so never are quite cold.
    fn explode(&mut self, at: [f32; 3], count: usize) {
        for _ in 0..count {
            let speed = [self.next(), self.next(), self.next()];
            let spark = Thing::new(Kind::Spark { heat: 1.0 }, at, speed);
            self.things.put(spark); // guilty
        }
    }

    fn step(&mut self) {
        let mut gone = Vec::new();
        let mut bursts = Vec::new();
        let mut shots = Vec::new();
        for (handle, t) in self.things.iter_mut() {
            for i in 0..3 {
                t.at[i] += t.speed[i];
            }
            t.history.rotate_right(1);
            t.history[0] = t.at;
            match &mut t.kind {
                Kind::Ship { fuel } => {
                    *fuel -= 1.0;
                    if *fuel as u32 % 2 == 0 {
                        shots.push(t.at);
                    }
                }
                Kind::Shot { left } => {
                    *left -= 1;
                    if *left == 0 {
                        gone.push(handle);
                        bursts.push(t.at);
                    }
                }
                Kind::Spark { heat } => {
                    *heat *= 0.97;
                    if *heat <= 0.0 {
                        gone.push(handle);
                    }
                }
            }
        }
        gone.into_iter().for_each(|h| drop(self.things.take(h)));
        for at in shots {
            self.fire(at);
        }
        for at in bursts {
            self.explode(at, 24);
        }
    }
}

fn main() {
    let mut world = World { things: Slab::with_room(1024), random: 1 };
    let ships = world.launch(60);
    for _ in 0..400 {
        world.step();
    }
    let alive = world.things.iter_mut().count();
    let lost = ships.into_iter().filter_map(|h| world.things.take(h)).count();
    println!("{alive} things, {lost} ships");
}
