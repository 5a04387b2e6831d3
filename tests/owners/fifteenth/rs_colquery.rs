// colquery: toy column store with a planner; ad-hoc statements are planned and executed.
use std::collections::HashMap;
use std::thread::sleep;
use std::time::Duration;

#[derive(Debug)]
struct ColumnRef {
    table: String,
    name: String,
    index: usize,
    stats: [u64; 24],
}

struct Plan {
    columns: &'static [ColumnRef],
    ops: Vec<Op>,
}

enum Op {
    Filter(&'static ColumnRef, i64),
    Sum(&'static ColumnRef),
}

struct Table {
    name: String,
    columns: Vec<(String, Vec<i64>)>,
}

struct Planner<'a> {
    tables: &'a HashMap<String, Table>,
}

struct BlockCache {
    blocks: Vec<Option<Vec<i64>>>,
}

impl BlockCache {
    fn decoded(&mut self, t: &Table, col: usize, block: usize) -> &[i64] {
        let slot = (col * 131 + block * 7 + t.name.len()) % self.blocks.len();
        self.blocks[slot].get_or_insert_with(|| {
            let src = &t.columns[col].1;
            (0..2048).map(|i| src[(block * 64 + i) % src.len()]).collect()
        })
    }
}

impl<'a> Planner<'a> {
    fn bind_columns(&self, table: &Table, wanted: &[&str]) -> &'static [ColumnRef] {
        let refs: Vec<ColumnRef> = wanted
            .iter()
            .map(|w| {
                let index = table.columns.iter().position(|c| c.0 == *w).unwrap_or(0);
                let mut stats = [0u64; 24];
                for (i, s) in stats.iter_mut().enumerate() {
                    *s = table.columns[index].1[i] as u64;
                }
                ColumnRef { table: table.name.clone(), name: w.to_string(), index, stats }
            })
            .collect();
        let bound: &'static [ColumnRef] = Box::leak(refs.into_boxed_slice()); // guilty
        debug_assert_eq!(bound.len(), wanted.len());
        bound
    }

    fn plan(&self, sql: &str) -> Option<Plan> {
        let toks: Vec<&str> = sql.split_whitespace().collect();
        let table = self.tables.get(*toks.last()?)?;
        let wanted: Vec<&str> = toks[1..toks.len() - 2].iter().map(|t| t.trim_matches(',')).collect();
        let columns = self.bind_columns(table, &wanted);
        let mut ops = Vec::new();
        for (i, c) in columns.iter().enumerate() {
            if i % 2 == 0 {
                ops.push(Op::Filter(c, 300));
            } else {
                ops.push(Op::Sum(c));
            }
        }
        Some(Plan { columns, ops })
    }
}

fn execute(plan: &Plan, tables: &HashMap<String, Table>, cache: &mut BlockCache) -> i64 {
    let t = &tables[&plan.columns[0].table];
    let mut selection: Vec<bool> = vec![true; 2048];
    let mut total = 0i64;
    for op in &plan.ops {
        match op {
            Op::Filter(c, limit) => {
                let data = cache.decoded(t, c.index, c.name.len());
                for (s, v) in selection.iter_mut().zip(data) {
                    *s = *s && v > limit;
                }
            }
            Op::Sum(c) => {
                let data = cache.decoded(t, c.index, c.stats[0] as usize % 9);
                total += data.iter().zip(&selection).filter(|(_, s)| **s).map(|(v, _)| *v).sum::<i64>();
            }
        }
    }
    total
}

fn build_tables() -> HashMap<String, Table> {
    let mut m = HashMap::new();
    for t in 0..6 {
        let columns = (0..12)
            .map(|c| (format!("c{}", c), (0..1000).map(|i| ((i * 31 + c * 17 + t) % 1009) as i64).collect()))
            .collect();
        let name = format!("fact{}", t);
        m.insert(name.clone(), Table { name, columns });
    }
    m
}

fn main() {
    let tables = build_tables();
    let planner = Planner { tables: &tables };
    let mut cache = BlockCache { blocks: (0..200).map(|_| None).collect() };
    let mut x: u32 = 1;
    let mut checksum = 0i64;
    for _ in 0..400 {
        for _ in 0..110 {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            let n = 3 + (x >> 20) % 5;
            let cols: Vec<String> = (0..n).map(|k| format!("c{}", ((x >> 8) + k * 3) % 12)).collect();
            let sql = format!("select {} from fact{}", cols.join(", "), (x >> 16) % 6);
            if let Some(p) = planner.plan(&sql) {
                checksum = checksum.wrapping_add(execute(&p, &tables, &mut cache));
            }
        }
        sleep(Duration::from_millis(7));
    }
    println!("checksum {}", checksum);
}
