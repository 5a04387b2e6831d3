// As pace.h, for programs in Rust: the number of the next call, or none at the end.
struct Pace {
    begin: f64,
    calls: u32,
    answers: std::collections::VecDeque<Vec<u8>>,
}

fn pace_clock() -> f64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64()
}

fn pace_number(name: &str) -> f64 {
    std::env::var(name).unwrap().parse().unwrap()
}

#[inline(never)]
fn answer_requests(answers: &mut std::collections::VecDeque<Vec<u8>>) {
    answers.extend((0..20).map(|number| vec![1; 500 + number * 200]));
    while answers.len() > 2000 {
        answers.pop_front();
    }
}

fn served() -> Option<u32> {
    static PACE: std::sync::Mutex<Option<Pace>> = std::sync::Mutex::new(None);
    let mut guard = PACE.lock().unwrap();
    let pace = guard.get_or_insert_with(|| Pace {
        begin: pace_clock() + pace_number("PACE_HEALTHY_S"),
        calls: 0,
        answers: Default::default(),
    });
    loop {
        let now = pace_clock();
        if now > pace.begin + pace_number("PACE_LEAKING_S") {
            return None;
        }
        if now > pace.begin && f64::from(pace.calls) < (now - pace.begin) * pace_number("PACE_RATE") {
            if pace.calls == 0 {
                std::fs::write("onset", format!("{now}\n")).unwrap();
            }
            pace.calls += 1;
            return Some(pace.calls);
        }
        answer_requests(&mut pace.answers);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
