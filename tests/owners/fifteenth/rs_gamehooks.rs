// gamehooks: game server loop with pluggable event hooks (trait objects).
use std::collections::{HashMap, VecDeque};
use std::thread::sleep;
use std::time::Duration;

#[derive(Clone)]
enum Payload {
    Move { path: Vec<(i32, i32)> },
    Chat { text: String },
    Loot { items: Vec<String> },
}

#[derive(Clone)]
struct Event {
    tick: u32,
    player: u32,
    payload: Payload,
}

trait Hook {
    fn name(&self) -> &'static str;
    fn on_event(&mut self, ev: &Event) -> bool;
    fn report(&self) -> String;
}

struct RateLimiter {
    recent: HashMap<u32, VecDeque<u32>>,
    blocked: u64,
}

impl Hook for RateLimiter {
    fn name(&self) -> &'static str {
        "rate"
    }
    fn on_event(&mut self, ev: &Event) -> bool {
        let q = self.recent.entry(ev.player).or_default();
        while q.front().map_or(false, |t| t + 20 < ev.tick) {
            q.pop_front();
        }
        q.push_back(ev.tick);
        if q.len() > 40 {
            self.blocked += 1;
            return false;
        }
        true
    }
    fn report(&self) -> String {
        format!("blocked {}", self.blocked)
    }
}

struct ChatLog {
    lines: VecDeque<String>,
}

impl ChatLog {
    fn remember_line(&mut self, player: u32, text: &str) {
        if self.lines.len() == 12_000 {
            self.lines.pop_front();
        }
        self.lines.push_back(format!("<player{}> {}", player, text));
    }
}

impl Hook for ChatLog {
    fn name(&self) -> &'static str {
        "chat"
    }
    fn on_event(&mut self, ev: &Event) -> bool {
        if let Payload::Chat { text } = &ev.payload {
            self.remember_line(ev.player, text);
        }
        true
    }
    fn report(&self) -> String {
        format!("{} chat lines", self.lines.len())
    }
}

struct ReplayRecorder {
    matches: HashMap<u32, Vec<Event>>,
    current: u32,
}

impl ReplayRecorder {
    fn keep_for_replay(&mut self, ev: &Event) {
        let id = self.current;
        self.matches.entry(id).or_default().push(ev.clone()); // guilty
    }
}

impl Hook for ReplayRecorder {
    fn name(&self) -> &'static str {
        "replay"
    }
    fn on_event(&mut self, ev: &Event) -> bool {
        self.current = ev.tick / 50;
        self.keep_for_replay(ev);
        true
    }
    fn report(&self) -> String {
        let n = self.matches.get(&self.current).map_or(0, |v| v.len());
        format!("match {} has {} events", self.current, n)
    }
}

struct Server {
    hooks: Vec<Box<dyn Hook>>,
    rng: u32,
}

impl Server {
    fn roll(&mut self, n: u32) -> u32 {
        self.rng = self.rng.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.rng >> 10) % n
    }
    fn simulate_player(&mut self, tick: u32) -> Event {
        let player = self.roll(300);
        let payload = match self.roll(3) {
            0 => {
                let n = 20 + self.roll(60);
                Payload::Move { path: (0..n as i32).map(|i| (i, i * 2)).collect() }
            }
            1 => {
                let n = 20 + self.roll(200) as usize;
                Payload::Chat { text: "ha".repeat(n) }
            }
            _ => {
                let n = 3 + self.roll(8);
                Payload::Loot { items: (0..n).map(|i| format!("item-{}-of-player-{}", i, player)).collect() }
            }
        };
        Event { tick, player, payload }
    }
    fn tick(&mut self, t: u32) -> u32 {
        let mut accepted = 0;
        for _ in 0..350 {
            let ev = self.simulate_player(t);
            if self.hooks.iter_mut().all(|h| h.on_event(&ev)) {
                accepted += 1;
            }
        }
        accepted
    }
}

fn main() {
    let mut srv = Server {
        hooks: vec![
            Box::new(RateLimiter { recent: HashMap::new(), blocked: 0 }),
            Box::new(ChatLog { lines: VecDeque::new() }),
            Box::new(ReplayRecorder { matches: HashMap::new(), current: 0 }),
        ],
        rng: 2024,
    };
    let mut accepted = 0;
    for t in 0..420 {
        accepted += srv.tick(t);
        sleep(Duration::from_millis(8));
    }
    for h in &srv.hooks {
        println!("{}: {}", h.name(), h.report());
    }
    println!("accepted {}", accepted);
}
