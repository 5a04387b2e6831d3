/* What becomes of what a line of a script makes: kept, left in a variable, or handed on. */
#include "source/flow.h"

#include "base/strings/out.h"
#include "check.h"

#include <stdio.h>

#define K HF_SOURCE_KEPT
#define R HF_SOURCE_RETURNED

static struct hf_source_end end_of(const char *text, uint32_t line, const char *path)
{
    struct hf_sources sources = {0};
    struct hf_error err;
    uint32_t file;
    assert_int_equal(
        hf_sources_add_text(&sources, hf_text_of(path), hf_text_of(text), &file, &err), HF_OK);
    struct hf_source_flow flow = {.sources = &sources};
    struct hf_source_end end = hf_source_flow_of(&flow, file, line, (struct hf_text){NULL, 0});
    hf_source_flow_done(&flow);
    hf_sources_done(&sources);
    return end;
}

/* What each line of `text` does, by a letter: K keeps, S stays, R returns, F fills, ? unknown. */
static void expect(const char *text, const char *path, const char *expected)
{
    for (uint32_t line = 1; expected[line - 1] != '\0'; line++) {
        char found = "?SRFK"[end_of(text, line, path).fate];
        if (expected[line - 1] != '-' && found != expected[line - 1])
            fail_msg("line %u is '%c', not '%c', of:\n%s", line, found, expected[line - 1], text);
    }
}

static void test_python(void **state)
{
    (void)state;
    expect("class Table:\n"
           "    def rows(self, text):\n"
           "        found = []\n"
           "        for line in text.split():\n"
           "            row = line.split(',')\n"
           "            found.append(row)\n"
           "        total = len(text) * 'x'\n"
           "        self.sums += text.strip('x')\n"
           "        return found\n",
        "a.py", "--RSRRSKR");
    expect("def rows(text):\n"
           "    found = parse(text)\n"
           "    KNOWN[text] = found\n"
           "    return found\n",
        "a.py", "-KKR");
    expect("def load(name):\n"
           "    global config\n"
           "    config = read(name)\n"
           "    return config\n",
        "a.py", "--KR");
    expect("def posting(self, term):\n"
           "    entries = self.terms[term]\n"
           "    entries.append(Entry())\n" /* its value is another's */
           "    return entries\n",
        "a.py", "--KR");
    expect("def fill(rows):\n"
           "    for n in range(9):\n"
           "        rows.append(str(n))\n"
           "    lines, head = [], {}\n"
           "    raise Wrong(f'{n}', lines)\n",
        "a.py", "--FRR");
    expect("def get(key):\n"
           "    return seen.setdefault(key, Node())\n"
           "def find(key):\n"
           "    return (known := parse(key))\n"
           "class Row:\n"
           "    def __init__(self, text):\n"
           "        self.fields = text.split()\n",
        "a.py", "-K-R--R");
}

/* What a loop takes, one by one, from what gives it. */
static void test_loops(void **state)
{
    (void)state;
    expect("class Statement:\n"
           "    def __iter__(self):\n"
           "        for row in self.reader:\n"
           "            yield row\n"
           "    def work(self):\n"
           "        for row in self.reader:\n"
           "            self.rows.append(row)\n"
           "        for other in self.reader:\n"
           "            print(len(other))\n"
           "        while self.reader:\n"
           "            pass\n",
        "a.py", "--R--K-S-?");
}

/* The decorators above a "def" keep what it returns. */
static void test_decorators(void **state)
{
    (void)state;
    expect("@app.route('/')\n@functools.lru_cache(maxsize=None)\n"
           "def render(page):\n    text = page.text * 2\n    return text * 2\n",
        "a.py", "---SK");
    expect("@property\nasync def text(self):\n    return self.body.decode()\n", "a.py", "--R");
}

