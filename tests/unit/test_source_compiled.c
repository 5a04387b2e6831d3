/* What becomes of what a line of C, C++ or Rust makes, and the outline that says so. */
#include "base/attr.h"
#include "source/flow.h"

#include "base/strings/out.h"
#include "check.h"

static struct hf_source_end compiled_end(
    const char *text, uint32_t line, const char *path, const char *callee)
{
    struct hf_sources sources = {0};
    struct hf_error err;
    uint32_t file;
    assert_int_equal(
        hf_sources_add_text(&sources, hf_text_of(path), hf_text_of(text), &file, &err), HF_OK);
    struct hf_source_flow flow = {.sources = &sources};
    struct hf_source_end end = hf_source_flow_of(&flow, file, line, hf_text_of(callee));
    hf_source_flow_done(&flow);
    hf_sources_done(&sources);
    return end;
}

/* What each line of `text` does, by a letter: K keeps, P stores in a parameter, O has one value
 * there, T is torn, S stays, R returns, F fills, ? unknown. */
static void compiled_expect(const char *text, const char *path, const char *expected)
{
    for (uint32_t line = 1; expected[line - 1] != '\0'; line++) {
        struct hf_source_end end = compiled_end(text, line, path, "");
        char found = "?SRFK"[end.fate];
        if (end.fate == HF_SOURCE_KEPT)
            found = (char)(end.is_torn ? 'T' : end.is_stored ? 'P' : end.is_replaced ? 'O' : 'K');
        if (expected[line - 1] != '-' && found != expected[line - 1])
            fail_msg("line %u is '%c', not '%c', of:\n%s", line, found, expected[line - 1], text);
    }
}

/* "CLASS::NAME(PARAMETERS) LINES;" of each function. */
static void compiled_outline(const char *text, const char *path, const char *expected)
{
    struct hf_sources sources = {0};
    struct hf_error err;
    struct hf_out out = {0};
    uint32_t number;
    assert_int_equal(
        hf_sources_add_text(&sources, hf_text_of(path), hf_text_of(text), &number, &err), HF_OK);
    const struct hf_source_file *file = &sources.files[number];
    for (uint32_t i = 0; i < file->outline.function_count; i++) {
        const struct hf_source_function *function = &file->outline.functions[i];
        hf_out_text(&out, function->class);
        hf_out_string(&out, "::");
        hf_out_text(&out, function->name);
        hf_out_string(&out, "(");
        for (uint32_t n = 0; hf_source_parameter(file, i, n).size != 0; n++) {
            hf_out_string(&out, n != 0 ? " " : "");
            hf_out_text(&out, hf_source_parameter(file, i, n));
        }
        hf_out_printf(&out, ") %u-%u;", file->tokens.items[function->begin].line,
            file->tokens.items[function->end - 1].line);
    }
    assert_int_equal(hf_out_finish(&out, NULL), HF_OK);
    if (!hf_text_is(hf_out_view(&out), expected))
        fail_msg("expected %s, found %.*s", expected, (int)out.size, out.data);
    hf_out_done(&out);
    hf_sources_done(&sources);
}

static void test_outlines(void **state)
{
    (void)state;
    compiled_outline("#define X(a) \\\n    { a }\n"
                     "struct row { int n; };\n"
                     "static struct row rows[2] = {{1}, {2}};\n"
                     "static struct row *row_new(const char *text, size_t n, char *v[])\n"
                     "{\n    if (n > '{')\n        return NULL;\n    struct row x = {n};\n"
                     "    do { n--; } while (n);\n    return 0;\n}\n"
                     "int main(void) { return \"}\"[0]; }\n",
        "a.c", "::row_new(text n v) 5-12;::main(void) 13-13;");
    compiled_outline(
        "namespace app {\n"
        "template <typename T> class Box final : public std::vector<T> {\n public:\n"
        "    explicit Box(std::map<int, T> items) : items_(std::move(items)), n_{0} {}\n"
        "    bool operator<(const Box &other) const { return n_ < other.n_; }\n"
        "    auto all() const -> std::vector<T> { return {}; }\n};\n"
        "void Store::put(Key key, T *x = nullptr) {\n"
        "    each([&](const auto &y) { use(y); });\n}\n"
        "const char *raw = R\"x(void no() {)x\";\n"
        "extern \"C\" {\nvoid c_name() {}\n}\n}\n",
        "a.cc",
        "Box::Box(items) 4-4;Box::operator(other) 5-5;Box::all() 6-6;Store::put(key x) 8-10;"
        "::c_name() 13-13;");
    compiled_outline("#[derive(Clone, Debug)]\npub struct Shelf<'a, T> { items: Vec<T> }\n"
                     "impl<'a, T: Fn(u8) -> u8> Shelf<'a, T> {\n"
                     "    pub fn add(&mut self, mut item: T, at: usize) -> usize {\n"
                     "        let c = '{'; /* { */ let r = r#\"}\"#;\n"
                     "        if self.items == (Vec { n: 1 }).items { return 1 }\n"
                     "        0\n    }\n}\n"
                     "mod inner { impl super::Look for Reader { fn look(&self) {} } }\n"
                     "async fn main() { let p = Point { x: 1 }; }\n",
        "a.rs", "Shelf::add(item at) 4-8;Reader::look() 10-10;::main() 11-11;");
}

