// tenantd - opens tenants' workspaces on demand, closes idle ones, cleans up at shutdown.
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::thread::sleep;
use std::time::Duration;

type Hook = Box<dyn FnOnce() -> usize>;

#[derive(Default)]
struct Shutdown {
    hooks: RefCell<Vec<(String, Hook)>>,
}

impl Shutdown {
    fn on_exit<F>(&self, name: &str, f: F)
    where
        F: FnOnce() -> usize + 'static,
    {
        self.hooks.borrow_mut().push((name.to_string(), Box::new(f)));
    }

    fn run(&self) -> usize {
        let mut n = 0;
        for (_, h) in self.hooks.borrow_mut().drain(..).rev() {
            n += h();
        }
        n
    }
}

struct Journal {
    lines: RefCell<Vec<String>>,
}

impl Journal {
    fn new() -> Self {
        Journal { lines: RefCell::new(Vec::new()) }
    }
    fn append(&self, line: String) {
        let mut l = self.lines.borrow_mut();
        if l.len() == 48 {
            l.remove(0);
        }
        l.push(line);
    }
    fn flush(&self) -> usize {
        self.lines.borrow().iter().map(String::len).sum()
    }
}

struct Workspace {
    tenant: u32,
    last_used: u64,
    journal: Rc<Journal>,
    settings: HashMap<String, String>,
}

fn default_settings(tenant: u32) -> HashMap<String, String> {
    ["locale", "currency", "theme", "timezone"]
        .iter()
        .map(|k| (k.to_string(), format!("{k}-{}", tenant % 9)))
        .collect()
}

struct Service {
    open: HashMap<u32, Workspace>,
    shutdown: Rc<Shutdown>,
    tick: u64,
    closed: u64,
}

impl Service {
    fn new(shutdown: Rc<Shutdown>) -> Self {
        let started = String::from("service");
        shutdown.on_exit("service", move || started.len());
        Service { open: HashMap::new(), shutdown, tick: 0, closed: 0 }
    }

    fn workspace(&mut self, tenant: u32) -> &mut Workspace {
        if !self.open.contains_key(&tenant) {
            let w = self.open_workspace(tenant);
            self.open.insert(tenant, w);
        }
        let w = self.open.get_mut(&tenant).unwrap();
        w.last_used = self.tick;
        w
    }

    fn open_workspace(&self, tenant: u32) -> Workspace {
        let journal = Rc::new(Journal::new());
        let for_exit = Rc::clone(&journal);
        self.shutdown.on_exit(&format!("tenant-{tenant}"), move || for_exit.flush()); // guilty
        Workspace { tenant, last_used: self.tick, journal, settings: default_settings(tenant) }
    }

    fn request(&mut self, tenant: u32, path: &str) -> usize {
        self.tick += 1;
        let tick = self.tick;
        let w = self.workspace(tenant);
        let locale = w.settings["locale"].clone();
        w.journal.append(format!("{tick} tenant={} GET {path} locale={locale} status=200", w.tenant));
        render_page(path, &locale).len()
    }

    fn close_idle(&mut self) {
        let limit = self.tick.saturating_sub(2000);
        let before = self.open.len();
        self.open.retain(|_, w| {
            if w.last_used >= limit {
                return true;
            }
            w.journal.flush();
            false
        });
        self.closed += (before - self.open.len()) as u64;
    }
}

fn render_page(path: &str, locale: &str) -> String {
    let mut s = String::with_capacity(256);
    for i in 0..6 {
        s.push_str(&format!("<li lang={locale}><a href='{path}/{i}'>{i}</a></li>"));
    }
    s
}

fn main() {
    let shutdown = Rc::new(Shutdown::default());
    let mut svc = Service::new(shutdown.clone());
    let mut bytes = 0;
    let mut x = 5u32;
    for n in 0..300_000u32 {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        let tenant = n / 40 + (x >> 12) % 12;
        bytes += svc.request(tenant, &format!("/docs/{}", (x >> 8) % 500));
        if n % 500 == 0 {
            svc.close_idle();
        }
        if n % 1000 == 0 {
            sleep(Duration::from_millis(9));
        }
    }
    println!("served {bytes} bytes, closed {} workspaces, {} still open", svc.closed, svc.open.len());
    println!("flushed {}", shutdown.run());
}
