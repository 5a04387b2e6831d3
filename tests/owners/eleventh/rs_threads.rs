//! Sorts the messages of mailing lists into threads, by what they reply to, and makes a digest for each day.

use std::collections::{BTreeMap, HashMap};

struct Message {
    id: String,
    reply_to: Option<String>,
    from: String,
    subject: String,
    body: String,
}

struct Thread {
    subject: String,
    messages: Vec<Message>,
}

#[derive(Default)]
struct Archive {
    threads: Vec<Thread>,
    thread_of: HashMap<String, usize>,
}

impl Archive {
    fn file(&mut self, message: Message) -> usize {
        let known = message.reply_to.as_ref().and_then(|parent| self.thread_of.get(parent)).copied();
        let index = known.unwrap_or_else(|| self.open_thread(&message));
        self.thread_of.insert(message.id.clone(), index);
        self.threads[index].messages.push(message); // guilty
        index
    }

    fn open_thread(&mut self, first: &Message) -> usize {
        let subject = plain_subject(&first.subject).to_string();
        self.threads.push(Thread { subject, messages: Vec::new() });
        self.threads.len() - 1
    }

    fn summary(&self, index: usize) -> String {
        let thread = &self.threads[index];
        let mut people: Vec<&str> = thread.messages.iter().map(|m| m.from.as_str()).collect();
        people.sort_unstable();
        people.dedup();
        format!("{} ({} messages of {})", thread.subject, thread.messages.len(), people.join(", "))
    }
}

fn plain_subject(subject: &str) -> &str {
    subject.trim_start_matches("Re: ")
}

/// The header lines and the body of a message as it comes.
fn parse(raw: &str) -> Option<Message> {
    let (head, body) = raw.split_once("\n\n")?;
    let fields: BTreeMap<&str, &str> = head.lines().filter_map(|line| line.split_once(": ")).collect();
    Some(Message {
        id: fields.get("Message-Id")?.to_string(),
        reply_to: fields.get("In-Reply-To").map(|id| id.to_string()),
        from: fields.get("From")?.to_string(),
        subject: fields.get("Subject")?.to_string(),
        body: body.to_string(),
    })
}

struct Filter {
    words: HashMap<String, u32>,
}

impl Filter {
    fn score(&mut self, message: &Message) -> u32 {
        let mut score = 0;
        for word in message.body.split(' ') {
            match self.words.get_mut(word) {
                Some(count) => {
                    *count += 1;
                    score += (*count % 97 == 0) as u32;
                }
                None => {
                    self.words.insert(word.to_lowercase(), 1);
                }
            }
        }
        score
    }
}

struct Mailbox {
    state: u64,
    sent: u64,
}

impl Mailbox {
    fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_mul(2862933555777941757).wrapping_add(3037000493);
        (self.state >> 32) % limit
    }

    fn next(&mut self) -> String {
        self.sent += 1;
        let writer = self.below(90);
        let mut raw = format!("Message-Id: <{}@list.example>\nFrom: writer{}@host.example\n", self.sent, writer);
        if self.sent > 10 && self.below(4) > 0 {
            let parent = self.sent - 1 - self.below(9);
            raw += &format!("In-Reply-To: <{parent}@list.example>\nSubject: Re: patch {}\n\n", parent % 300);
        } else {
            raw += &format!("Subject: patch {} for the scheduler\n\n", self.sent % 300);
        }
        for _ in 0..60 + self.below(140) {
            raw += ["I ", "think ", "the ", "lock ", "is ", "held ", "here ", "too ", "long ", "so "][self.below(10) as usize];
        }
        raw
    }
}

fn main() {
    let mut archive = Archive::default();
    let mut filter = Filter { words: HashMap::new() };
    let mut mailbox = Mailbox { state: 3, sent: 0 };
    let (mut digest, mut digests, mut suspicious) = (Vec::new(), 0, 0);
    for number in 1..=55_000 {
        let Some(message) = parse(&mailbox.next()) else { continue };
        suspicious += (filter.score(&message) > 2) as u32;
        let thread = archive.file(message);
        digest.push(archive.summary(thread));
        if number % 200 == 0 {
            digests += digest.join("\n").len();
            digest.clear();
        }
    }
    println!("{} threads, {} bytes of digests, {} suspicious", archive.threads.len(), digests, suspicious);
}
