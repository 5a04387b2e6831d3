use std::sync::mpsc;
use std::thread;
struct Sack { number: u32, flour: Vec<u8> }
struct Miller { seed: u32 }
impl Miller {
    fn grind(&mut self, number: u32) -> Sack {
        self.seed = self.seed.wrapping_mul(1664525).wrapping_add(1013904223);
        Sack { number, flour: vec![self.seed as u8; 3000 + (self.seed >> 22) as usize] }
    }
}
struct Store { sacks: Vec<Sack>, thrown: usize }
impl Store {
    fn new() -> Self { Store { sacks: Vec::new(), thrown: 0 } }
    fn take_in(&mut self, sack: Sack) {
        if sack.flour[0] < 30 {
            self.thrown += 1;
            return;
        }
        self.sacks.push(sack); // guilty
    }
    fn weight(&self) -> usize { self.sacks.iter().map(|s| s.flour.len()).sum() }
}
fn main() {
    let (sender, receiver) = mpsc::channel::<Sack>();
    let mill = thread::spawn(move || {
        let mut miller = Miller { seed: 7 };
        for number in 0..10000 {
            sender.send(miller.grind(number)).unwrap();
        }
    });
    let mut store = Store::new();
    for sack in receiver {
        if sack.number % 1000 == 0 { println!("{}", store.weight()); }
        store.take_in(sack);
    }
    mill.join().unwrap();
    println!("{} {}", store.weight(), store.thrown);
}