static void test_c(void **state)
{
    (void)state;
    compiled_expect("static struct node *head, *slots[9];\n"
                    "struct node *node_add(const char *name)\n"
                    "{\n"
                    "    struct node *n = calloc(1, sizeof *n), *other = NULL;\n"
                    "    n->name = strdup(name);\n"
                    "    n->next = head;\n"
                    "    head = n;\n"
                    "    return n;\n"
                    "}\n",
        "a.c", "---KK--R");
    compiled_expect("void log_add(struct log *log, const char *text)\n"
                    "{\n"
                    "    char *copy = strdup(text);\n"
                    "    if (log->n == log->room)\n"
                    "        log->lines = realloc(log->lines, 2 * log->room);\n"
                    "    log->lines[log->n++] = copy;\n"
                    "    char *line = strdup(text);\n"
                    "    free(line);\n"
                    "}\n",
        "a.c", "--P-P-S");
    compiled_expect("int parse(const char *text, struct row **out)\n"
                    "{\n"
                    "    struct row *row = malloc(9);\n"
                    "    row->key = dup(text);\n"
                    "    *out = row;\n"
                    "    char *p = (char *)malloc(strlen(text) + 1);\n"
                    "    if ((p = realloc(p, 7)) == NULL)\n"
                    "        return -1;\n"
                    "    return 0;\n"
                    "}\n",
        "a.c", "--FF-SS");
    /* The list of those that are free is another's: what was made may be of neither. */
    compiled_expect("struct frame *frame_get(struct pool *pool)\n"
                    "{\n"
                    "    struct frame *f = pool->spare;\n"
                    "    if (f) {\n"
                    "        pool->spare = f->next;\n"
                    "    } else {\n"
                    "        f = calloc(1, sizeof *f);\n"
                    "        f->plane = malloc(9);\n"
                    "    }\n"
                    "    return f;\n"
                    "}\n",
        "a.c", "------RR");
}

static void test_cpp(void **state)
{
    (void)state;
    compiled_expect("class Book {\n"
                    "    void take(Order order) { orders_.push_back(std::move(order)); }\n"
                    "    void copy(const Order &order) { orders_.push_back(order); }\n"
                    "    void run() {\n"
                    "        Order order{1, name()};\n"
                    "        look(order);\n"
                    "        take(std::move(order));\n"
                    "        copy(make());\n"
                    "        current_ = std::make_shared<Order>(2);\n"
                    "        total_ += count();\n"
                    "        auto other = base_;\n"
                    "        other.push_back(make());\n"
                    "        auto &slot = slots_[7];\n"
                    "        slot = std::make_unique<Order>(3);\n"
                    "    }\n"
                    "    std::string text() {\n"
                    "        std::string out;\n"
                    "        for (auto word : words_)\n"
                    "            out += word;\n"
                    "        return out;\n"
                    "    }\n"
                    "    Book(std::string name) : name_(std::move(name)) { index_ = build(); }\n"
                    "    std::vector<Order> orders_;\n"
                    "};\n",
        "a.cc", "-KK-K-KSO-SS-K----R--R");
    /* An object that lives as long as its function keeps nothing; one that is returned, does. */
    compiled_expect("class Page {\n"
                    " public:\n"
                    "    void line(std::string text) { lines_.push_back(std::move(text)); }\n"
                    "};\n"
                    "Page page() {\n"
                    "    Page made;\n"
                    "    made.line(word());\n"
                    "    return made;\n"
                    "}\n"
                    "size_t count() {\n"
                    "    Page mine;\n"
                    "    mine.line(word());\n"
                    "    return 1;\n"
                    "}\n"
                    "int main() {\n"
                    "    Page all;\n"
                    "    all.line(word());\n"
                    "}\n",
        "a.cc", "--K---R----?----K");
    compiled_expect("using Ref = std::shared_ptr<Order>;\n"
                    "class Pool {\n"
                    "    bool accept(const Ref &tx) {\n"
                    "        if (early(tx)) { late(tx); return false; }\n"
                    "        ready_.emplace(tx->id, tx);\n"
                    "        return true;\n"
                    "    }\n"
                    "    void late(const Ref &tx) { late_.emplace(tx->id, tx); }\n"
                    "    void run() { accept(next()); }\n"
                    "};\n",
        "a.cc", "-------KT");
}

