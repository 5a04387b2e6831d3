//! A reverse proxy's workers, which note each request for a report of the slowest ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

#[derive(Clone, Debug)]
struct Exchange {
    method: &'static str,
    path: String,
    user_agent: String,
    upstream: Arc<str>,
    status: u16,
    elapsed: Duration,
    headers: Vec<(String, String)>,
}

#[derive(Default)]
struct AccessStats {
    exchanges: Mutex<Vec<Exchange>>,
    by_status: Mutex<HashMap<u16, u64>>,
}

impl AccessStats {
    fn observe(&self, exchange: &Exchange) {
        *self.by_status.lock().unwrap().entry(exchange.status).or_insert(0) += 1;
        let copy = exchange.clone(); // guilty
        self.exchanges.lock().unwrap().push(copy);
    }

    fn slowest(&self, most: usize) -> Vec<String> {
        let exchanges = self.exchanges.lock().unwrap();
        let mut order: Vec<usize> = (0..exchanges.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse((exchanges[at].elapsed, at)));
        order
            .iter()
            .take(most)
            .map(|&at| {
                let one = &exchanges[at];
                format!("{:?} {} {} {} ({} headers, {})", one.elapsed, one.method, one.path, one.status, one.headers.len(), one.user_agent.len())
            })
            .collect()
    }
}

struct Route {
    prefix: String,
    upstream: Arc<str>,
    certificate: Vec<u8>,
}

struct Router {
    routes: Vec<Route>,
}

impl Router {
    fn load(count: usize) -> Self {
        let routes = (0..count)
            .map(|number| Route {
                prefix: format!("/service-{number}/"),
                upstream: Arc::from(format!("10.0.{}.{}:8080", number / 250, number % 250)),
                certificate: (0..9000).map(|at| (at * number % 251) as u8).collect(),
            })
            .collect();
        Router { routes }
    }

    fn route(&self, path: &str) -> Option<&Route> {
        let number: usize = path.strip_prefix("/service-")?.split('/').next()?.parse().ok()?;
        self.routes.get(number).filter(|route| path.starts_with(&route.prefix))
    }
}

struct Worker {
    router: Arc<Router>,
    stats: Arc<AccessStats>,
    state: u64,
}

impl Worker {
    fn draw(&mut self, below: u64) -> u64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) % below
    }

    fn accept(&mut self) -> Exchange {
        let service = self.draw(520);
        let visitor = self.draw(100_000);
        Exchange {
            method: if visitor % 6 == 0 { "POST" } else { "GET" },
            path: format!("/service-{service}/items/{visitor}?page={}&sort=name", visitor % 9),
            user_agent: format!("Mozilla/5.0 (X11; Linux x86_64; rv:{}.0) Gecko/20100101 Firefox/{0}.0", 100 + visitor % 30),
            upstream: Arc::from(""),
            status: 0,
            elapsed: Duration::ZERO,
            headers: vec![
                ("accept-language".into(), "de-DE,de;q=0.9,en;q=0.7".into()),
                ("cookie".into(), format!("session={:032x}; theme=dark", visitor * 7919)),
                ("x-request-id".into(), format!("{:016x}", self.state)),
            ],
        }
    }

    fn forward(&mut self, exchange: &mut Exchange) {
        let router = Arc::clone(&self.router);
        match router.route(&exchange.path) {
            Some(route) => {
                exchange.upstream = Arc::clone(&route.upstream);
                exchange.status = if route.certificate.is_empty() { 502 } else { 200 };
            }
            None => exchange.status = 404,
        }
        exchange.elapsed = Duration::from_micros(300 + self.draw(90_000));
    }

    fn run(mut self, requests: usize) -> usize {
        let mut found = 0;
        for _ in 0..requests {
            let mut exchange = self.accept();
            self.forward(&mut exchange);
            found += usize::from(!exchange.upstream.is_empty());
            self.stats.observe(&exchange);
        }
        found
    }
}

fn main() {
    let router = Arc::new(Router::load(500));
    let stats = Arc::new(AccessStats::default());
    let threads: Vec<_> = (0..3)
        .map(|number| {
            let worker = Worker { router: Arc::clone(&router), stats: Arc::clone(&stats), state: number + 1 };
            thread::spawn(move || worker.run(17_000))
        })
        .collect();
    let found: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    for line in stats.slowest(3) {
        println!("{line}");
    }
    println!("{found} found, statuses {:?}", stats.by_status.lock().unwrap().len());
    std::process::exit(0);
}
