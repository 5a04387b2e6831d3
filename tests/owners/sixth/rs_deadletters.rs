//! A queue with consumers that may refuse; what is refused too often is dropped.
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::error::Error;
use std::fmt;
use std::rc::Rc;

#[derive(Clone, Debug)]
struct Envelope {
    id: u64,
    topic: Rc<str>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
    tries: u8,
}

#[derive(Debug)]
enum Refusal {
    Busy,
    Malformed(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Busy => f.write_str("busy"),
            Refusal::Malformed(why) => write!(f, "malformed: {why}"),
        }
    }
}

impl Error for Refusal {}

trait Consumer {
    fn consume(&mut self, e: &Envelope) -> Result<(), Refusal>;
}

impl<F: FnMut(&Envelope) -> Result<(), Refusal>> Consumer for F {
    fn consume(&mut self, e: &Envelope) -> Result<(), Refusal> {
        self(e)
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Envelope>,
    consumers: HashMap<Rc<str>, Vec<Box<dyn Consumer>>>,
    dropped: Vec<(Envelope, String)>,
    next: u64,
}

impl Queue {
    fn register(&mut self, topic: &Rc<str>, c: impl Consumer + 'static) {
        self.consumers.entry(Rc::clone(topic)).or_default().push(Box::new(c));
    }

    fn keep(&mut self, topic: &Rc<str>, body: Vec<u8>) {
        self.next += 1;
        let headers = [("content-type", "application/json"), ("producer", "front")]
            .iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect();
        self.waiting.push_back(Envelope { id: self.next, topic: Rc::clone(topic), headers, body, tries: 0 });
    }

    fn drop_envelope(&mut self, e: &Envelope, why: &Refusal) {
        self.dropped.push((e.clone(), why.to_string())); // guilty
    }

    fn pump(&mut self, most: usize) -> usize {
        let mut done = 0;
        for _ in 0..most {
            let Some(mut e) = self.waiting.pop_front() else { break };
            let mut refused = None;
            if let Some(list) = self.consumers.get_mut(&e.topic) {
                refused = list.iter_mut().find_map(|c| c.consume(&e).err());
            }
            match refused {
                None => done += 1,
                Some(Refusal::Busy) if e.tries < 3 => {
                    e.tries += 1;
                    self.waiting.push_back(e);
                }
                Some(why) => self.drop_envelope(&e, &why),
            }
        }
        done
    }

    fn close(&mut self) {
        let rest: Vec<_> = self.waiting.drain(..).collect();
        for e in &rest {
            self.drop_envelope(e, &Refusal::Busy);
        }
    }
}

fn json(i: usize) -> Vec<u8> {
    let mut s = format!("{{\"order\": {i}, \"things\": [");
    for k in 0..40 {
        s += &format!("{}, ", i * k % 1000);
    }
    s.push_str(if i % 3 == 0 { "0]" } else { "0]}" });
    s.into_bytes()
}

fn main() -> Result<(), Box<dyn Error>> {
    let topics: Vec<Rc<str>> = ["orders", "bills", "letters"].iter().map(|&t| Rc::from(t)).collect();
    let mut queue = Queue::default();
    let mut calls = 0u32;
    queue.register(&topics[0], |e: &Envelope| {
        let text = String::from_utf8(e.body.clone()).map_err(|x| Refusal::Malformed(x.to_string()))?;
        if text.ends_with('}') { Ok(()) } else { Err(Refusal::Malformed(format!("{} ends too early", e.id))) }
    });
    queue.register(&topics[1], move |_: &Envelope| {
        calls += 1;
        if calls % 2 == 0 { Err(Refusal::Busy) } else { Ok(()) }
    });
    let mut done = 0;
    for i in 0..160_000 {
        let topic = &topics[i % 3];
        queue.keep(topic, json(i));
        done += queue.pump(2);
    }
    queue.close();
    println!("{done} done, {} dropped", queue.dropped.len());
    Ok(())
}
