// Vectors in a vector.
struct Ledger {
    rows: Vec<Vec<u64>>,
    spare: Vec<u8>,
}

impl Ledger {
    #[inline(never)]
    fn post(&mut self, number: u64) {
        self.rows.push(vec![number; 120]); // guilty
    }

    #[inline(never)]
    fn prepare(&mut self) {
        self.spare.resize(3_000_000, 1);
    }
}

fn main() {
    let mut ledger = Ledger { rows: Vec::new(), spare: Vec::new() };
    ledger.prepare();
    for number in 0..60_000 {
        ledger.post(number);
    }
    std::mem::forget(ledger);
}