/* A value that is given to another function of the program is where that function puts it. */
static void test_holder(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"a.py", "class Desk:\n"
                 "    def run(self, month):\n"
                 "        slip = compute(month)\n"
                 "        self.file(slip)\n"
                 "    def file(self, slip):\n"
                 "        self.slips.append(slip)\n"},
        {"a.rb", "class Desk\n"
                 "  def run(month)\n"
                 "    slip = compute(month)\n"
                 "    file(slip)\n  end\n  def file(slip)\n"
                 "    @slips << slip\n  end\nend\n"},
        {"a.pl", "package Desk;\n"
                 "sub run { my ($self, $month) = @_;\n"
                 "  my $slip = compute($month);\n"
                 "  $self->file($slip);\n}\nsub file { my ($self, $slip) = @_;\n"
                 "  push @{ $self->{slips} }, $slip;\n}\n"},
        {"a.php", "<?php class Desk {\n"
                  " function run(int $month): void {\n"
                  "  $slip = $this->compute($month);\n"
                  "  $this->file($slip); }\n"
                  " private function file(Slip $slip): void {\n"
                  "  $this->slips[$slip->id][] = $slip; } }\n"},
        {"a.js", "class Desk {\n"
                 " run(month) {\n"
                 "  const slip = this.compute(month);\n"
                 "  this.file(slip); }\n"
                 " file(slip) {\n"
                 "  this.slips.set(slip.id, { slip }); } }\n"},
        {"a.lua", "function Desk:run(month)\n"
                  "  local n = 1\n"
                  "  local slip = compute(month)\n"
                  "  self:file(slip)\nend\nfunction Desk:file(slip)\n"
                  "  self.slips[#self.slips + 1] = slip\nend\n"},
    };
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        struct hf_source_end end = end_of(texts[i][1], 3, texts[i][0]);
        assert_int_equal(end.fate, K);
        assert_int_equal(end.function, 1);
        assert_in_range(end.line, 6, 7);
    }
}

static void test_perl_tied(void **state)
{
    (void)state;
    expect("sub load {\n"
           "    my ($text) = @_;\n"
           "    my $root = new_node('top', 0);\n"
           "    for my $line (split /,/, $text) {\n"
           "        my $node = new_node($line);\n"
           "        $node->{parent} = $root;\n"
           "        push @{ $root->{children} }, $node;\n"
           "    }\n"
           "    return $root;\n"
           "}\n"
           "sub load_weak {\n"
           "    my $root = new_node('top', 0);\n"
           "    my $node = new_node('a');\n"
           "    $node->{parent} = $root;\n"
           "    weaken($node->{parent});\n"
           "    push @{ $root->{children} }, $node;\n"
           "    return $root;\n"
           "}\n",
        "a.pl", "--K-K------RR");
}

static void test_perl(void **state)
{
    (void)state;
    expect("sub fields_of {\n"
           "    my $text = shift;\n"
           "    my %fields;\n"
           "    while ($text =~ /(\\w+)=(\\w+)/g) {\n"
           "        $fields{$1} = lc $2;\n"
           "    }\n"
           "    return %fields;\n"
           "}\n",
        "a.pl", "----R-R");
    expect("sub get {\n"
           "    my ($self, $url) = @_;\n"
           "    my ($n) = $url =~ m{/(\\d+)$} or return { code => 404, body => 'gone' };\n"
           "    my $body = \"<h1>Page $n</h1>\";\n"
           "    $body .= sprintf \"<p>%d</p>\", $_ for 1 .. 20;\n"
           "    return { code => 200, body => $body };\n"
           "}\n",
        "a.pl", "--RRRR");
    expect("sub explain {\n"
           "    my ($self, $movement) = @_;\n"
           "    my $trail = $self->{trail}{$movement} ||= [];\n"
           "    push @$trail, {%$movement};\n" /* of the object */
           "    return scalar @$trail;\n"
           "}\n",
        "a.pl", "--KK");
    expect("sub parse {\n"
           "    my ($class, $text) = @_;\n"
           "    my %self = (packages => {});\n"
           "    if ($text =~ /x/) {\n" /* the line that Perl has for the next */
           "        $self{packages}{$1} = { size => $2 };\n"
           "    }\n"
           "    return bless \\%self, $class;\n"
           "}\n",
        "a.pl", "--RRR-R");
    expect("package Correlator;\n"
           "sub note {\n"
           "    my ($self, $id, $text) = @_;\n"
           "    my $message = $self->{open}{$id};\n"
           "    my %fields = fields_of($text);\n"
           "    @{$message}{ keys %fields } = values %fields;\n" /* no block */
           "    $self->{words} += () = $text =~ /x/g;\n"         /* a number */
           "    $self->{writer}->insert($id, [1, 2]);\n"         /* which insert is meant? */
           "    return 1;\n"
           "}\n"
           "package Writer;\n"
           "sub insert {\n"
           "    my ($self, $id, $columns) = @_;\n"
           "    $self->{bytes} += length $columns;\n"
           "}\n",
        "a.pl", "----KKSS-");
}

