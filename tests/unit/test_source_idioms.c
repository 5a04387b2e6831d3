/* Idioms by which a function keeps what it, or who it calls, makes: one program each, whose
 * function "keep" does so. */
#include "source/flow.h"

#include "base/attr.h"
#include "check.h"

/* Who keeps what a line makes of what `callee` gives; empty: nobody is known to. */
static struct hf_text keeper_of(struct hf_sources *sources, const char *text, const char *path,
    uint32_t line, const char *callee, uint32_t *out_steps)
{
    struct hf_error err;
    uint32_t file;
    assert_int_equal(
        hf_sources_add_text(sources, hf_text_of(path), hf_text_of(text), &file, &err), HF_OK);
    struct hf_source_flow flow = {.sources = sources};
    struct hf_source_end end = hf_source_flow_of(&flow, file, line, hf_text_of(callee));
    *out_steps = flow.steps;
    hf_source_flow_done(&flow);
    bool is_kept = end.fate == HF_SOURCE_KEPT && end.function != HF_SOURCE_NO;
    return is_kept ? sources->files[end.file].outline.functions[end.function].name
                   : (struct hf_text){"", 0};
}

/* On the line that has the mark "@", by what is called there or by itself. */
static void keeps(const char *keeper, const char *path, const char *callee, const char *text)
{
    struct hf_sources sources = {0};
    uint32_t line = 1, steps;
    for (const char *at = text; *at != '@'; at++)
        line += *at == '\n';
    struct hf_text found = keeper_of(&sources, text, path, line, callee, &steps);
    if (!hf_text_is(found, keeper))
        fail_msg("'%.*s' keeps what line %u makes, not '%s', of:\n%s", (int)found.size, found.data,
            line, keeper, text);
    hf_sources_done(&sources);
}

/* A list of functions that run later is no owner: who put one there is. */
static void test_functions_that_are_given(void **state)
{
    (void)state;
    keeps("keep", "a.cc", "",
        "class Loop {\n"
        "    void post(std::function<void()> fn) { timers_.push_back(std::move(fn)); }\n"
        "    std::vector<std::function<void()>> timers_;\n"
        "};\n"
        "void keep(Loop &loop, std::string body) {\n"
        "    loop.post([body = std::move(body)] { send(body); }); // @\n"
        "}\n");
    keeps("keep", "a.rs", "",
        "impl Shutdown {\n"
        "    fn on_exit(&self, f: impl Fn()) { self.hooks.borrow_mut().push(Box::new(f)); }\n"
        "}\n"
        "fn keep(s: &Shutdown) {\n"
        "    let journal = Journal::new(9); // @\n"
        "    s.on_exit(move || journal.flush());\n"
        "}\n");
    keeps("post", "a.cc", "make", /* what it keeps is no function */
        "class Loop {\n"
        "    void post(Order *order) { orders_.push_back(order); }\n"
        "    std::vector<Order *> orders_;\n"
        "};\n"
        "void take(Loop &loop) {\n"
        "    loop.post(make(3)); // @\n"
        "}\n");
}

/* When an async function goes on after it waited, its caller is on no stack. */
static void test_async(void **state)
{
    (void)state;
    keeps("keep", "a.py", "",
        "class Board:\n"
        "    async def run(self, job):\n"
        "        await self.fetch(job)\n"
        "        return {'id': job, 'rows': [1, 2]}  # @\n"
        "    def keep(self, job):\n"
        "        self.tasks.append(asyncio.create_task(self.run(job)))\n");
    keeps("keep", "a.js", "",
        "class Service {\n"
        "  async load(id) {\n"
        "    await sleep(1);\n"
        "    return {id, bio: `bio of ${id}`}; // @\n"
        "  }\n"
        "  async named(id) { return await this.load(id); }\n"
        "  keep(id) {\n"
        "    const p = this.named(id);\n"
        "    this.pending.set(id, p);\n"
        "    return p;\n"
        "  }\n"
        "}\n");
    keeps("", "a.py", "", /* its caller prints it */
        "async def run(job):\n"
        "    await fetch(job)\n"
        "    return {'id': job}  # @\n"
        "async def main():\n"
        "    print(len(await run(3)))\n");
    keeps("keep", "a.cc", "render",
        "void Service::keep(int n) {\n"
        "    running_.push_back(std::async([n] {\n"
        "        Export e{n};\n"
        "        e.csv = render(n); // @\n"
        "        return e;\n"
        "    }));\n"
        "}\n");
}

