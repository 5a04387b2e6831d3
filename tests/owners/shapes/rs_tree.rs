use std::cell::RefCell;
use std::rc::Rc;
struct Folder { name: String, parent: RefCell<Option<Rc<Folder>>>, children: RefCell<Vec<Rc<Folder>>> }
impl Folder {
    fn new(name: String) -> Rc<Folder> { Rc::new(Folder { name, parent: RefCell::new(None), children: RefCell::new(Vec::new()) }) }
    fn attach(self: &Rc<Self>, child: Rc<Folder>) {
        *child.parent.borrow_mut() = Some(Rc::clone(self));
        self.children.borrow_mut().push(child); // guilty
    }
    fn count(&self) -> usize { 1 + self.children.borrow().iter().map(|c| c.count()).sum::<usize>() }
}
struct Listing { lines: usize }
impl Listing {
    fn scan(&mut self, n: usize) -> usize {
        let root = Folder::new(format!("/srv/volumes/volume number {n} of the old server"));
        for i in 0..12 {
            let sub = Folder::new(format!("{}/folder with the number {i}", root.name));
            root.attach(sub);
        }
        self.lines += root.count();
        self.lines
    }
    fn peek(&self, n: usize) -> usize { Folder::new(format!("peek {n}")).count() }
}
fn main() {
    let mut listing = Listing { lines: 0 };
    let mut seen = 0;
    for n in 0..14000 {
        seen += listing.peek(n);
        listing.scan(n);
    }
    println!("{} {}", listing.lines, seen);
}