static void test_rust(void **state)
{
    (void)state;
    compiled_expect("impl Archive {\n"
                    "    fn file(&mut self, message: Message) -> usize {\n"
                    "        self.threads[0].messages.push(message);\n"
                    "        self.seen.entry(id()).or_insert_with(Vec::new).push(name());\n"
                    "        if let Some(list) = self.lists.get_mut(&key) {\n"
                    "            list.push(Row { n: 1, text: text() });\n"
                    "        }\n"
                    "        self.last = Some(copy());\n"
                    "        let shared = Rc::new(Row::default());\n"
                    "        self.rows.push(Rc::clone(&shared));\n"
                    "        7\n"
                    "    }\n"
                    "    fn look(&self, message: &Message) -> bool {\n"
                    "        let lower = message.body.to_lowercase();\n"
                    "        self.words.contains(&lower)\n"
                    "    }\n"
                    "}\n",
        "a.rs", "--KK-K-OK----S");
    compiled_expect("fn parse(raw: &str) -> Option<Message> {\n"
                    "    let body = raw.to_string();\n"
                    "    let kind = match raw.len() {\n"
                    "        0 => Kind::Empty(name()),\n"
                    "        n if n > 3 => {\n"
                    "            let parts = vec![n];\n"
                    "            Kind::Long(parts)\n"
                    "        }\n"
                    "        _ => return None,\n"
                    "    };\n"
                    "    let seen = raw.to_string();\n"
                    "    println!(\"{}\", seen);\n"
                    "    Some(Message { body, kind })\n"
                    "}\n"
                    "fn fill(out: &mut Vec<String>) {\n"
                    "    out.push(format!(\"{}\", 1));\n"
                    "}\n",
        "a.rs", "-R-R-R----S-R--F");
}

/* Objects that hold each other are never freed, whoever lets go of them. */
static void test_rust_tied(void **state)
{
    (void)state;
    compiled_expect("fn page(lines: &[String]) -> Node {\n"
                    "    let root = Rc::new(RefCell::new(node(\"root\")));\n"
                    "    for line in lines {\n"
                    "        let mut child = node(line);\n"
                    "        child.parent = Some(root.clone());\n"
                    "        root.borrow_mut().children.push(Rc::new(RefCell::new(child)));\n"
                    "    }\n"
                    "    root\n"
                    "}\n"
                    "fn weak(lines: &[String]) -> Node {\n"
                    "    let root = Rc::new(RefCell::new(node(\"root\")));\n"
                    "    let mut child = node(\"a\");\n"
                    "    child.parent = Some(Rc::downgrade(&root.clone()));\n"
                    "    root.borrow_mut().children.push(Rc::new(RefCell::new(child)));\n"
                    "    root\n"
                    "}\n",
        "a.rs", "-K-K------RR");
}

/* The issue's: what one function makes, another keeps, which is not running then. */
static void test_holders(void **state)
{
    (void)state;
    static const char *const texts[][3] = {
        {"a.c", "encode",
            "void *work(void *unused)\n{\n    finished(id, encode(clip));\n    return unused;\n}\n"
            "void finished(int id, struct preview preview)\n{\n"
            "    struct done *d = malloc(sizeof(*d));\n    d->preview = preview;\n"
            "    d->next = status.last;\n    status.last = d;\n}\n"
            "struct status status;\n"},
        {"a.cc", "next",
            "int main() {\n    Sensor sensor;\n    while (auto segment = capture.next())\n"
            "        sensor.packet(std::move(*segment));\n}\n"
            "void Sensor::packet(Segment &&segment) {\n"
            "    early_.try_emplace(1, std::move(segment));\n}\n"},
        {"a.rs", "parse",
            "fn main() {\n    let mut archive = Archive::default();\n"
            "    let Some(message) = parse(&next()) else { return };\n"
            "    total += score(&message);\n    archive.file(message);\n}\nimpl Archive {\n"
            "    fn file(&mut self, message: Message) {\n"
            "        self.messages.push(message);\n    }\n}\n"},
    };
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        struct hf_source_end end = compiled_end(texts[i][2], 3, texts[i][0], texts[i][1]);
        assert_int_equal(end.fate, HF_SOURCE_KEPT);
        assert_int_equal(end.function, 1);
        assert_false(end.is_torn);
        assert_in_range(end.line, 7, 11);
    }
}

