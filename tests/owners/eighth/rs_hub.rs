//! A hub for the live scores of a sports site: each browser has a channel, and a task that writes what comes to its socket.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{channel, Receiver, Sender, TryRecvError};

type ClientId = u32;

struct Client {
    sender: Sender<String>,
    topics: Vec<u16>,
}

#[derive(Default)]
struct Hub {
    clients: HashMap<ClientId, Client>,
    last_id: ClientId,
    sent: u64,
}

impl Hub {
    fn join(&mut self, topics: impl IntoIterator<Item = u16>) -> (ClientId, Receiver<String>) {
        let (sender, receiver) = channel();
        self.last_id += 1;
        self.clients.insert(self.last_id, Client { sender, topics: topics.into_iter().collect() });
        (self.last_id, receiver)
    }

    fn leave(&mut self, id: ClientId) {
        self.clients.remove(&id);
    }

    fn broadcast(&mut self, topic: u16, message: &str) {
        let mut gone = Vec::new();
        for (&id, client) in &self.clients {
            if !client.topics.contains(&topic) {
                continue;
            }
            let sent = client.sender.send(message.to_owned()); // guilty
            if sent.is_err() {
                gone.push(id);
            }
            self.sent += 1;
        }
        for id in gone {
            self.leave(id);
        }
    }
}

/// The task that belongs to a socket. A telephone that sleeps keeps its socket open, and takes nothing.
struct Socket {
    id: ClientId,
    incoming: Receiver<String>,
    is_asleep: bool,
    written: usize,
}

impl Socket {
    fn poll(&mut self) -> bool {
        if self.is_asleep {
            return true;
        }
        loop {
            match self.incoming.try_recv() {
                Ok(message) => self.written += message.len(),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }
}

struct Game {
    topic: u16,
    home: String,
    away: String,
    goals: (u8, u8),
    minutes: BTreeMap<u16, String>,
}

impl Game {
    fn schedule(topic: u16) -> Self {
        Game {
            topic,
            home: format!("FC Town {topic}"),
            away: format!("United {}", topic + 1),
            goals: (0, 0),
            minutes: (0..240)
                .map(|minute| (minute, format!("Minute {minute}: the players of town {topic} and united {} go on", topic + 1)))
                .collect(),
        }
    }

    fn play(&mut self, minute: u16) -> String {
        if (minute * 7 + self.topic) % 41 == 0 {
            self.goals.0 += 1;
        } else if (minute * 5 + self.topic) % 53 == 0 {
            self.goals.1 += 1;
        }
        let comment = self.minutes.get(&minute).map_or("", String::as_str);
        format!(
            "{{\"game\":{},\"minute\":{minute},\"home\":\"{}\",\"away\":\"{}\",\"score\":[{},{}],\"comment\":\"{comment}\"}}",
            self.topic, self.home, self.away, self.goals.0, self.goals.1
        )
    }
}

fn main() {
    let mut hub = Hub::default();
    let mut games: Vec<Game> = (0..150).map(Game::schedule).collect();
    let mut sockets: Vec<Socket> = Vec::new();
    for number in 0..2500u32 {
        let favourite = (number % 150) as u16;
        let (id, incoming) = hub.join([favourite, (favourite + 7) % 150, (favourite + 31) % 150]);
        sockets.push(Socket { id, incoming, is_asleep: number % 5 < 2, written: 0 });
    }
    for minute in 0..90 {
        for game in &mut games {
            let message = game.play(minute);
            hub.broadcast(game.topic, &message);
        }
        sockets.retain_mut(|socket| {
            let stays = socket.poll() && (socket.is_asleep || socket.id % 97 != u32::from(minute));
            if !stays {
                hub.leave(socket.id);
            }
            stays
        });
    }
    let written: usize = sockets.iter().map(|socket| socket.written).sum();
    println!("{} sent, {written} bytes written, {} clients", hub.sent, hub.clients.len());
    std::process::exit(0);
}
