// Nodes that hold each other: no count of references ever becomes zero.
use std::cell::RefCell;
use std::rc::Rc;

struct Node {
    peer: RefCell<Option<Rc<Node>>>,
    _state: [u8; 500],
}

#[inline(never)]
fn make_pair_of_nodes() {
    let one = Rc::new(Node { peer: RefCell::new(None), _state: [1; 500] }); // guilty
    let two = Rc::new(Node { peer: RefCell::new(Some(one.clone())), _state: [2; 500] });
    *one.peer.borrow_mut() = Some(two);
}

#[inline(never)]
fn build(count: usize) {
    (0..count).for_each(|_| make_pair_of_nodes());
}

fn main() {
    build(60_000);
}
