// Chooses versions of packages: an index with dependencies, ranges of versions, backtracking, and explanations of conflicts.
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Version(u16, u16);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[derive(Clone, Debug)]
struct Range {
    from: Version,
    below: Version,
}

impl Range {
    fn holds(&self, v: Version) -> bool {
        self.from <= v && v < self.below
    }
}

struct Release {
    version: Version,
    needs: Vec<(u32, Range)>,
}

struct Index {
    names: Vec<Rc<str>>,
    releases: Vec<Vec<Release>>,
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 35) % n
    }
}

impl Index {
    fn made_up(packages: u32, dice: &mut Dice) -> Index {
        let mut index = Index { names: Vec::new(), releases: Vec::new() };
        for p in 0..packages {
            index.names.push(format!("lib{}-{}", ["json", "net", "tls", "log", "date"][p as usize % 5], p).into());
            let mut releases = Vec::new();
            for major in 0..4 {
                for minor in 0..5 {
                    let mut needs = Vec::new();
                    for _ in 0..dice.below(4) {
                        let other = p + 1 + dice.below(25) as u32;
                        if other < packages {
                            let from = Version(major.min(dice.below(4) as u16), 0);
                            needs.push((other, Range { from, below: Version(from.0 + 1 + dice.below(2) as u16, 0) }));
                        }
                    }
                    releases.push(Release { version: Version(major, minor), needs });
                }
            }
            index.releases.push(releases);
        }
        index
    }

    /// The newest first, as people want it.
    fn candidates(&self, package: u32, ranges: &[Range]) -> Vec<&Release> {
        self.releases[package as usize].iter().rev().filter(|r| ranges.iter().all(|range| range.holds(r.version))).collect()
    }
}

struct Conflict {
    package: u32,
    tried: Vec<(u32, Version)>,
    ranges: Vec<Range>,
}

#[derive(Default)]
struct Journal {
    conflicts: Vec<Conflict>,
    by_package: BTreeMap<u32, usize>,
}

impl Journal {
    fn conflict(&mut self, package: u32, chosen: &[(u32, Version)], ranges: &[Range]) {
        *self.by_package.entry(package).or_default() += 1;
        self.conflicts.push(Conflict { package, tried: chosen.to_vec(), ranges: ranges.to_vec() }); // guilty
    }

    fn explain(&self, index: &Index) -> Option<String> {
        let (package, times) = self.by_package.iter().max_by_key(|(_, n)| **n)?;
        let last = self.conflicts.iter().rev().find(|c| c.package == *package)?;
        let ranges: Vec<String> = last.ranges.iter().map(|r| format!("[{}, {})", r.from, r.below)).collect();
        let with = last.tried.last().map(|(p, v)| format!("{} {v}", index.names[*p as usize])).unwrap_or_default();
        Some(format!("{} failed {times} times, at last with {} next to {with}", index.names[*package as usize], ranges.join(" and ")))
    }
}

struct Resolver<'a> {
    index: &'a Index,
    journal: Journal,
    chosen: Vec<(u32, Version)>,
    wanted: HashMap<u32, Vec<Range>>,
    steps: usize,
}

impl<'a> Resolver<'a> {
    fn new(index: &'a Index) -> Resolver<'a> {
        Resolver { index, journal: Journal::default(), chosen: Vec::new(), wanted: HashMap::new(), steps: 0 }
    }

    fn project(&mut self, roots: &[(u32, Range)], limit: usize) -> Option<Vec<(u32, Version)>> {
        self.chosen.clear();
        self.wanted.clear();
        self.steps = limit;
        let mut open: Vec<u32> = Vec::new();
        for (package, range) in roots {
            self.wanted.entry(*package).or_default().push(range.clone());
            open.push(*package);
        }
        self.settle(&mut open).then(|| self.chosen.clone())
    }

    fn settle(&mut self, open: &mut Vec<u32>) -> bool {
        let Some(package) = open.pop() else { return true };
        if self.chosen.iter().any(|c| c.0 == package) {
            let fits = self.settle(open);
            open.push(package);
            return fits;
        }
        let index = self.index;
        let ranges = self.wanted[&package].clone();
        for release in index.candidates(package, &ranges) {
            if self.steps == 0 {
                break;
            }
            self.steps -= 1;
            if self.clashes(release) {
                continue;
            }
            self.chosen.push((package, release.version));
            for (other, range) in &release.needs {
                self.wanted.entry(*other).or_default().push(range.clone());
                open.push(*other);
            }
            if self.settle(open) {
                return true;
            }
            for (other, _) in &release.needs {
                self.wanted.get_mut(other).map(Vec::pop);
                open.pop();
            }
            self.chosen.pop();
        }
        self.journal.conflict(package, &self.chosen, &ranges);
        open.push(package);
        false
    }

    fn clashes(&self, release: &Release) -> bool {
        release.needs.iter().any(|(other, range)| self.chosen.iter().any(|(p, v)| p == other && !range.holds(*v)))
    }
}

fn main() {
    let mut dice = Dice(23);
    let index = Index::made_up(260, &mut dice);
    let mut resolver = Resolver::new(&index);
    let (mut solved, mut packages) = (0, 0);
    for _ in 0..90 {
        let roots: Vec<(u32, Range)> = (0..6)
            .map(|_| {
                let major = dice.below(3) as u16;
                (dice.below(120) as u32, Range { from: Version(major, 0), below: Version(major + 2, 0) })
            })
            .collect();
        if let Some(chosen) = resolver.project(&roots, 4000) {
            solved += 1;
            packages += chosen.len();
        }
    }
    println!("{solved} of 90 projects solved with {packages} packages");
    println!("{}", resolver.journal.explain(&index).unwrap_or_default());
}
