// Calibrates the frames of a telescope: a camera thread, a channel with a bound, workers that wait for dark frames, and star counts.
use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Settings {
    exposure: u16,
    gain: u8,
}

enum Kind {
    Dark,
    Light { field: u32 },
}

struct Frame {
    number: u32,
    kind: Kind,
    settings: Settings,
    pixels: Box<[u16]>,
}

const SIDE: usize = 80;

struct Camera {
    state: u32,
}

impl Camera {
    fn next(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(1664525).wrapping_add(1013904223);
        self.state >> 8
    }

    fn expose(&mut self, number: u32, kind: Kind, settings: Settings) -> Frame {
        let mut pixels = vec![0u16; SIDE * SIDE].into_boxed_slice();
        for p in pixels.iter_mut() {
            *p = 200 + (self.next() % 40) as u16 + settings.exposure / 4;
        }
        if let Kind::Light { field } = kind {
            for _ in 0..30 + field % 20 {
                let at = self.next() as usize % pixels.len();
                pixels[at] += 3000;
            }
        }
        Frame { number, kind, settings, pixels }
    }

    fn night(mut self, out: SyncSender<Frame>) {
        for number in 0..9000 {
            let settings = Settings { exposure: [30, 60, 120, 300, 45, 90][self.next() as usize % 6], gain: (self.next() % 3) as u8 };
            let dark = number % 30 == 0 && settings.exposure >= 60;
            let kind = if dark { Kind::Dark } else { Kind::Light { field: number / 50 } };
            let frame = self.expose(number, kind, settings);
            if out.send(frame).is_err() {
                return;
            }
        }
    }
}

#[derive(Default)]
struct Results {
    stars: BTreeMap<u32, usize>,
    calibrated: usize,
}

struct Calibrator {
    darks: HashMap<Settings, Box<[u16]>>,
    waiting: HashMap<Settings, Vec<Frame>>,
    results: Arc<Mutex<Results>>,
}

impl Calibrator {
    fn new(results: Arc<Mutex<Results>>) -> Self {
        Calibrator { darks: HashMap::new(), waiting: HashMap::new(), results }
    }

    fn handle(&mut self, frame: Frame) {
        match frame.kind {
            Kind::Dark => {
                let settings = frame.settings;
                self.darks.insert(settings, frame.pixels);
                for light in self.waiting.remove(&settings).unwrap_or_default() {
                    self.calibrate(&light);
                }
            }
            Kind::Light { .. } if self.darks.contains_key(&frame.settings) => self.calibrate(&frame),
            Kind::Light { .. } => self.postpone(frame),
        }
    }

    fn postpone(&mut self, frame: Frame) {
        self.waiting.entry(frame.settings).or_default().push(frame); // guilty
    }

    fn calibrate(&self, frame: &Frame) {
        let dark = &self.darks[&frame.settings];
        let flat: Vec<i32> = frame.pixels.iter().zip(dark.iter()).map(|(&l, &d)| l as i32 - d as i32).collect();
        let stars = flat.iter().filter(|&&p| p > 1500).count();
        let mut results = self.results.lock().unwrap();
        results.calibrated += 1;
        if let Kind::Light { field } = frame.kind {
            let best = results.stars.entry(field).or_default();
            *best = stars.max(*best);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.values().map(Vec::len).sum()
    }

    fn newest_waiting(&self) -> Option<u32> {
        self.waiting.values().flatten().map(|f| f.number).max()
    }
}

fn work(frames: Receiver<Frame>, results: Arc<Mutex<Results>>) -> (usize, Option<u32>) {
    let mut calibrator = Calibrator::new(results);
    for frame in frames {
        calibrator.handle(frame);
    }
    (calibrator.waiting(), calibrator.newest_waiting())
}

fn main() {
    let results = Arc::new(Mutex::new(Results::default()));
    let (send, receive) = sync_channel(16);
    let shared = Arc::clone(&results);
    let worker = thread::spawn(move || work(receive, shared));
    let camera = thread::spawn(move || Camera { state: 3 }.night(send));
    camera.join().expect("the camera failed");
    let (waiting, newest) = worker.join().expect("the worker failed");
    let results = results.lock().unwrap();
    let best = results.stars.iter().max_by_key(|s| s.1);
    println!("{} frames calibrated, {} wait for a dark, the newest is {:?}", results.calibrated, waiting, newest);
    println!("{} fields, the richest: {:?}", results.stars.len(), best);
}