/* What stands behind "=" of a declaration is not declared there. */
static void test_what_is_declared(void **state)
{
    (void)state;
    expect("my %bands;\n"
           "sub note_spot {\n"
           "    my ($spot) = @_;\n"
           "    my $known = $bands{ $spot->{band} };\n"
           "    $bands{ $spot->{band} } = { call => $spot->{call} };\n"
           "    for my $zone (@zones) { push @zones, [$zone]; }\n"
           "    my ($first, @own) = (1, [2]);\n"
           "    push @own, [1];\n"
           "    return 1;\n"
           "}\n",
        "a.pl", "----KK-S");
    expect("const rows = new Map();\n"
           "function note(key) {\n"
           "    const known = rows[key];\n"
           "    rows[key] = { key };\n"
           "    let count = 0, own = [];\n"
           "    own.push({ key });\n"
           "}\n",
        "a.js", "---K-S");
}

/* A generator of Python that is given values has its variables for as long as it waits. */
static void test_generators_that_are_given_values(void **state)
{
    (void)state;
    expect("def matcher(target):\n"
           "    declared = {}\n"
           "    while True:\n"
           "        item = yield None\n"
           "        declared[item.name] = item\n"
           "def lines():\n"
           "    seen = {}\n"
           "    yield seen\n"
           "    seen[1] = [1]\n"
           "def main():\n"
           "    first, other = matcher(1), []\n"
           "    waiting = matcher(2)\n"
           "    waiting.send(parse(3))\n"
           "    other.send(parse(4))\n",
        "a.py", "----K---R---K?");
}

/* Objects of Perl have methods, its containers have none. */
static void test_methods_of_perl(void **state)
{
    (void)state;
    expect(
        "package Entry;\n"
        "sub new { my ($class, %fields) = @_; return bless { children => [], %fields }, $class; }\n"
        "sub add {\n"
        "    my ($self, $child) = @_;\n"
        "    push @{ $self->{children} }, $child;\n"
        "    return $child;\n"
        "}\n"
        "sub parse {\n"
        "    my $root = Entry->new(0); my @open = ($root);\n"
        "    push @open, Entry->new(2);\n"
        "    $open[-1]->add(Entry->new(1));\n"
        "    return 1;\n"
        "}\n",
        "a.pl", "---------SK");
}

static void test_php(void **state)
{
    (void)state;
    expect("<?php class Trails {\n"
           "    public function trail(Product $product): array\n"
           "    {\n"
           "        $crumbs = [new Crumb($product->title)];\n"
           "        foreach ($product->parents as $category) {\n"
           "            $crumbs[] = $this->crumb($category);\n"
           "        }\n"
           "        return self::$trails[$key] = array_reverse($crumbs);\n"
           "    }\n}\n",
        "a.php", "---K-K-K");
    expect("<?php function next_id()\n{\n    static $ids = [];\n    $ids[] = new Id();\n    return "
           "$ids;\n}\n",
        "a.php", "--KKR");
    expect("<?php function rows(iterable $all) {\n"
           "    foreach ($all as $n) {\n"
           "        yield ['id' => \"row $n\"];\n"
           "    }\n}\n"
           "function keep(Log $log) {\n"
           "    foreach (rows([1]) as $row) {\n"
           "        $log->rows[] = $row;\n"
           "    }\n}\n",
        "a.php", "--R---KK");
}

static void test_ruby(void **state)
{
    (void)state;
    expect("class Parser\n"
           "  def parse(line)\n"
           "    match = LINE.match(line) or return\n"
           "    tags = match[4].split(',').to_h { |tag| tag.split(':', 2) }\n"
           "    [match[3], Measurement.new(match[1], tags)]\n"
           "  end\n"
           "\n"
           "  def keep(line)\n"
           "    @lines << line.dup\n"
           "  end\n"
           "\n"
           "  def all(lines)\n"
           "    out = lines.map do |line|\n"
           "      line = line.strip\n"
           "      \"#{line.join(\"\\n\")} and more\"\n"
           "    end\n"
           "    Page.new(1, out)\n"
           "  end\n"
           "end\n",
        "a.rb", "---RR---K---R-R-R");
}

