//! Shapes in which programs in Rust keep memory, or lose it, one a word (README.md). Everything that is allocated is noted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, LinkedList, VecDeque};
use std::ffi::{c_void, CString};
use std::os::raw::{c_char, c_int};
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex};

extern "C" {
    fn ledger_owner(owner: *const c_char);
    fn ledger_note(block: *mut c_void, size: usize);
    fn ledger_forget(block: *mut c_void);
    fn ledger_ready();
    fn ledger_main(shapes: *const Shape, count: c_int, words: *const *const c_char) -> c_int;
}

#[repr(C)]
struct Shape {
    name: *const c_char,
    is: *const c_char,
    fill: Option<extern "C" fn(c_int)>,
}

struct Noted;
unsafe impl GlobalAlloc for Noted {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = System.alloc_zeroed(layout);
        ledger_note(block.cast(), layout.size());
        block
    }
    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        ledger_forget(block.cast());
        System.dealloc(block, layout);
    }
}
#[global_allocator]
static NOTED: Noted = Noted;

/// The word ends with a zero.
fn keeps(owner: &'static str) {
    unsafe { ledger_owner(owner.as_ptr().cast()) }
}

fn text(i: usize) -> String {
    "x".repeat(64 + i * 7919 % 1900)
}

fn lost_text(i: usize) -> String {
    "l".repeat(2100 + i * 7919 % 1900)
}

static OTHERS: Mutex<Vec<String>> = Mutex::new(Vec::new());
#[inline(never)]
fn keep_others(count: usize) {
    keeps("data:OTHERS\0");
    *OTHERS.lock().unwrap() = (0..count).map(text).collect();
}

static BY_NAME: Mutex<Option<HashMap<String, String>>> = Mutex::new(None);
extern "C" fn fill_hash_map(count: c_int) {
    keeps("data:BY_NAME\0");
    let mut guard = BY_NAME.lock().unwrap();
    let map = guard.get_or_insert_with(HashMap::new);
    for i in 0..count as usize {
        map.insert(format!("name {i}"), text(i));
    }
}

static SORTED: Mutex<Option<BTreeMap<usize, String>>> = Mutex::new(None);
extern "C" fn fill_btree(count: c_int) {
    keeps("data:SORTED\0");
    for i in 0..count as usize {
        SORTED.lock().unwrap().get_or_insert_with(BTreeMap::new).insert(i * 31 % count as usize, text(i));
    }
}

trait Act: Send {
    fn act(&self) -> usize;
}
struct Say(String);
struct Count(u64, Vec<u8>);
impl Act for Say {
    fn act(&self) -> usize {
        self.0.len()
    }
}
impl Act for Count {
    fn act(&self) -> usize {
        self.0 as usize + self.1.len()
    }
}
static ACTORS: Mutex<Vec<Box<dyn Act>>> = Mutex::new(Vec::new());
extern "C" fn fill_dyn(count: c_int) {
    keeps("data:ACTORS\0");
    for i in 0..count as usize {
        let actor: Box<dyn Act> = if i % 2 == 0 { Box::new(Say(text(i))) } else { Box::new(Count(1, text(i).into_bytes())) };
        ACTORS.lock().unwrap().push(actor);
    }
    assert!(ACTORS.lock().unwrap()[0].act() > 0);
}

static QUEUE: Mutex<Option<VecDeque<Box<String>>>> = Mutex::new(None);
extern "C" fn fill_vec_deque(count: c_int) {
    keeps("data:QUEUE\0");
    let mut guard = QUEUE.lock().unwrap();
    let queue = guard.get_or_insert_with(VecDeque::new);
    for i in 0..2 * count as usize {
        queue.push_back(Box::new(text(i)));
        if i >= count as usize {
            queue.pop_front();
        }
    }
}

static RECENT: Mutex<LinkedList<String>> = Mutex::new(LinkedList::new());
extern "C" fn fill_linked_list(count: c_int) {
    keeps("data:RECENT\0");
    for i in 0..count as usize {
        RECENT.lock().unwrap().push_back(text(i));
    }
}

struct Item {
    name: String,
    next: Mutex<Option<Arc<Item>>>,
}
static GRAPH: Mutex<Vec<Arc<Item>>> = Mutex::new(Vec::new());
extern "C" fn fill_arc(count: c_int) {
    keeps("data:GRAPH\0");
    let mut graph = GRAPH.lock().unwrap();
    for i in 0..count as usize {
        let (a, b) = (Arc::new(Item { name: text(i), next: Mutex::new(None) }), Arc::new(Item { name: text(i + 1), next: Mutex::new(None) }));
        *a.next.lock().unwrap() = Some(b.clone());
        *b.next.lock().unwrap() = Some(a.clone());
        graph.push(a);
    }
    assert!(!graph[0].name.is_empty());
}

static SHARED: Mutex<Vec<Arc<str>>> = Mutex::new(Vec::new());
extern "C" fn fill_arc_str(count: c_int) {
    keeps("data:SHARED\0");
    for i in 0..count as usize {
        SHARED.lock().unwrap().push(text(i).into());
    }
}