/* Who reads parts of what it keeps is no container for all: by what the caller gave, too. */
static void test_who_reads_what_it_keeps(void **state)
{
    (void)state;
    static const char *const texts[][3] = {
        {"known", "a.c",
            "void work(struct survey *v)\n{\n    show(v, analyse(v->sweep));\n}\n"
            "void show(struct survey *v, struct row *r)\n{\n    v->rows[v->n++] = r;\n"
            "    v->energy += r->floor;\n}\n"},
        {"", "a.c",
            "void work(struct survey *v)\n{\n    show(v, analyse(v->sweep));\n}\n"
            "void show(struct survey *v, struct row *r)\n{\n    r->next = v->rows;\n"
            "    v->rows = r;\n}\n"},
        {"known", "a.cc",
            "void work(Archive &archive) {\n    auto made = scan();\n    "
            "archive.add(analyse());\n}\n"
            "void Archive::add(const std::shared_ptr<Image> &image) {\n"
            "    series_[image->series].push_back(image);\n}\n"},
        {"", "a.cc",
            "void work(Archive &archive) {\n    auto made = scan();\n    "
            "archive.add(analyse());\n}\n"
            "void Archive::add(const std::shared_ptr<Image> &image) {\n"
            "    all_.push_back(image); size_ += image.use_count();\n}\n"},
    };
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        struct hf_source_end end = compiled_end(texts[i][2], 3, texts[i][1], "analyse");
        assert_int_equal(end.fate, HF_SOURCE_KEPT);
        assert_int_equal(end.function, 1);
        assert_int_equal(end.is_known, *texts[i][0] != '\0');
    }
}

/* Each part of what a loop goes through is given to its variables. */
static void test_ranges(void **state)
{
    (void)state;
    compiled_expect("class Archive {\n"
                    "    void receive(const std::vector<std::shared_ptr<Image>> &series) {\n"
                    "        for (const auto &image : series)\n"
                    "            study(image->study).add(image);\n"
                    "    }\n"
                    "    void name(std::map<int, Image *> byName) {\n"
                    "        for (auto &[key, image] : byName) all_.push_back(image);\n"
                    "    }\n"
                    "    void day() {\n"
                    "        auto series = scan();\n"
                    "        receive(series);\n"
                    "        std::map<int, Image *> others = scan();\n"
                    "        name(others);\n"
                    "        for (size_t i = first(); i < 3; i++) {}\n"
                    "    }\n"
                    "};\n"
                    "void Study::add(const std::shared_ptr<Image> &image) {\n"
                    "    series_[image->series].push_back(image);\n"
                    "}\n",
        "a.cc", "---------K-S-S");
}

/* An object that the caller made, and returns, is where the caller's caller puts it. */
static void test_receivers(void **state)
{
    (void)state;
    static const char text[] = "fn parse(words: &[&str]) -> Chart {\n"
                               "    let mut chart = Chart::default();\n"
                               "    chart.add(0, 1);\n"
                               "    chart\n"
                               "}\n"
                               "impl Session {\n"
                               "    fn check(&mut self, chart: &mut Chart) {\n"
                               "        chart.add(0, 2);\n"
                               "        self.chart.add(0, 2);\n"
                               "    }\n"
                               "}\n";
    static const enum hf_source_fate fates[] = {
        [3] = HF_SOURCE_RETURNED, [8] = HF_SOURCE_UNKNOWN, [9] = HF_SOURCE_UNKNOWN};
    struct hf_sources sources = {0};
    struct hf_error err;
    uint32_t file;
    assert_int_equal(
        hf_sources_add_text(&sources, HF_TEXT("a.rs"), hf_text_of(text), &file, &err), HF_OK);
    struct hf_source_flow flow = {.sources = &sources};
    for (uint32_t line = 3; line < HF_COUNT(fates); line += line == 3 ? 5 : 1)
        assert_int_equal(
            hf_source_flow_of_argument(&flow, file, line, HF_TEXT("add"), HF_SOURCE_RECEIVER).fate,
            fates[line]);
    hf_source_flow_done(&flow);
    hf_sources_done(&sources);
}

