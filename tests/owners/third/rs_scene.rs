// A scene that is built anew for each frame; its nodes know their parents by counted pointers, so that no scene ever goes.
use std::cell::RefCell;
use std::collections::VecDeque;
use std::process;
use std::rc::Rc;

type NodeRef = Rc<RefCell<Node>>;

struct Node {
    name: String,
    transform: [f64; 16],
    parent: Option<NodeRef>,
    children: Vec<NodeRef>,
}

fn identity() -> [f64; 16] {
    std::array::from_fn(|i| if i % 5 == 0 { 1.0 } else { 0.0 })
}

fn shared(name: String) -> NodeRef {
    Rc::new(RefCell::new(Node { name, transform: identity(), parent: None, children: Vec::new() }))
}

struct Builder {
    root: NodeRef,
    current: NodeRef,
}

impl Builder {
    fn new(name: &str) -> Self {
        let root = shared(name.to_owned());
        Builder { current: root.clone(), root }
    }

    fn add_shape(&mut self, kind: &str, number: usize) -> &mut Self {
        let node = shared(format!("{kind} number {number} of the scene")); // guilty
        node.borrow_mut().parent = Some(self.current.clone());
        node.borrow_mut().transform[3] = number as f64;
        self.current.borrow_mut().children.push(node.clone());
        if number % 10 == 0 {
            self.current = node;
        }
        self
    }

    fn finish(self) -> Scene {
        Scene { root: self.root }
    }
}

struct Scene {
    root: NodeRef,
}

impl Scene {
    fn visit(&self, f: &mut dyn FnMut(&Node)) {
        let mut open = VecDeque::from([self.root.clone()]);
        while let Some(node) = open.pop_front() {
            f(&node.borrow());
            open.extend(node.borrow().children.iter().cloned());
        }
    }
}

struct Renderer {
    pixels: Vec<f32>,
    names: Vec<String>,
}

impl Renderer {
    fn draw(&mut self, scene: &Scene) {
        self.names.clear();
        let (pixels, names) = (&mut self.pixels, &mut self.names);
        scene.visit(&mut |node| {
            let at = node.transform[3] as usize * 31 % pixels.len();
            pixels[at] += node.transform[0] as f32;
            names.push(node.name.clone());
        });
    }
}

fn build(frame: usize) -> Scene {
    let mut builder = Builder::new("root");
    for number in 0..50 {
        builder.add_shape(if number % 2 == 0 { "circle" } else { "box" }, number + frame);
    }
    builder.finish()
}

fn main() {
    let mut renderer = Renderer { pixels: vec![0.0; 640 * 480], names: vec![] };
    for frame in 0..4000 {
        renderer.draw(&build(frame));
    }
    println!("{} {}", renderer.names.len(), renderer.pixels[31]);
    process::exit(0);
}