static void test_javascript_and_lua(void **state)
{
    (void)state;
    expect("class Reader {\n"
           "  async rows(text) {\n"
           "    const rows = [];\n"
           "    for (const line of text.split('\\n')) {\n"
           "      rows.push(line.split(','));\n"
           "    }\n"
           "    last = text.slice(1);\n" /* of the module */
           "    return rows;\n"
           "  }\n"
           "}\n",
        "a.js", "--R-R-KR");
    expect("function find(x)\n"
           "  local path = {}\n"
           "  table.insert(path, {x})\n"
           "  return path\n"
           "end\n",
        "a.lua", "-RRR");
}

/* What is only measured is not kept. */
static void test_measures(void **state)
{
    (void)state;
    expect("def draw(self):\n"
           "    self.letters += self.render(8).size()\n"
           "    self.last = self.render(8)\n"
           "    return self.render(8).count('x')\n",
        "a.py", "-SKS");
    expect("class Board {\n"
           "  draw() {\n"
           "    this.letters += this.render(8).join('').length;\n"
           "    this.text += this.render(8);\n"
           "  }\n"
           "}\n",
        "a.js", "--SK");
}

/* What a function gives, by the line of its caller. */
static enum hf_source_fate called(
    const char *text, const char *path, uint32_t line, const char *callee, bool *out_is_put)
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
    *out_is_put = end.is_put;
    return end.fate;
}

/* Frames of JavaScript have the first line of their function; of Perl that of a condition. */
static void test_lines_of_frames(void **state)
{
    (void)state;
    static const char js[] = "class Desk {\n"
                             "  run(month) {\n"
                             "    const slip = compute(month);\n"
                             "    this.slips.push(slip);\n"
                             "    spare(month);\n"
                             "  }\n"
                             "}\n"
                             "function compute(month) {\n"
                             "  const text = month + 'x';\n"
                             "  return { text };\n"
                             "}\n";
    static const char perl[] = "sub row {\n"
                               "    my ($self, $row) = @_;\n"
                               "    if ($row->{table} eq 'x') {\n"
                               "        $self->customer($row);\n"
                               "        1;\n"
                               "    }\n"
                               "    return 1;\n"
                               "}\n";
    bool is_put;
    assert_int_equal(called(js, "a.js", 2, "compute", &is_put), K);
    assert_int_equal(called(js, "a.js", 8, "", &is_put), R);
    assert_int_equal(called(js, "a.js", 3, "spare", &is_put), HF_SOURCE_KEPT);
    assert_int_equal(called(js, "a.js", 2, "spare", &is_put), HF_SOURCE_STAYS);
    assert_false(is_put);
    assert_int_equal(called(perl, "a.pl", 3, "customer", &is_put), HF_SOURCE_STAYS);
    assert_false(is_put);
    assert_int_equal(called(perl, "a.pl", 2, "customer", &is_put), HF_SOURCE_STAYS);
}

/* A closure that is called later keeps what it puts into variables around it, and what it sees goes
 * where it goes; a block that is called at once does not. */
static void test_closures(void **state)
{
    (void)state;
    expect("module Memoized\n"
           "  def memoize(name)\n"
           "    known = {}\n"
           "    define_method(name) do |*key|\n"
           "      known.fetch(key) { known[key] = compute(key) }\n"
           "    end\n"
           "  end\n"
           "  def rows(names)\n"
           "    found = {}\n"
           "    names.each { |name| found[name] = compute(name) }\n"
           "    found.sum\n"
           "  end\n"
           "end\n",
        "a.rb", "----K----S");
    expect("sub counter {\n"
           "    my %seen;\n"
           "    return sub {\n"
           "        my ($name) = @_;\n"
           "        $seen{$name} = [$name];\n"
           "        return 1;\n"
           "    };\n"
           "}\n",
        "a.pl", "----K");
    expect("function Model:listen(callback)\n"
           "  self.listeners[#self.listeners + 1] = callback\n"
           "end\n"
           "local function open(model)\n"
           "  local shown = pixels(64)\n"
           "  local spare = pixels(64)\n"
           "  model:listen(function(value)\n"
           "    shown[value] = 1\n"
           "  end)\n"
           "  return spare[1]\n"
           "end\n",
        "a.lua", "----KS");
}

