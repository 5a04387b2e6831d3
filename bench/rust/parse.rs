//! A Rust program of some size: parses the source files it is given with syn, keeps the trees, and counts what is in
//! them. The parser descends recursively and allocates everywhere, so its profile has many stacks.

use syn::visit::Visit;

#[derive(Default)]
struct Count {
    expressions: usize,
    types: usize,
    names: usize,
}

impl<'ast> Visit<'ast> for Count {
    fn visit_expr(&mut self, expression: &'ast syn::Expr) {
        self.expressions += 1;
        syn::visit::visit_expr(self, expression);
    }
    fn visit_type(&mut self, kind: &'ast syn::Type) {
        self.types += 1;
        syn::visit::visit_type(self, kind);
    }
    fn visit_ident(&mut self, _name: &'ast syn::Ident) {
        self.names += 1;
    }
}

fn main() {
    let mut files = Vec::new();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(path).expect("a file");
        files.extend(syn::parse_file(&text)); // what is not Rust of this syn's time is left out
    }
    let mut count = Count::default();
    for file in &files {
        count.visit_file(file);
    }
    println!("{} files, {} expressions, {} types, {} names", files.len(), count.expressions, count.types, count.names);
}
