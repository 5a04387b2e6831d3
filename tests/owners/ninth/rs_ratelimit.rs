// The front of an API: counts requests of each client in token buckets, answers 429 when one is empty, and passes on the rest.
use std::collections::{HashMap, VecDeque};
use std::net::Ipv6Addr;

#[derive(Clone, Copy)]
struct Quota {
    burst: f64,
    per_second: f64,
}

struct Bucket {
    tokens: f64,
    refilled: f64,
    rejected: u32,
}

#[derive(Hash, PartialEq, Eq, Clone)]
struct ClientKey {
    address: String,
    route: String,
}

struct RateLimiter {
    quotas: HashMap<String, Quota>,
    buckets: HashMap<ClientKey, Bucket>,
    default: Quota,
}

impl RateLimiter {
    fn new(default: Quota) -> Self {
        RateLimiter { quotas: HashMap::new(), buckets: HashMap::new(), default }
    }

    fn quota(&mut self, route: &str, quota: Quota) {
        self.quotas.insert(route.to_string(), quota);
    }

    fn check(&mut self, address: &Ipv6Addr, route: &str, now: f64) -> Result<f64, f64> {
        let quota = *self.quotas.get(route).unwrap_or(&self.default);
        let key = ClientKey { address: address.to_string(), route: route.to_string() }; // guilty
        let bucket = self.buckets.entry(key).or_insert(Bucket { tokens: quota.burst, refilled: now, rejected: 0 });
        bucket.tokens = (bucket.tokens + (now - bucket.refilled) * quota.per_second).min(quota.burst);
        bucket.refilled = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            Ok(bucket.tokens)
        } else {
            bucket.rejected += 1;
            Err((1.0 - bucket.tokens) / quota.per_second)
        }
    }

    fn rejected(&self) -> u32 {
        self.buckets.values().map(|bucket| bucket.rejected).sum()
    }
}

struct Request {
    from: Ipv6Addr,
    route: &'static str,
    query: String,
}

struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// The last responses, by their query.
struct ResponseCache {
    responses: HashMap<String, Vec<u8>>,
    order: VecDeque<String>,
    limit: usize,
}

impl ResponseCache {
    fn new(limit: usize) -> Self {
        ResponseCache { responses: HashMap::new(), order: VecDeque::new(), limit }
    }

    fn get_or(&mut self, query: &str, make: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        if let Some(body) = self.responses.get(query) {
            return body.clone();
        }
        let body = make();
        if self.order.len() == self.limit {
            if let Some(oldest) = self.order.pop_front() {
                self.responses.remove(&oldest);
            }
        }
        self.order.push_back(query.to_string());
        self.responses.insert(query.to_string(), body.clone());
        body
    }
}

struct Gateway {
    limiter: RateLimiter,
    cache: ResponseCache,
    statuses: HashMap<u16, u64>,
}

impl Gateway {
    fn handle(&mut self, request: &Request, now: f64) -> Response {
        let response = match self.limiter.check(&request.from, request.route, now) {
            Ok(left) => Response {
                status: 200,
                headers: vec![("x-ratelimit-remaining".to_string(), format!("{left:.0}"))],
                body: self.cache.get_or(&request.query, || search(&request.query)),
            },
            Err(wait) => Response { status: 429, headers: vec![("retry-after".to_string(), format!("{wait:.0}"))], body: Vec::new() },
        };
        *self.statuses.entry(response.status).or_default() += 1;
        response
    }
}

fn search(query: &str) -> Vec<u8> {
    let mut body = b"{\"results\":[".to_vec();
    for n in 0..24 {
        body.extend_from_slice(format!("{{\"title\":\"{query}\",\"rank\":{n}}},").as_bytes());
    }
    body.extend_from_slice(b"{}]}");
    body
}

struct Traffic(u64);

impl Traffic {
    fn next(&mut self) -> Request {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let r = (self.0 >> 20) as u32;
        // One request in three is of a crawler, which has a whole network and takes another address each time.
        let host = if r % 3 == 0 { self.0 >> 8 } else { u64::from(r) % 4000 };
        let words = [host as u16, (host >> 16) as u16, (host >> 32) as u16];
        Request {
            from: Ipv6Addr::new(0x2001, 0xdb8, 0x77, 0, 0x1f00, words[2], words[1], words[0]),
            route: ["/v1/search", "/v1/suggest", "/v1/items"][r as usize % 7 % 3],
            query: format!("term-{}", r % 3500),
        }
    }
}

fn main() {
    let mut gateway = Gateway {
        limiter: RateLimiter::new(Quota { burst: 15.0, per_second: 0.01 }),
        cache: ResponseCache::new(4000),
        statuses: HashMap::new(),
    };
    gateway.limiter.quota("/v1/suggest", Quota { burst: 8.0, per_second: 0.01 });
    let mut traffic = Traffic(7);
    let mut bytes = 0;
    for n in 0..480_000 {
        let response = gateway.handle(&traffic.next(), n as f64 * 0.002);
        bytes += response.body.len() + response.headers.len();
    }
    println!("{} statuses, {} rejected, {} clients, {bytes} bytes", gateway.statuses.len(), gateway.limiter.rejected(), gateway.limiter.buckets.len());
}
