// pagelayout: lays out documents into a box tree and paints them, one document after another.
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::thread::sleep;
use std::time::Duration;

type BoxRef = Rc<RefCell<LayoutBox>>;

struct LayoutBox {
    tag: String,
    text: String,
    x: f32,
    y: f32,
    width: f32,
    height: f32,
    glyphs: Vec<u16>,
    parent: Option<BoxRef>,
    children: Vec<BoxRef>,
}

struct Fonts {
    faces: HashMap<String, Vec<u8>>,
}

impl Fonts {
    fn rasterize(&mut self, face: &str, size: u32) -> &Vec<u8> {
        let key = format!("{}@{}", face, size);
        self.faces
            .entry(key)
            .or_insert_with(|| (0..64 * 1024).map(|i| (i as u32 * size) as u8).collect())
    }
}

fn new_box(tag: &str, text: String) -> LayoutBox {
    let glyphs = text.bytes().map(|b| b as u16 + 29).collect();
    LayoutBox {
        tag: tag.to_string(),
        text,
        x: 0.0,
        y: 0.0,
        width: 0.0,
        height: 0.0,
        glyphs,
        parent: None,
        children: Vec::new(),
    }
}

struct Document {
    title: String,
    paragraphs: Vec<String>,
}

fn load_document(n: u32) -> Document {
    let words = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing"];
    let paragraphs = (0..14 + n % 9)
        .map(|p| {
            (0..60 + (p * 13 + n) % 60)
                .map(|w| words[((w + p + n) % 7) as usize])
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    Document { title: format!("Chapter {}", n), paragraphs }
}

fn build_page(doc: &Document) -> BoxRef {
    let root = Rc::new(RefCell::new(new_box("page", doc.title.clone())));
    let mut y = 20.0;
    for (i, p) in doc.paragraphs.iter().enumerate() {
        let mut block = new_box(if i == 0 { "lead" } else { "p" }, String::new());
        block.parent = Some(root.clone());
        block.y = y;
        let block = Rc::new(RefCell::new(block));
        for line in p.as_bytes().chunks(72) {
            let mut l = new_box("line", String::from_utf8_lossy(line).into_owned()); // guilty
            l.parent = Some(block.clone());
            l.width = line.len() as f32 * 6.5;
            l.height = 12.0;
            y += 14.0;
            block.borrow_mut().children.push(Rc::new(RefCell::new(l)));
        }
        root.borrow_mut().children.push(block);
    }
    root
}

fn absolute_y(b: &BoxRef) -> f32 {
    let me = b.borrow();
    match &me.parent {
        Some(p) => me.y + absolute_y(p),
        None => me.y,
    }
}

fn paint(b: &BoxRef, fonts: &mut Fonts, display: &mut Vec<(f32, f32, usize)>) {
    let size = 10 + (b.borrow().text.len() % 12) as u32;
    let ink = fonts.rasterize("serif", size)[b.borrow().glyphs.len() % 4096] as usize;
    let y = absolute_y(b);
    display.push((b.borrow().x, y, ink + b.borrow().tag.len()));
    for c in &b.borrow().children {
        paint(c, fonts, display);
    }
}

fn print_document(n: u32, fonts: &mut Fonts) -> usize {
    let doc = load_document(n);
    let page = build_page(&doc);
    let mut display = Vec::new();
    paint(&page, fonts, &mut display);
    let width: f32 = page.borrow().children.iter().map(|c| c.borrow().width + c.borrow().height).sum();
    display.len() + width as usize
}

fn main() {
    let mut fonts = Fonts { faces: HashMap::new() };
    let mut items = 0;
    for round in 0..400u32 {
        for k in 0..3 {
            items += print_document(round * 3 + k, &mut fonts);
        }
        sleep(Duration::from_millis(8));
    }
    println!("painted {} items", items);
}
