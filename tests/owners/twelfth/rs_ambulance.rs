// The desk of an ambulance service: calls, vehicles that drive over a grid, and who is sent where.
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

#[derive(Clone, Copy, PartialEq, Debug)]
struct Place {
    x: i32,
    y: i32,
}

impl Place {
    fn distance(self, other: Place) -> i32 {
        (self.x - other.x).abs() + (self.y - other.y).abs()
    }
    fn step_to(self, other: Place) -> Place {
        if self.x != other.x {
            Place { x: self.x + (other.x - self.x).signum(), ..self }
        } else {
            Place { y: self.y + (other.y - self.y).signum(), ..self }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Status {
    Free,
    Driving(usize),
    AtScene(usize, u32),
}

#[derive(Clone)]
struct Fix {
    second: u32,
    place: Place,
    status: Status,
    speed: f32,
}

struct Vehicle {
    sign: String,
    home: Place,
    place: Place,
    status: Status,
    track: VecDeque<Fix>,
}

impl Vehicle {
    fn new(number: usize, home: Place) -> Vehicle {
        Vehicle { sign: format!("Medic {number}"), home, place: home, status: Status::Free, track: VecDeque::new() }
    }

    fn locate(&mut self, second: u32) {
        let moved = self.track.back().map_or(0, |f| f.place.distance(self.place));
        self.track.push_back(Fix { second, place: self.place, status: self.status, speed: moved as f32 * 14.0 }); // guilty
    }

    /// How fast it was lately, for estimates of its arrival.
    fn pace(&self) -> f32 {
        let recent = self.track.iter().rev().take(12).filter(|f| matches!(f.status, Status::Driving(_)));
        let (sum, n) = recent.filter(|f| f.speed > 0.0).fold((0.0, 0), |(s, n), f| (s + f.speed, n + 1));
        if n == 0 { 10.0 } else { sum / n as f32 }
    }

    fn advance(&mut self, calls: &mut [Call], second: u32) {
        self.status = match self.status {
            Status::Driving(call) if self.place == calls[call].place => {
                calls[call].reached = Some(second);
                Status::AtScene(call, calls[call].care)
            }
            Status::AtScene(_, 0) => Status::Free,
            Status::AtScene(call, left) => Status::AtScene(call, left - 1),
            Status::Driving(call) => {
                self.place = self.place.step_to(calls[call].place);
                Status::Driving(call)
            }
            Status::Free => {
                if self.place != self.home {
                    self.place = self.place.step_to(self.home);
                }
                Status::Free
            }
        };
    }
}

struct Call {
    place: Place,
    urgency: u8,
    second: u32,
    care: u32,
    reached: Option<u32>,
    notes: String,
}

struct Desk {
    vehicles: Vec<Vehicle>,
    calls: Vec<Call>,
    waiting: BinaryHeap<(u8, Reverse<usize>)>,
    messages: usize,
}

impl Desk {
    fn new(vehicles: usize) -> Desk {
        let homes = (0..vehicles).map(|i| Place { x: (i as i32 * 37) % 100, y: (i as i32 * 61) % 100 });
        Desk {
            vehicles: homes.enumerate().map(|(i, home)| Vehicle::new(i, home)).collect(),
            calls: Vec::new(),
            waiting: BinaryHeap::new(),
            messages: 0,
        }
    }

    fn call(&mut self, call: Call) {
        self.waiting.push((call.urgency, Reverse(self.calls.len())));
        self.calls.push(call);
    }

    fn dispatch(&mut self) {
        while let Some(&(_, Reverse(number))) = self.waiting.peek() {
            let place = self.calls[number].place;
            let free = self.vehicles.iter_mut().filter(|v| v.status == Status::Free);
            let arrival = |v: &Vehicle| (v.place.distance(place) as f32 * 140.0 / v.pace()) as i32;
            let Some(best) = free.min_by_key(|v| arrival(v)) else { return };
            best.status = Status::Driving(number);
            let message = format!("{} to {:?}: {}", best.sign, place, self.calls[number].notes);
            self.messages += message.len();
            self.waiting.pop();
        }
    }

    fn tick(&mut self, second: u32) {
        self.dispatch();
        for vehicle in &mut self.vehicles {
            vehicle.advance(&mut self.calls, second);
            vehicle.locate(second);
        }
    }

    /// The time until help came in the median, by urgency.
    fn median(&self, urgency: u8) -> u32 {
        let reached = self.calls.iter().filter(|c| c.urgency == urgency).filter_map(|c| Some(c.reached? - c.second));
        let mut times: Vec<u32> = reached.collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or(0)
    }
}

fn main() {
    let mut desk = Desk::new(40);
    let mut state = 3u32;
    let mut random = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    for second in 0..24000 {
        if random(9) == 0 {
            let notes = ["chest pain", "fall from a ladder", "unconscious", "burn"][random(4) as usize];
            desk.call(Call {
                place: Place { x: random(100) as i32, y: random(100) as i32 },
                urgency: random(3) as u8,
                second,
                care: 60 + random(120),
                reached: None,
                notes: format!("{notes}, floor {}", random(9)),
            });
        }
        desk.tick(second);
    }
    let last = desk.vehicles.iter().filter_map(|v| v.track.back()).map(|f| f.second).max();
    println!("{} calls, {} letters sent, last fix {:?}", desk.calls.len(), desk.messages, last);
    println!("medians {} {} {}, {} still wait", desk.median(0), desk.median(1), desk.median(2), desk.waiting.len());
}