/* What another function takes from where a value was put, and keeps, it keeps for good. */
static void test_slots(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
        const char *keeper; /* NULL: nobody takes it from there */
    } slots[] = {
        {"a.c",
            "void scan(struct till *t)\n{\n    *t->open->end = line_new();\n}\n"
            "void pay(struct till *t)\n{\n    struct receipt *r = t->open;\n    t->open = NULL;\n"
            "    t->total += r->cents;\n    t->day[t->n++] = r;\n}\n",
            "pay"},
        {"a.c",
            "void scan(struct till *t)\n{\n    t->open = line_new();\n}\n"
            "void cancel(struct till *t)\n{\n    struct receipt *r = t->open;\n"
            "    free(r);\n    t->open = NULL;\n}\n",
            NULL},
        {"a.c",
            "void scan(struct till *t)\n{\n    t->open = line_new();\n}\n"
            "void look(struct till *t)\n{\n    struct receipt *r = t->open;\n"
            "    t->seen[0] = r;\n}\n",
            NULL},
        {"a.cc",
            "class Log { void add() {\n\n        batch_.push_back(line());\n    }\n"
            "    void flush() { sent_.push_back(std::move(batch_)); }\n};\n",
            "flush"},
        {"a.rs",
            "impl Log {\n    fn add(&mut self) {\n        self.batch.push(line());\n    }\n"
            "    fn flush(&mut self) { self.sent.push(std::mem::take(&mut self.batch)); }\n}\n",
            "flush"},
        {"a.rs",
            "impl Log {\n    fn add(&mut self) {\n        self.last = Some(line());\n    }\n"
            "    fn flush(&mut self) {\n        if let Some(line) = self.last.take() {\n"
            "            self.sent.push(line);\n        }\n    }\n}\n",
            "flush"},
        {"a.py",
            "class Log:\n    def add(self):\n        self.batch.append(line())\n"
            "    def flush(self):\n        batch = self.batch\n        self.batch = []\n"
            "        self.sent.extend(batch)\n",
            "flush"},
        {"a.pl",
            "package Log;\nsub add { my ($self) = @_;\n    push @{$self->{batch}}, line();\n}\n"
            "sub flush { my ($self) = @_;\n    my $batch = $self->{batch};\n"
            "    $self->{batch} = [];\n    push @{$self->{sent}}, $batch;\n}\n",
            "flush"},
    };
    for (size_t i = 0; i < HF_COUNT(slots); i++) {
        struct hf_source_end end = compiled_end(slots[i].text, 3, slots[i].path, "");
        assert_int_equal(end.fate, HF_SOURCE_KEPT);
        if (end.function != (slots[i].keeper != NULL))
            fail_msg("text %zu: function %u", i, end.function);
        if (i == 0)
            assert_true(end.is_known);
    }
}

/* What stands in a source that is no text of the language, or looks like something else. */
static void test_words_of_c(void **state)
{
    (void)state;
    /* One branch of a condition, if both open a block; none that "#if 0" leaves out. */
    compiled_outline(
        "#if 0\nvoid gone(int a) {\n#endif\n"
        "#ifdef WIDE\nint f(long a) {\n#else\nint f(int b) {\n#endif\n"
        "    return 1;\n}\n"
        "#if X\nint g(int c) { return 1; }\n#else\nint h(int d) { return 2; }\n#endif\n",
        "a.c", "::f(a) 5-10;::g(c) 12-12;::h(d) 14-14;");
    compiled_outline(
        "#if 0\n#if A\n{\n#else\n{\n#endif\n#else\nint f(int a) { return a; }\n#endif\n", "a.c",
        "::f(a) 8-8;");
    compiled_outline(
        "#define OPEN \\\r\n    {\r\nint f(int a) { return a; }\r\n", "a.c", "::f(a) 3-3;");
    /* An apostrophe that begins nothing ends with its line; texts have beginnings. */
    compiled_outline("int f(int a) { return a; } // it's\n#error don't\nint g = ' ;\nint h;\n"
                     "int k(int b) { return b; }\n",
        "a.c", "::f(a) 1-1;::k(b) 5-5;");
    compiled_expect(
        "void f(struct log *log)\n{\n    L = 1;\n    log->text = widen(L\"a\", u8\"b\");\n}\n",
        "a.c", "---P");
    /* A macro before a function is not its name; nor is an attribute. */
    compiled_outline(
        "G_DEFINE_TYPE(Feed, feed, G_TYPE_OBJECT)\nstatic void feed_init(Feed *feed)\n"
        "{\n}\nTEST_F(Suite, Works) {\n}\n__declspec(dllexport) int f(int a) { return a; }\n",
        "a.cc", "::feed_init(feed) 2-4;::TEST_F(Suite Works) 5-6;::f(a) 7-7;");
    /* As they were declared before 1989. */
    compiled_outline("int f(a, b)\n    int a;\n    char *b[];\n{\n    return a;\n}\n"
                     "void g(size_t);\nint h(void) { return 1; }\n",
        "a.c", "::f(a b) 1-6;::h(void) 8-8;");
    compiled_outline("template <typename T = std::vector<int>, int N = 3> class Box {\n"
                     "    void add(T item) { items_.push_back(item); }\n};\n",
        "a.cc", "Box::add(item) 2-2;");
}

