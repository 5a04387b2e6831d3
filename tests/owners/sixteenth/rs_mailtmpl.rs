// mailtmpl - renders notification mails from small templates on several threads.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

#[derive(Debug)]
enum Part {
    Text(String),
    Var(String),
    Each { list: String, body: Vec<Part> },
}

#[derive(Debug)]
struct Template {
    parts: Vec<Part>,
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn parts(&mut self, until: Option<&str>) -> Vec<Part> {
        let mut out = Vec::new();
        while let Some(open) = self.rest.find("{{") {
            if open > 0 {
                out.push(Part::Text(self.rest[..open].to_string()));
            }
            let close = self.rest.find("}}").unwrap_or(self.rest.len() - 2);
            let tag = self.rest[open + 2..close].trim().to_string();
            self.rest = &self.rest[close + 2..];
            if Some(tag.as_str()) == until {
                return out;
            }
            match tag.strip_prefix('#') {
                Some(list) => {
                    let end = format!("/{list}");
                    let body = self.parts(Some(&end));
                    out.push(Part::Each { list: list.to_string(), body });
                }
                None => out.push(Part::Var(tag)),
            }
        }
        out.push(Part::Text(self.rest.to_string()));
        self.rest = "";
        out
    }
}

fn registry() -> &'static Mutex<HashMap<String, Arc<Template>>> {
    static TEMPLATES: OnceLock<Mutex<HashMap<String, Arc<Template>>>> = OnceLock::new();
    TEMPLATES.get_or_init(Default::default)
}

fn template(source: &str) -> Arc<Template> {
    let mut known = registry().lock().unwrap();
    if let Some(t) = known.get(source) {
        return t.clone();
    }
    let t = Arc::new(Template { parts: Parser { rest: source }.parts(None) });
    known.insert(source.to_string(), t.clone()); // guilty
    t
}

type Vars = HashMap<&'static str, Vec<String>>;

fn render(parts: &[Part], vars: &Vars, item: &str, out: &mut String) {
    for p in parts {
        match p {
            Part::Text(t) => out.push_str(t),
            Part::Var(v) if v == "item" => out.push_str(item),
            Part::Var(v) => out.push_str(vars.get(v.as_str()).and_then(|x| x.first()).map_or("", |s| s)),
            Part::Each { list, body } => {
                for it in vars.get(list.as_str()).into_iter().flatten() {
                    render(body, vars, it, out);
                }
            }
        }
    }
}

fn footer(lang: usize) -> String {
    let t = template(["{{company}} - unsubscribe", "{{company}} - abmelden", "{{company}} - se desabonner"][lang % 3]);
    let vars = Vars::from([("company", vec!["Example GmbH".to_string()])]);
    let mut s = String::new();
    render(&t.parts, &vars, "", &mut s);
    s
}

fn order_mail(order: u32) -> String {
    let source = format!(
        "Dear customer {order},\n\nthank you for your order no. {order}.\n{{{{#lines}}}} * {{{{item}}}} from shop {}\n{{{{/lines}}}}\n\
         It will be sent to {{{{city}}}} by {{{{carrier}}}}. Total: {}.{:02} EUR\n{{{{footer}}}}",
        order % 30, order % 900, order % 100
    );
    let lines = (0..order % 6 + 1).map(|i| format!("article {} x{}", order.wrapping_mul(31) % 5000, i + 1)).collect();
    let vars = Vars::from([
        ("lines", lines),
        ("city", vec![format!("City {}", order % 80)]),
        ("carrier", vec!["DHL".to_string()]),
        ("footer", vec![footer(order as usize)]),
    ]);
    let t = template(&source);
    let mut out = String::new();
    render(&t.parts, &vars, "", &mut out);
    out
}

fn sender(first: u32, count: u32) -> usize {
    let mut bytes = 0;
    for k in 0..count {
        bytes += order_mail(first + k).len();
        if k % 100 == 0 {
            thread::sleep(Duration::from_millis(10));
        }
    }
    bytes
}

fn main() {
    let threads: Vec<_> = (0..3).map(|t| thread::spawn(move || sender(t * 100_000, 20_000))).collect();
    let total: usize = threads.into_iter().map(|h| h.join().unwrap()).sum();
    println!("{total} bytes, {} templates", registry().lock().unwrap().len());
}