/* Operators of classes keep as other methods do. */
static void test_operators(void **state)
{
    (void)state;
    expect("class Versions:\n"
           "    def __setitem__(self, place, value):\n"
           "        self.cells.setdefault(place, []).append(value)\n"
           "class Sheet:\n"
           "    def set(self, row):\n"
           "        self.versions['A', row] = text(row)\n"
           "        self.others[row] = text(row)\n",
        "a.py", "-----KK");
    assert_int_equal(end_of("class Versions:\n"
                            "    def __setitem__(self, place, value):\n"
                            "        self.cells.append(value)\n"
                            "class Sheet:\n"
                            "    def set(self, row):\n"
                            "        self.versions[row] = text(row)\n",
                         6, "a.py")
                         .line,
        3);
    static const char ruby[] = "class Ledger\n"
                               "  def <<(entry)\n"
                               "    @entries << entry\n"
                               "    self\n"
                               "  end\n"
                               "end\n"
                               "class Import\n"
                               "  def run(line)\n"
                               "    @ledger << Entry.new(line)\n"
                               "    @lines << Entry.new(line)\n"
                               "  end\n"
                               "end\n";
    assert_int_equal(end_of(ruby, 9, "a.rb").line, 3);
    assert_int_equal(end_of(ruby, 10, "a.rb").line, 10);
    assert_int_equal(end_of("<?php class Site { function offsetSet($path, $page) {\n"
                            " $this->pages[$path] = $page; } }\n"
                            "$site[1] = make(1);\n",
                         3, "a.php")
                         .line,
        2);
    /* What a hash makes of its own, and what a constructor puts into a list of all objects. */
    expect("class Words\n"
           "  def initialize\n"
           "    @known = Hash.new { |all, key| all[key] = describe(key) }\n"
           "    @last = describe(1)\n"
           "    @@all << describe(2)\n"
           "  end\n"
           "end\n",
        "a.rb", "--KRK");
    expect("my @all;\n"
           "sub new {\n"
           "    my ($class) = @_;\n"
           "    my $self = bless { points => [] }, $class;\n"
           "    push @all, $self;\n"
           "    return $self;\n"
           "}\n",
        "a.pl", "---KK");
}

/* What a constructor alone calls for its object makes what the constructor does. */
static void test_parts_of_constructors(void **state)
{
    (void)state;
    expect("class Level:\n"
           "    def __init__(self, size):\n"
           "        self.carve(size)\n"
           "    def carve(self, size):\n"
           "        self.rooms.append([size])\n"
           "    def light(self, size):\n"
           "        self.lamps.append([size])\n"
           "    def turn(self):\n"
           "        self.light(3)\n",
        "a.py", "----R-K");
    expect("class Level:\n"
           "    def __init__(self, size):\n"
           "        self.carve(size)\n"
           "    def carve(self, size):\n"
           "        self.rooms.append([size])\n"
           "    def turn(self):\n"
           "        self.carve(3)\n",
        "a.py", "----K");
    expect("class Level\n"
           "  def initialize(size)\n"
           "    carve(size)\n"
           "  end\n"
           "  def carve(size)\n"
           "    @rooms << [size]\n"
           "  end\n"
           "end\n",
        "a.rb", "-----R");
}

/* A parameter that is called is the function that callers give. */
static void test_callbacks(void **state)
{
    (void)state;
    static const char text[] = "def read(count, each):\n"
                               "    each(row(count))\n"
                               "class Odd:\n"
                               "    def note(self, row):\n"
                               "        self.rows.append(row)\n"
                               "    def drop(self, row):\n"
                               "        pass\n"
                               "    def run(self):\n"
                               "        read(3, self.note)\n";
    struct hf_source_end end = end_of(text, 2, "a.py");
    assert_int_equal(end.fate, K);
    assert_int_equal(end.line, 5);
    char several[512];
    (void)snprintf(several, sizeof several, "%s        read(4, self.drop)\n", text);
    assert_int_not_equal(end_of(several, 2, "a.py").fate, K);
    static const char c[] = "void read_rows(int n, row_callback each, void *context)\n"
                            "{\n"
                            "    struct row *r = split(n);\n"
                            "    each(context, r);\n"
                            "}\n"
                            "void find_odd(void *context, struct row *row)\n"
                            "{\n"
                            "    struct findings *f = context;\n"
                            "    f->rows[f->count++] = row;\n"
                            "}\n"
                            "int main(void)\n"
                            "{\n"
                            "    struct findings odd;\n"
                            "    read_rows(3, find_odd, &odd);\n"
                            "}\n";
    end = end_of(c, 3, "a.c");
    assert_int_equal(end.fate, K);
    assert_int_equal(end.line, 9);
}