static void test_words_of_rust(void **state)
{
    (void)state;
    compiled_outline("/* one /* in */ another */\n#![doc = \"a]b\"]\n#[cfg(feature = \"x]\")]\n"
                     "fn f(r#type: u8, b: u8) -> u8 { let c = b'x'; r#type }\n"
                     "macro_rules! row {\n    ($a:expr) => { $a };\n}\n"
                     "extern \"C\" {\n    fn outside(a: u8);\n}\n"
                     "static ALL: T = T { a: 1 };\nfn g(d: u8) {}\n",
        "a.rs", "::f(type b) 4-4;::g(d) 12-12;");
    /* "return" in a block leaves the function, in a closure only that. */
    compiled_expect("fn f(key: &str) -> Option<Row> {\n"
                    "    let made = row_of(key);\n"
                    "    let row = match key {\n"
                    "        \"a\" => {\n"
                    "            return Some(made);\n"
                    "        }\n"
                    "        _ => 1,\n"
                    "    };\n"
                    "    let other = row_of(key);\n"
                    "    let all = each(|x| {\n"
                    "        return other;\n"
                    "    });\n"
                    "    None\n"
                    "}\n",
        "a.rs", "-R------S");
}

/* What may be another than it looks like by its name. */
static void test_names_of_c(void **state)
{
    (void)state;
    /* A variable may begin with a capital. */
    compiled_expect(
        "struct list *All;\nvoid f(struct list *List)\n{\n    struct list *Mine = list_new();\n"
        "    Mine->text = text();\n    List->text = text();\n    All->text = text();\n"
        "    Other->text = text();\n    other = text();\n}\n",
        "a.c", "---SSPKSS");
    /* Each variable is given what stands behind its own sign. */
    compiled_expect("void *f(void)\n{\n    char *a = one(),\n         *b = two();\n"
                    "    return a;\n}\n",
        "a.c", "--RS");
    /* What is made of the result is another value. */
    static const char behind[] = "void Log::f() {\n    size_ = load(x()).size();\n"
                                 "    last_ = load(x()).value();\n}\n";
    assert_int_equal(compiled_end(behind, 2, "a.cc", "load").fate, HF_SOURCE_STAYS);
    assert_int_equal(compiled_end(behind, 3, "a.cc", "load").fate, HF_SOURCE_KEPT);
    /* Not each capital is a class: "Publish" is a function that was not read. */
    compiled_expect("void Log::f() {\n    last_ = Publish(make());\n    Order order(1);\n"
                    "    last_ = Order(make());\n}\n",
        "a.cc", "-O-O");
    struct hf_source_end end =
        compiled_end("void Log::f() {\n    last_ = Publish(make());\n}\n", 2, "a.cc", "make");
    assert_int_equal(end.fate, HF_SOURCE_UNKNOWN);
    end = compiled_end(
        "struct Order;\nvoid Log::f() { last_ = Order(make()); }\n", 2, "a.cc", "make");
    assert_int_equal(end.fate, HF_SOURCE_KEPT);
}