thread_local! {
    static OWN: RefCell<Vec<Rc<String>>> = const { RefCell::new(Vec::new()) };
}
extern "C" fn fill_thread_local(count: c_int) {
    keeps("thread_local:OWN\0");
    for i in 0..count as usize {
        OWN.with(|own| own.borrow_mut().push(Rc::new(text(i))));
    }
}

#[inline(never)]
extern "C" fn fill_local(count: c_int) {
    keeps("stack:fill_local\0");
    let local: HashMap<usize, String> = (0..count as usize).map(|i| (i, text(i))).collect();
    unsafe { ledger_ready() }
    std::process::exit(local.is_empty() as i32);
}

struct Node {
    children: RefCell<Vec<Rc<Node>>>,
    parent: RefCell<Weak<Node>>,
    name: String,
}
fn tree(count: usize, name: fn(usize) -> String) -> Rc<Node> {
    let top = Rc::new(Node { children: RefCell::default(), parent: RefCell::default(), name: name(0) });
    let mut last = top.clone();
    for i in 1..count {
        let node = Rc::new(Node { children: RefCell::default(), parent: RefCell::new(Rc::downgrade(&last)), name: name(i) });
        last.children.borrow_mut().push(node.clone());
        if i % 20 == 0 {
            last = node;
        }
    }
    top
}
thread_local! {
    static TREE: RefCell<Option<Rc<Node>>> = const { RefCell::new(None) };
}
extern "C" fn fill_rc_tree(count: c_int) {
    keeps("thread_local:TREE\0");
    TREE.with(|top| *top.borrow_mut() = Some(tree(count as usize, text)));
}

static CLOSURES: Mutex<Vec<Box<dyn Fn() -> usize + Send>>> = Mutex::new(Vec::new());
extern "C" fn fill_closures(count: c_int) {
    keeps("data:CLOSURES\0");
    for i in 0..count as usize {
        let (kept, more) = (text(i), text(i + 1));
        CLOSURES.lock().unwrap().push(Box::new(move || kept.len() + more.len()));
    }
}

/// Nodes in one vector, by number; what they have is theirs.
static ARENA: Mutex<Vec<(u32, Option<Box<str>>)>> = Mutex::new(Vec::new());
extern "C" fn fill_indexed(count: c_int) {
    keeps("data:ARENA\0");
    let mut arena = ARENA.lock().unwrap();
    for i in 0..count as usize {
        arena.push((i as u32 / 2, Some(text(i).into_boxed_str())));
    }
}

extern "C" fn lose_rc_cycle(count: c_int) {
    keep_others(count as usize);
    keeps("lost*\0");
    for i in 0..count as usize {
        let (a, b) = (
            Rc::new(Node { children: RefCell::default(), parent: RefCell::default(), name: lost_text(i) }),
            Rc::new(Node { children: RefCell::default(), parent: RefCell::default(), name: lost_text(i + 1) }),
        );
        a.children.borrow_mut().push(b.clone());
        b.children.borrow_mut().push(a.clone());
    }
}

extern "C" fn lose_leaked(count: c_int) {
    keep_others(count as usize);
    keeps("lost\0");
    for i in 0..count as usize {
        std::mem::forget(lost_text(i));
    }
}

extern "C" fn lose_tree(count: c_int) {
    keep_others(count as usize);
    keeps("lost_with\0");
    let top = tree(count as usize, lost_text);
    assert!(top.name.len() > top.parent.borrow().strong_count());
    std::mem::forget(top);
}

fn main() {
    let shape = |name: &'static str, is: &'static str, fill: extern "C" fn(c_int)| Shape { name: name.as_ptr().cast(), is: is.as_ptr().cast(), fill: Some(fill) };
    let shapes = [
        shape("hash_map\0", "\0", fill_hash_map),
        shape("btree_map\0", "\0", fill_btree),
        shape("box_dyn\0", "\0", fill_dyn),
        shape("vec_deque\0", "\0", fill_vec_deque),
        shape("linked_list\0", "list\0", fill_linked_list),
        shape("arc_graph\0", "\0", fill_arc),
        shape("arc_str\0", "\0", fill_arc_str),
        shape("rust_thread_local\0", "\0", fill_thread_local),
        shape("rc_tree\0", "\0", fill_rc_tree),
        shape("rust_local\0", "\0", fill_local),
        shape("closures\0", "\0", fill_closures),
        shape("indexed\0", "\0", fill_indexed),
        shape("lost_rc_cycle\0", "\0", lose_rc_cycle),
        shape("lost_leaked\0", "\0", lose_leaked),
        shape("lost_rc_tree\0", "\0", lose_tree),
        Shape { name: std::ptr::null(), is: std::ptr::null(), fill: None },
    ];
    let words: Vec<CString> = std::env::args().map(|word| CString::new(word).unwrap()).collect();
    let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    std::process::exit(unsafe { ledger_main(shapes.as_ptr(), pointers.len() as c_int, pointers.as_ptr()) });
}
