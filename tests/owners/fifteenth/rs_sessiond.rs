// sessiond: login/session daemon for the intranet portal, driven by a synthetic client mix.
use std::collections::{HashMap, VecDeque};
use std::thread::sleep;
use std::time::Duration;

#[derive(Clone)]
struct Profile {
    name: String,
    groups: Vec<String>,
    avatar: Vec<u8>,
}

struct Session {
    user: u32,
    expires: u64,
    csrf: String,
    profile: Profile,
    scratch: HashMap<String, String>,
}

struct Rng(u64);

impl Rng {
    fn next(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Directory lookups, newest 1500 users.
struct ProfileCache {
    map: HashMap<u32, Profile>,
    order: VecDeque<u32>,
}

impl ProfileCache {
    fn load(&mut self, user: u32) -> Profile {
        if let Some(p) = self.map.get(&user) {
            return p.clone();
        }
        let p = Profile {
            name: format!("user{:05}", user),
            groups: (0..6).map(|g| format!("cn=group{},ou=dept{}", g, user % 17)).collect(),
            avatar: vec![(user & 0xff) as u8; 1400],
        };
        if self.order.len() >= 1500 {
            if let Some(old) = self.order.pop_front() {
                self.map.remove(&old);
            }
        }
        self.order.push_back(user);
        self.map.insert(user, p.clone());
        p
    }
}

struct SessionStore {
    by_token: HashMap<String, Session>,
    clock: u64,
}

impl SessionStore {
    fn login(&mut self, user: u32, profile: Profile, rng: &mut Rng) -> String {
        let token = format!("{:016x}{:016x}", rng.next(u64::MAX), rng.next(u64::MAX));
        let mut scratch = HashMap::new();
        scratch.insert("locale".to_string(), "en_GB".to_string());
        scratch.insert("landing".to_string(), format!("/home/{}", profile.name));
        let s = Session {
            user,
            expires: self.clock + 40,
            csrf: format!("{:032x}", rng.next(u64::MAX)),
            profile,
            scratch,
        };
        self.by_token.insert(token.clone(), s); // guilty
        token
    }

    fn resolve(&mut self, token: &str) -> Option<&mut Session> {
        let now = self.clock;
        let expired = match self.by_token.get(token) {
            None => return None,
            Some(s) => s.expires < now,
        };
        if expired {
            self.by_token.remove(token);
            return None;
        }
        let s = self.by_token.get_mut(token)?;
        s.expires = now + 40;
        Some(s)
    }

    fn logout(&mut self, token: &str) {
        self.by_token.remove(token);
    }
}

fn render_page(s: &mut Session, page: u64) -> usize {
    let mut html = String::new();
    for g in &s.profile.groups {
        html.push_str(&format!("<li data-csrf='{}'>{}</li>", s.csrf, g));
    }
    s.scratch.insert("last".into(), format!("/page/{}", page));
    html.len() + s.profile.avatar.len() + s.user as usize % 2
}

fn main() {
    let mut rng = Rng(0x2545F4914F6CDD1D);
    let mut profiles = ProfileCache { map: HashMap::new(), order: VecDeque::new() };
    let mut store = SessionStore { by_token: HashMap::new(), clock: 0 };
    let mut tabs: VecDeque<String> = VecDeque::new();
    let mut sent = 0usize;
    for _ in 0..420 {
        store.clock += 1;
        for _ in 0..60 {
            let user = rng.next(4000) as u32;
            let p = profiles.load(user);
            tabs.push_back(store.login(user, p, &mut rng));
        }
        for _ in 0..120 {
            let k = rng.next(tabs.len() as u64) as usize;
            if let Some(s) = store.resolve(&tabs[k]) {
                sent += render_page(s, k as u64);
            }
        }
        while tabs.len() > 600 {
            let t = tabs.pop_front().unwrap();
            if rng.next(10) == 0 {
                store.logout(&t);
            }
        }
        sleep(Duration::from_millis(8));
    }
    println!("sent {} bytes, {} sessions", sent, store.by_token.len());
}
