//! Cars on a ring of roads. Observers are closures, which are called after each step.

use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone, Debug)]
struct Car {
    id: usize,
    road: usize,
    position: f64,
    speed: f64,
    plan: Vec<u16>,
}

#[derive(Clone)]
struct State {
    time: f64,
    cars: Vec<Car>,
    lights: Vec<bool>,
}

type Observer = Box<dyn FnMut(&State)>;

struct Simulation {
    state: State,
    observers: Vec<Observer>,
}

impl Simulation {
    fn new(cars: usize, roads: usize) -> Self {
        let cars = (0..cars)
            .map(|id| Car {
                id,
                road: id % roads,
                position: (id * 37 % 500) as f64,
                speed: 0.0,
                plan: (0..6).map(|k| ((id * 7 + k * 13) % roads) as u16).collect(),
            })
            .collect();
        Simulation { state: State { time: 0.0, cars, lights: vec![false; roads] }, observers: Vec::new() }
    }

    fn observe(&mut self, observer: impl FnMut(&State) + 'static) {
        self.observers.push(Box::new(observer));
    }

    fn step(&mut self, dt: f64) {
        let state = &mut self.state;
        state.time += dt;
        for (i, light) in state.lights.iter_mut().enumerate() {
            *light = ((state.time / 30.0) as usize + i) % 2 == 0;
        }
        for car in &mut state.cars {
            let green = state.lights[car.road];
            let wish = if green || car.position < 450.0 { 14.0 } else { 0.0 };
            car.speed += (wish - car.speed).clamp(-4.0, 2.0) * dt;
            car.position += car.speed * dt;
            if car.position > 500.0 {
                car.position -= 500.0;
                car.plan.rotate_left(1);
                car.road = car.plan[0] as usize;
            }
        }
        for observer in &mut self.observers {
            observer(&self.state);
        }
    }
}

fn watch_jams(sim: &mut Simulation) -> Rc<RefCell<Vec<(f64, usize)>>> {
    let jams = Rc::new(RefCell::new(Vec::new()));
    let out = Rc::clone(&jams);
    sim.observe(move |state| {
        let slow = state.cars.iter().filter(|c| c.speed < 1.0).count();
        if slow > state.cars.len() / 10 {
            out.borrow_mut().push((state.time, slow));
        }
    });
    jams
}

/// The whole state each second, to be played again; a film would need the positions only.
fn record(sim: &mut Simulation) -> Rc<RefCell<Vec<State>>> {
    let film = Rc::new(RefCell::new(Vec::new()));
    let out = film.clone();
    let mut next = 0.0;
    sim.observe(move |state: &State| {
        if state.time >= next {
            out.borrow_mut().push(state.clone()); // guilty
            next += 1.0;
        }
    });
    film
}

fn watch_best(sim: &mut Simulation, best: Rc<RefCell<Option<Car>>>) {
    sim.observe(move |state| {
        let fastest = state.cars.iter().max_by(|a, b| a.speed.total_cmp(&b.speed)).unwrap();
        let mut best = best.borrow_mut();
        if best.as_ref().map_or(true, |b| b.speed < fastest.speed) {
            *best = Some(fastest.clone());
        }
    });
}

fn main() {
    let mut sim = Simulation::new(900, 24);
    let best = Rc::new(RefCell::new(None));
    let jams = watch_jams(&mut sim);
    watch_best(&mut sim, best.clone());
    let film = record(&mut sim);
    for _ in 0..5200 {
        sim.step(0.1);
    }
    let seconds = film.borrow().len();
    println!("{seconds} s, {} jams, fastest: car {}", jams.borrow().len(), best.borrow().as_ref().unwrap().id);
}
