use std::collections::BTreeMap;
#[derive(Clone)]
struct Recipe { title: String, steps: Vec<String> }
struct RecipeBuilder { recipe: Recipe }
impl RecipeBuilder {
    fn new(title: &str) -> Self { RecipeBuilder { recipe: Recipe { title: title.to_string(), steps: Vec::new() } } }
    fn step(mut self, text: &str) -> Self { self.recipe.steps.push(format!("{}: {}", self.recipe.steps.len() + 1, text)); self }
    fn build(self) -> Recipe { self.recipe }
}
struct Cookbook { by_title: BTreeMap<String, Vec<Recipe>>, latest: Option<Recipe> }
impl Cookbook {
    fn publish(&mut self, recipe: Recipe) {
        self.latest = Some(recipe.clone());
        self.by_title.entry(recipe.title.clone()).or_default().push(recipe); // guilty
    }
    fn length(&self) -> usize { self.by_title.values().map(|v| v.len()).sum() }
}
fn invent(n: u32) -> Recipe {
    let mut builder = RecipeBuilder::new(&format!("soup number {}", n % 500));
    for i in 0..10 { builder = builder.step(&format!("stir the pot {} times and wait for the bubbles", i + n)); }
    builder.build()
}
fn taste(n: u32) -> usize { invent(n).steps.len() }
fn main() {
    let mut book = Cookbook { by_title: BTreeMap::new(), latest: None };
    let mut tasted = 0;
    for n in 0..50000 {
        tasted += taste(n);
        book.publish(invent(n));
    }
    println!("{} {} {}", book.length(), tasted, book.latest.map_or(0, |r| r.title.len()));
}