/* What is gone with the function, and what a container of it has. */
static void test_gone(void **state)
{
    (void)state;
    static const char text[] = "def f(a):\n"
                               "    x = a * 2\n"
                               "    rows = []\n"
                               "    rows.append([a])\n"
                               "    register([a])\n"
                               "    return len(rows) + x * 3\n";
    static const bool put[] = {[2] = false, [4] = true};
    bool is_put;
    for (uint32_t line = 2; line <= 4; line += 2) {
        assert_int_equal(called(text, "a.py", line, "", &is_put), HF_SOURCE_STAYS);
        assert_int_equal(is_put, put[line]);
    }
}

/* What one line calls may go another way than what the next one does. */
static void test_callee(void **state)
{
    (void)state;
    static const char text[] = "def run(self):\n    self.seen[key(self)] = make(len(text(self)))\n";
    struct hf_sources sources = {0};
    struct hf_error err;
    uint32_t file;
    assert_int_equal(
        hf_sources_add_text(&sources, HF_TEXT("a.py"), hf_text_of(text), &file, &err), HF_OK);
    struct hf_source_flow flow = {.sources = &sources};
    assert_int_equal(hf_source_flow_of(&flow, file, 2, HF_TEXT("make")).fate, K);
    assert_int_equal(hf_source_flow_of(&flow, file, 2, HF_TEXT("key")).fate, K);
    assert_int_equal(hf_source_flow_of(&flow, file, 2, HF_TEXT("text")).fate, HF_SOURCE_UNKNOWN);
    assert_int_equal(hf_source_flow_of(&flow, file, 9, HF_TEXT("make")).fate, HF_SOURCE_UNKNOWN);
    assert_int_equal(hf_source_flow_of(&flow, 7, 2, HF_TEXT("make")).fate, HF_SOURCE_UNKNOWN);
    hf_source_flow_done(&flow);
    hf_sources_done(&sources);
}

/* The innermost function of a line: 0 outer, 1 inner, 2 the method behind both; -: none. */
static void test_function_at(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"a.py", "x = 1\ndef outer():\n    def inner():\n        return 1\n    return inner\n"
                 "class A:\n    y = 2\n    def m(self):\n        pass\nz = 3\n"},
        {"a.lua", "x = 1\nfunction outer()\n  local function inner()\n    return 1\n  end\n"
                  "end\ny = 2\nfunction A:m()\nend\nz = 3\n"},
    };
    static const char expected[] = "-0110--22-";
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        struct hf_sources sources = {0};
        struct hf_error err;
        uint32_t file;
        assert_int_equal(hf_sources_add_text(&sources, hf_text_of(texts[i][0]),
                             hf_text_of(texts[i][1]), &file, &err),
            HF_OK);
        for (uint32_t line = 1; expected[line - 1] != '\0'; line++) {
            uint32_t function = hf_source_function_at(&sources.files[file], line);
            char found = function == HF_SOURCE_NO ? '-' : (char)('0' + function);
            bool is_end = i == 1 && (line == 5 || line == 6); /* of a function, in Lua */
            if (!is_end && found != expected[line - 1])
                fail_msg("%s, line %u: %c", texts[i][0], line, found);
        }
        hf_sources_done(&sources);
    }
}

/* Each of its variables flows into the next: what becomes of the first is found, in a function of
 * any size that is not too large. */
static void test_steps(void **state)
{
    (void)state;
    for (int count = 2; count <= 40000; count += 39998) {
        struct hf_out text = {0};
        hf_out_string(&text, "def mix():\n    a = []\n    b = []\n");
        for (int i = 0; i < count; i++)
            hf_out_string(&text, "    b += a\n");
        hf_out_string(&text, "    return b\n");
        hf_out_char(&text, '\0');
        assert_int_equal(text.error.status, HF_OK);
        enum hf_source_fate fate = end_of(text.data, 2, "a.py").fate;
        assert_int_equal(fate, count == 2 ? R : HF_SOURCE_UNKNOWN);
        hf_out_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_decorators),
        cmocka_unit_test(test_holder),
        cmocka_unit_test(test_perl),
        cmocka_unit_test(test_perl_tied),
        cmocka_unit_test(test_what_is_declared),
        cmocka_unit_test(test_methods_of_perl),
        cmocka_unit_test(test_generators_that_are_given_values),
        cmocka_unit_test(test_php),
        cmocka_unit_test(test_ruby),
        cmocka_unit_test(test_javascript_and_lua),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_lines_of_frames),
        cmocka_unit_test(test_closures),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_parts_of_constructors),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_callee),
        cmocka_unit_test(test_function_at),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