/* Of functions of one name the nearest is called: by class, file and count of arguments. */
static void test_who_is_called(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        int keeps; /* its line; 0: nobody can tell */
    } calls[] = {{"add(make())", 1}, {"add(make(), 1)", 2}, {"add(make(), 1, 2)", 0},
        {"index.add(make())", 3}, {"other.add(make())", 0}, {"twice(make())", 0}};
    for (size_t i = 0; i < HF_COUNT(calls); i++) {
        struct hf_out text = {0};
        hf_out_string(&text, "void Log::add(Row row) { rows_.push_back(std::move(row)); }\n"
                             "void Log::add(Row row, int n) { more_.push_back(std::move(row)); }\n"
                             "void Index::add(Row row) { rows_.push_back(std::move(row)); }\n"
                             "void Log::twice(A a) { a_.push_back(std::move(a)); }\n"
                             "void Log::twice(B b) { b_.push_back(std::move(b)); }\n"
                             "void Log::run() { ");
        hf_out_string(&text, calls[i].call);
        hf_out_string(&text, "; }\n");
        hf_out_char(&text, '\0');
        assert_int_equal(hf_out_finish(&text, NULL), HF_OK);
        struct hf_source_end end = compiled_end(text.data, 6, "a.cc", "make");
        bool is_kept = end.fate == HF_SOURCE_KEPT;
        if ((is_kept ? (int)end.line : 0) != calls[i].keeps)
            fail_msg("%s: %u", calls[i].call, end.line);
        hf_out_done(&text);
    }
}

static void test_self_and_digits(void **state)
{
    (void)state;
    static const char put[] = "struct book { void *orders[9]; int n; };\n"
                              "void put(struct book *self, void *order)\n{\n"
                              "    self->orders[self->n++] = order;\n}\n";
    compiled_outline(put, "a.c", "::put(self order) 2-5;");
    static const char stored[] = "void fill(struct book *self)\n{\n    self->row = malloc(9);\n}\n";
    compiled_expect(stored, "a.c", "--P");
    compiled_outline("int a = 0xDEAD'BEEF;\nint f(int b)\n{\n    return b;\n}\nchar c = 'x';\n",
        "a.cc", "::f(b) 2-5;");
}

#if HF_SANITIZED /* what is quadratic is seen where it is not sanitized */
#define TIMES 10000
#else
#define TIMES 150000
#endif

/* Of line 3, of a text with something in it again and again: such a one must not take long. */
static struct hf_source_end end_of_repeated(
    const char *begin, const char *again, int times, const char *end)
{
    struct hf_out text = {0};
    hf_out_string(&text, begin);
    for (int i = 0; i < times; i++)
        hf_out_string(&text, again);
    hf_out_string(&text, end);
    hf_out_char(&text, 0);
    assert_int_equal(hf_out_finish(&text, NULL), HF_OK);
    struct hf_source_end found = compiled_end(text.data, 3, "a.cc", "");
    hf_out_done(&text);
    return found;
}

static void test_nothing_is_gone_over_from_its_beginning(void **state)
{
    (void)state;
    static const char *const texts[][3] = {
        {"void f(void)\n{\n    char *a = malloc(1);\n    g(a", ",a", ");\n}\n"},
        {"\n\nx", "{}", "\n"},
        {"\n\nx", ",{1}", "\n"},
        {"void f(void)\n{\n    a", ".b()", ";\n}\n"},
        {"void f(void)\n{\n    g(a", ".b()", ");\n}\n"},
        {"void f(void)\n{\n    a ", "a ", "+ b, a = malloc(1);\n}\n"},
        {"void f(a ", "a ", ")\n{\n    a = g(a, a, a);\n}\n"},
        {"using T = int; void f()\n{\n    ", "T a = g(a); ", "\n}\n"},
    };
    for (size_t i = 0; i < HF_COUNT(texts); i++)
        assert_int_not_equal(
            end_of_repeated(texts[i][0], texts[i][1], TIMES, texts[i][2]).fate, HF_SOURCE_RETURNED);
}

