// An interpreter of a small language with functions in functions. Scopes are counted.
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

type Name = Rc<str>;

enum Expr {
    Number(f64),
    Get(Name),
    Let(Name, Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    Function(Name, Rc<Expr>),
    Call(Box<Expr>, Box<Expr>),
    Block(Vec<Expr>),
}

#[derive(Clone)]
enum Value {
    Number(f64),
    Function(Rc<Closure>),
}

struct Closure {
    parameter: Name,
    body: Rc<Expr>,
    scope: Rc<Scope>,
}

struct Scope {
    values: RefCell<HashMap<Name, Value>>,
    outer: Option<Rc<Scope>>,
}

impl Scope {
    fn new(outer: Option<Rc<Scope>>) -> Rc<Self> {
        Rc::new(Scope { values: RefCell::default(), outer })
    }
    fn define(&self, name: &Name, value: Value) {
        self.values.borrow_mut().insert(name.clone(), value);
    }
    fn get(&self, name: &Name) -> Option<Value> {
        self.values.borrow().get(name).cloned().or_else(|| self.outer.as_ref()?.get(name))
    }
}

struct Interpreter {
    names: Vec<Name>,
    calls: usize,
    trace: Vec<String>,
}

impl Interpreter {
    fn name(&mut self, text: &str) -> Name {
        if let Some(known) = self.names.iter().find(|n| &***n == text) {
            return known.clone();
        }
        self.names.push(text.into());
        self.names.last().unwrap().clone()
    }

    // A function that is defined in a call is kept by its scope, and keeps it: such a circle is never counted down.
    fn call(&mut self, closure: &Closure, argument: Value) -> Value {
        let scope = Scope::new(Some(closure.scope.clone()));
        scope.define(&closure.parameter, argument); // guilty
        self.calls += 1;
        if self.calls % 50 == 0 {
            self.trace.push(format!("call {} of a function of {}", self.calls, closure.parameter));
        }
        self.eval(&closure.body, &scope)
    }

    fn eval(&mut self, expr: &Expr, scope: &Rc<Scope>) -> Value {
        match expr {
            Expr::Number(n) => Value::Number(*n),
            Expr::Get(name) => scope.get(name).unwrap_or(Value::Number(0.0)),
            Expr::Let(name, value) => {
                let value = self.eval(value, scope);
                scope.define(name, value.clone());
                value
            }
            Expr::Add(a, b) => match (self.eval(a, scope), self.eval(b, scope)) {
                (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
                (a, _) => a,
            },
            Expr::Function(parameter, body) => {
                Value::Function(Rc::new(Closure { parameter: parameter.clone(), body: body.clone(), scope: scope.clone() }))
            }
            Expr::Call(function, argument) => {
                let argument = self.eval(argument, scope);
                match self.eval(function, scope) {
                    Value::Function(closure) => self.call(&closure, argument),
                    number => number,
                }
            }
            Expr::Block(all) => all.iter().fold(Value::Number(0.0), |_, e| self.eval(e, scope)),
        }
    }
}

/// outer(n) { add = fn(k) { k + n }; add(n) + 1 }
fn program(it: &mut Interpreter) -> Expr {
    let (n, k, add) = (it.name("n"), it.name("k"), it.name("add"));
    let inner = Expr::Add(Box::new(Expr::Get(k.clone())), Box::new(Expr::Get(n.clone())));
    let call = Expr::Call(Box::new(Expr::Get(add.clone())), Box::new(Expr::Get(n.clone())));
    let body = vec![
        Expr::Let(add, Box::new(Expr::Function(k, Rc::new(inner)))),
        Expr::Add(Box::new(call), Box::new(Expr::Number(1.0))),
    ];
    Expr::Function(n, Rc::new(Expr::Block(body)))
}

fn main() {
    let mut it = Interpreter { names: Vec::new(), calls: 0, trace: Vec::new() };
    let globals = Scope::new(None);
    let outer = it.name("outer");
    let function = program(&mut it);
    it.eval(&Expr::Let(outer.clone(), Box::new(function)), &globals);
    let mut sum = 0.0;
    for i in 0..120_000 {
        let call = Expr::Call(Box::new(Expr::Get(outer.clone())), Box::new(Expr::Number(f64::from(i))));
        if let Value::Number(n) = it.eval(&call, &globals) {
            sum += n;
        }
    }
    println!("{sum} in {} calls, {} lines", it.calls, it.trace.len());
}