/* A default of Python is made once; who is always given the argument fills that. */
static void test_defaults(void **state)
{
    (void)state;
    keeps("keep", "a.py", "quote",
        "def keep(text, lines=[]):\n"
        "    lines.extend(quote(text))  # @\n"
        "    return len(lines)\n"
        "def handle(text):\n"
        "    send(keep(text))\n");
    keeps("", "a.py", "quote",
        "def walk(text, lines=[]):\n"
        "    lines.extend(quote(text))  # @\n"
        "    return len(lines)\n"
        "def handle(text):\n"
        "    send(walk(text, []))\n");
    keeps("", "a.py", "quote",
        "def walk(text, lines=None):\n"
        "    lines.extend(quote(text))  # @\n"
        "def handle(text):\n"
        "    send(walk(text))\n");
}

/* A function of Perl that names the variable that it is in is never freed, nor what else it names.
 */
static void test_functions_that_name_themselves(void **state)
{
    (void)state;
    keeps("keep", "a.pl", "get",
        "sub keep {\n"
        "    my ($self, $key) = @_;\n"
        "    my $data = $self->{from}->get($key); # @\n"
        "    my $try;\n"
        "    $try = sub { $self->{to}->put($data) or $self->after($try); };\n"
        "    $try->();\n"
        "}\n");
    keeps("", "a.pl", "get",
        "sub pass {\n"
        "    my ($self, $key) = @_;\n"
        "    my $data = $self->{from}->get($key); # @\n"
        "    my $try;\n"
        "    $try = sub { $self->{to}->put($data) or $self->after($try); };\n"
        "    $try->();\n"
        "    undef $try;\n"
        "}\n");
}

/* What is moved out of a whole stays when that is gone. */
static void test_parts_that_are_moved(void **state)
{
    (void)state;
    keeps("keep", "a.cc", "document",
        "class Feed {\n"
        "    void keep(std::unique_ptr<Element> doc) {\n"
        "        for (auto &item : doc->children)\n"
        "            entries_.emplace(1, std::move(item));\n"
        "    }\n"
        "    std::map<int, std::unique_ptr<Element>> entries_;\n"
        "};\n"
        "void poll(Feed &f) {\n"
        "    auto doc = Parser(body).document(); // @\n"
        "    f.keep(std::move(doc));\n"
        "}\n");
    keeps("keep", "a.rs", "parse",
        "fn registry() -> &'static Mutex<HashMap<String, Arc<Template>>> {\n"
        "    static KNOWN: OnceLock<Mutex<HashMap<String, Arc<Template>>>> = OnceLock::new();\n"
        "    KNOWN.get_or_init(Default::default)\n"
        "}\n"
        "fn keep(source: &str) -> Arc<Template> {\n"
        "    let mut known = registry().lock().unwrap();\n"
        "    let t = Arc::new(Template { parts: parse(source) }); // @\n"
        "    known.insert(source.to_string(), t.clone());\n"
        "    t\n"
        "}\n");
    keeps("", "a.rs", "parse", /* the other one is a copy */
        "impl Shop {\n"
        "    fn show(&mut self, source: &str) -> Template {\n"
        "        let t = parse(source); // @\n"
        "        self.last = t.clone();\n"
        "        t\n"
        "    }\n"
        "}\n");
}

/* Variables that are given each other are asked for once: before, this took 197,000 steps. */
static void test_variables_in_circles(void **state)
{
    (void)state;
    struct hf_sources sources = {0};
    uint32_t steps;
    struct hf_text found = keeper_of(&sources,
        "static struct stmt *stmts[64];\n"
        "static struct stmt *keep(const char *sql)\n"
        "{\n"
        "    struct stmt **slot = &stmts[hash(sql) % 64];\n"
        "    for (struct stmt *s = *slot; s; s = s->chain)\n"
        "        if (!strcmp(s->sql, sql)) { s->used++; return s; }\n"
        "    struct stmt *s = alloc(sizeof *s);\n"
        "    s->sql = strdup(sql);\n"
        "    s->tokens = scan(s->sql, &s->count);\n"
        "    s->chain = *slot;\n"
        "    *slot = s;\n"
        "    return s;\n"
        "}\n",
        "a.c", 9, "scan", &steps);
    assert_true(hf_text_is(found, "keep"));
    assert_in_range(steps, 1, 5000);
    hf_sources_done(&sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_that_are_given),
        cmocka_unit_test(test_async),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_functions_that_name_themselves),
        cmocka_unit_test(test_parts_that_are_moved),
        cmocka_unit_test(test_variables_in_circles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