/* A queue that its own class serves is no container; one that gives back what is in it is. */
static void test_who_uses_what_it_keeps(void **state)
{
    (void)state;
    static const char begin[] = "class Destination {\n"
                                "    void enqueue(MessagePtr message)\n"
                                "    {\n"
                                "        queue_.push_back(std::move(message));\n"
                                "    }\n";
    static const char end[] = "    std::deque<MessagePtr> queue_;\n"
                              "};\n"
                              "void accept(Destination *d, int text)\n"
                              "{\n"
                              "    auto message = std::make_shared<Message>(text); // here\n"
                              "    d->enqueue(message);\n"
                              "}\n";
    static const struct {
        const char *method;
        bool is_known;
    } cases[] = {
        {"    void deliver() { send_(*queue_.front()); queue_.pop_front(); }\n", true},
        {"    MessagePtr take() { return queue_.front(); }\n", false},
        {"    void deliver() { send_(*queue_.front()); }\n"
         "    const std::deque<MessagePtr> &all() const { return queue_; }\n",
            false},
        {"", false},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s%s%s", begin, cases[i].method, end);
        uint32_t line = 1;
        for (const char *at = text; at < strstr(text, "// here"); at++)
            line += *at == '\n';
        struct hf_source_end found = compiled_end(text, line, "a.cc", "");
        assert_int_equal(found.fate, HF_SOURCE_KEPT);
        assert_int_equal(found.line, 4);
        assert_int_equal(found.is_known, cases[i].is_known);
    }
}

/* What a function puts into a container that its caller made goes where that takes it. */
static void test_containers_of_callers(void **state)
{
    (void)state;
    static const char text[] = "struct tree *build(struct heap *given)\n"
                               "{\n"
                               "    struct heap *heap = calloc(1, sizeof *heap);\n"
                               "    heap_push(heap, tree_new());\n"
                               "    heap_push(given, tree_new());\n"
                               "    struct tree *root = heap->items[0];\n"
                               "    free(heap);\n"
                               "    return root;\n"
                               "}\n"
                               "void heap_push(struct heap *h, struct tree *t)\n"
                               "{\n"
                               "    h->items[h->n++] = t;\n"
                               "}\n";
    struct hf_source_end end = compiled_end(text, 4, "a.c", "tree_new");
    assert_int_equal(end.fate, HF_SOURCE_RETURNED);
    end = compiled_end(text, 5, "a.c", "tree_new");
    assert_int_equal(end.fate, HF_SOURCE_KEPT);
    assert_int_equal(end.function, 1);
}

/* A function that is called by a pointer is given what stands there. */
static void test_calls_by_pointers(void **state)
{
    (void)state;
    static const char text[] = "struct plan *parse(char *line)\n"
                               "{\n"
                               "    struct plan *plan = calloc(1, sizeof *plan);\n"
                               "    if (strlen(line) && !keywords[i].handle(plan, line))\n"
                               "        words[i].first(plan, words[i].second(plan));\n"
                               "    look(plan);\n"
                               "    return plan;\n"
                               "}\n";
    static const enum hf_source_fate fates[] = {
        [4] = HF_SOURCE_RETURNED, [5] = HF_SOURCE_UNKNOWN, [6] = HF_SOURCE_UNKNOWN};
    struct hf_sources sources = {0};
    struct hf_error err;
    uint32_t file;
    assert_int_equal(
        hf_sources_add_text(&sources, HF_TEXT("a.c"), hf_text_of(text), &file, &err), HF_OK);
    struct hf_source_flow flow = {.sources = &sources};
    for (uint32_t line = 4; line < HF_COUNT(fates); line++)
        assert_int_equal(hf_source_flow_of_argument(&flow, file, line, HF_TEXT("on_route"), 0).fate,
            fates[line]);
    hf_source_flow_done(&flow);
    hf_sources_done(&sources);
}

/* A coroutine is what its caller gets, and "auto [a, b]" declares a and b alone. */
static void test_coroutines(void **state)
{
    (void)state;
    compiled_expect("Visit visit(int n) {\n"
                    "    sum(co_await Weighing{});\n"
                    "}\n"
                    "void other() {\n"
                    "}\n"
                    "class Yard {\n"
                    "    void arrive(long n) {\n"
                    "        const auto [it, fresh] = visits_.try_emplace(n, visit(n));\n"
                    "    }\n"
                    "};\n",
        "a.cc", "--R-?--K");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers_of_callers),
        cmocka_unit_test(test_calls_by_pointers),
        cmocka_unit_test(test_coroutines),
        cmocka_unit_test(test_who_uses_what_it_keeps),
        cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_c),
        cmocka_unit_test(test_cpp),
        cmocka_unit_test(test_rust),
        cmocka_unit_test(test_rust_tied),
        cmocka_unit_test(test_holders),
        cmocka_unit_test(test_who_reads_what_it_keeps),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_receivers),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_words_of_c),
        cmocka_unit_test(test_words_of_rust),
        cmocka_unit_test(test_names_of_c),
        cmocka_unit_test(test_who_is_called),
        cmocka_unit_test(test_self_and_digits),
        cmocka_unit_test(test_nothing_is_gone_over_from_its_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
