//! A GraphQL endpoint: queries are parsed once, validated against the schema, and executed by fields.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;

#[derive(Debug)]
enum QueryError {
    Unexpected(usize),
    UnknownField(String),
}

impl fmt::Display for QueryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Unexpected(at) => write!(out, "unexpected character at {at}"),
            QueryError::UnknownField(name) => write!(out, "no field {name}"),
        }
    }
}

#[derive(Debug, Default)]
struct Field {
    name: String,
    arguments: Vec<(String, String)>,
    fields: Vec<Field>,
}

struct Document {
    fields: Vec<Field>,
    complexity: usize,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Parser { text: text.as_bytes(), at: 0 }
    }

    fn peek(&mut self) -> u8 {
        while self.at < self.text.len() && matches!(self.text[self.at], b' ' | b'\n' | b',') {
            self.at += 1;
        }
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), QueryError> {
        if self.peek() != wanted {
            return Err(QueryError::Unexpected(self.at));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self) -> Result<String, QueryError> {
        self.peek();
        let start = self.at;
        while self.at < self.text.len() && (self.text[self.at].is_ascii_alphanumeric() || matches!(self.text[self.at], b'_' | b'"' | b'-')) {
            self.at += 1;
        }
        if start == self.at {
            return Err(QueryError::Unexpected(start));
        }
        Ok(String::from_utf8_lossy(&self.text[start..self.at]).into_owned())
    }

    fn selection(&mut self) -> Result<Vec<Field>, QueryError> {
        let mut fields = Vec::new();
        self.expect(b'{')?;
        while self.peek() != b'}' {
            let mut field = Field { name: self.word()?, ..Field::default() };
            if self.peek() == b'(' {
                self.at += 1;
                while self.peek() != b')' {
                    let name = self.word()?;
                    self.expect(b':')?;
                    field.arguments.push((name, self.word()?));
                }
                self.at += 1;
            }
            if self.peek() == b'{' {
                field.fields = self.selection()?;
            }
            fields.push(field);
        }
        self.at += 1;
        Ok(fields)
    }
}

struct Schema {
    types: BTreeMap<String, Vec<String>>,
    documents: HashMap<String, Rc<Document>>,
}

impl Schema {
    fn load() -> Self {
        let mut types = BTreeMap::new();
        types.insert("Order".to_string(), ["order", "id", "total", "lines", "article", "price", "customer", "name"].map(String::from).to_vec());
        for number in 0..2400 {
            let fields = (0..30).map(|field| format!("field_{field}_of_type_{number}_with_a_description")).collect();
            types.insert(format!("Type{number}"), fields);
        }
        Schema { types, documents: HashMap::new() }
    }

    fn check(&self, fields: &[Field]) -> Result<usize, QueryError> {
        let known = &self.types["Order"];
        let mut complexity = 0;
        for field in fields {
            if !known.contains(&field.name) {
                return Err(QueryError::UnknownField(field.name.clone()));
            }
            complexity += 1 + self.check(&field.fields)?;
        }
        Ok(complexity)
    }

    fn prepare(&mut self, text: &str) -> Result<Rc<Document>, QueryError> {
        if let Some(known) = self.documents.get(text) {
            return Ok(Rc::clone(known));
        }
        let fields = Parser::new(text).selection()?; // guilty
        let complexity = self.check(&fields)?;
        let document = Rc::new(Document { fields, complexity });
        self.documents.insert(text.to_owned(), Rc::clone(&document));
        Ok(document)
    }
}

fn execute(fields: &[Field], depth: usize, out: &mut String) {
    for field in fields {
        let id = field.arguments.first().map_or("", |(_, value)| value.as_str());
        out.push_str(&format!("{:depth$}{}:{id}\n", "", field.name));
        execute(&field.fields, depth + 1, out);
    }
}

/// Clients put the values into the text, where they ought to send variables.
fn client_query(number: usize) -> String {
    let wrong = if number % 50 == 0 { " colour" } else { "" };
    let article = number % 300;
    format!("{{ order(id: \"{number}\") {{ id total lines {{ article(id: \"{article}\") {{ price name }} }} customer {{ name id{wrong} }} }} }}")
}

fn main() {
    let mut schema = Schema::load();
    let (mut answered, mut bytes, mut complexity) = (0usize, 0usize, 0usize);
    let mut last_error = String::new();
    for number in 0..20000 {
        match schema.prepare(&client_query(number)) {
            Ok(document) => {
                let mut answer = String::new();
                execute(&document.fields, 0, &mut answer);
                bytes += answer.len();
                complexity = complexity.max(document.complexity);
                answered += 1;
            }
            Err(error) => last_error = error.to_string(),
        }
    }
    println!("{answered} answered with {bytes} bytes, {complexity} fields at most, {last_error}");
}
