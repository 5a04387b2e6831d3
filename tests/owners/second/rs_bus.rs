// Subscribers as boxed closures that own a buffer each.
use std::process;
use std::rc::Rc;

struct Bus {
    subscribers: Vec<Box<dyn Fn(u8) -> usize>>,
}

impl Bus {
    #[inline(never)]
    fn subscribe(&mut self, f: Box<dyn Fn(u8) -> usize>) {
        self.subscribers.push(f);
    }
}

#[inline(never)]
fn open_session(bus: &mut Bus, id: u8) {
    let mut buffer = Vec::with_capacity(4096); // guilty
    buffer.resize(4096, id);
    let shared = Rc::new(buffer);
    bus.subscribe(Box::new(move |x| shared.len() + x as usize));
}

fn main() {
    let mut bus = Bus { subscribers: vec![] };
    for n in 0..12_000u32 {
        open_session(&mut bus, n as u8);
    }
    println!("{}", bus.subscribers.iter().map(|f| f(1)).sum::<usize>());
    process::exit(0);
}
