/* What becomes of what a line of a script makes: kept, left in a variable, or handed on. */
#include "spec/script_lines.h"

#include "base/strings/out.h"
#include "check.h"

static enum hf_script_use use_of(const char *text, uint32_t line, enum hf_script_language language)
{
    struct hf_script_lines lines;
    assert_true(hf_script_lines_find(&lines, hf_text_of(text)));
    enum hf_script_use use = hf_script_line_use(&lines, line, language);
    hf_script_lines_done(&lines);
    return use;
}

#define K HF_SCRIPT_KEEPS
#define P HF_SCRIPT_PASSES
#define H HF_SCRIPT_HANDS_ON

/* What each line of `text` does, by a letter: K, P, H. */
static void expect(const char *text, enum hf_script_language language, const char *expected)
{
    for (uint32_t line = 1; expected[line - 1] != '\0'; line++) {
        char found = "KPH"[use_of(text, line, language)];
        if (expected[line - 1] != '-' && found != expected[line - 1])
            fail_msg("line %u is '%c', not '%c', of:\n%s", line, found, expected[line - 1], text);
    }
}

static void test_returned(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum hf_script_use python, other;
    } cases[] = {
        {"    return self.body.decode()", H, H},
        {"\treturn[x for x in y]", H, H},
        {"return {'a': 1, 'b': f(n=2)}", H, K}, /* others have no such arguments */
        {"return a == b ? c : d >= e;", H, H},
        {"return map(x => x + 1, xs);", H, H},
        {"return $x =~ /y/;", H, H},
        {"return this.known[key] = parse(key);", H, K},
        {"return $known{$key} ||= parse($key);", H, K},
        {"return (found := parse(key))", K, K},
        {"return seen.setdefault(key, Node())", K, K},
        {"return $this->seen->add(new Node());", K, K},
        {"return padded(address(1))", H, H},
        {"return add", H, H},
        {"returned = parse(key)", K, K},
        {"return_it(parse(key))", K, K},
        {"self.kept = parse(key)", K, K},
        {"return", K, K},
        {"", K, K},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        assert_int_equal(use_of(cases[i].text, 1, HF_SCRIPT_PYTHON), cases[i].python);
        assert_int_equal(use_of(cases[i].text, 1, HF_SCRIPT_OTHER), cases[i].other);
    }
}

static void test_places(void **state)
{
    (void)state;
    static const char text[] = "a = 1\n\n  return f(a)\nreturn g(a)";
    static const enum hf_script_use expected[] = {K, K, K, H, H, K};
    for (uint32_t line = 0; line < HF_COUNT(expected); line++)
        assert_int_equal(use_of(text, line, HF_SCRIPT_OTHER), expected[line]);
    assert_int_equal(use_of(text, UINT32_MAX, HF_SCRIPT_PYTHON), K);
}

static void test_decorators(void **state)
{
    (void)state;
    static const char kept[] = "@app.route('/')\n@functools.lru_cache(maxsize=None)\n"
                               "def render(page):\n    text = page.text\n    return text * 2\n";
    static const char inner[] = "@memoized\ndef outer(page):\n"
                                "    def inner():\n        return page * 2\n    return inner\n";
    static const char plain[] = "@property\nasync def text(self):\n    return self.body.decode()\n";
    expect(kept, HF_SCRIPT_PYTHON, "---KK");
    expect(kept, HF_SCRIPT_OTHER, "----H"); /* no decorators */
    expect(inner, HF_SCRIPT_PYTHON, "---HK");
    expect(plain, HF_SCRIPT_PYTHON, "--H");
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
           "        self.sums += total.count('x')\n"
           "        return found\n",
        HF_SCRIPT_PYTHON, "--HPHHKKH");
    expect("def rows(text):\n"
           "    found = parse(text)\n"
           "    KNOWN[text] = found\n"
           "    return found\n",
        HF_SCRIPT_PYTHON, "-KKH");
    expect("def load(name):\n"
           "    global config\n"
           "    config = read(name)\n"
           "    return config\n",
        HF_SCRIPT_PYTHON, "--KH");
    expect("def posting(self, term):\n"
           "    entries = self.terms[term]\n"
           "    entries.append(Entry())\n" /* its value is another's */
           "    return entries\n",
        HF_SCRIPT_PYTHON, "--KH");
    expect("def fill(rows):\n"
           "    for n in range(9):\n"
           "        rows.append(str(n))\n"
           "    return rows\n",
        HF_SCRIPT_PYTHON, "-PHH");
}

static void test_perl(void **state)
{
    (void)state;
    expect("sub fields_of {\n"
           "    my $text = shift;\n"
           "    my %fields;\n"
           "    while ($text =~ /(\\w+)=(\\w+)/g) {\n"
           "        $fields{$1} = $2;\n"
           "    }\n"
           "    return %fields;\n"
           "}\n",
        HF_SCRIPT_OTHER, "-PHPHKH");
    expect("sub get {\n"
           "    my ($self, $url) = @_;\n"
           "    my ($n) = $url =~ m{/(\\d+)$} or return { code => 404, body => 'gone' };\n"
           "    my $body = \"<h1>Page $n</h1>\";\n"
           "    $body .= sprintf \"<p>%d</p>\", $_ for 1 .. 20;\n"
           "    return { code => 200, body => \"$body</body>\" };\n"
           "}\n",
        HF_SCRIPT_OTHER, "--HHHH");
    expect("sub explain {\n"
           "    my ($self, $movement) = @_;\n"
           "    my $trail = $self->{trail}{$movement} ||= [];\n"
           "    push @$trail, {%$movement};\n" /* of the object */
           "    return scalar @$trail;\n"
           "}\n",
        HF_SCRIPT_OTHER, "--KK");
    expect("sub html {\n"
           "    my ($self, $text) = @_;\n"
           "    my $out = '';\n"
           "    for my $line (split /\\n/, $text) {\n"
           "        $line =~ s/a/b/g;\n"
           "        $out .= \"<p>$line</p>\";\n"
           "    }\n"
           "    return $out;\n"
           "}\n",
        HF_SCRIPT_OTHER, "--HPHHKH");
    expect("sub seen {\n"
           "    my $key = lc shift;\n"
           "    push @{ $self->{seen} }, $key;\n"
           "    return $key;\n"
           "}\n",
        HF_SCRIPT_OTHER, "-KKH");
}

static void test_php(void **state)
{
    (void)state;
    expect("    public function trail(Product $product): array\n"
           "    {\n"
           "        $crumbs = [new Crumb($product->title)];\n"
           "        foreach ($product->parents as $category) {\n"
           "            $crumbs[] = $this->crumb($category);\n"
           "        }\n"
           "        return self::$trails[$key] = array_reverse($crumbs);\n"
           "    }\n",
        HF_SCRIPT_OTHER, "--KPK-K");
    expect("    public function trail(Product $product): array\n"
           "    {\n"
           "        $crumbs = [new Crumb($product->title)];\n"
           "        $crumbs[] = $this->crumb($product);\n"
           "        return $crumbs;\n"
           "    }\n",
        HF_SCRIPT_OTHER, "--HHH");
    expect("function next_id()\n{\n    static $ids = [];\n    $ids[] = new Id();\n    return "
           "$ids;\n}\n",
        HF_SCRIPT_OTHER, "--KKH");
    expect("        return $this->cached($tag, function () use ($tag) {\n"
           "            $list = [];\n"
           "            $list[] = ['id' => $tag];\n" /* whoever it is given to calls it */
           "            return $list;\n"
           "        });\n",
        HF_SCRIPT_OTHER, "-KK");
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
           "  def value(line)\n"
           "    @known[line] = line.dup\n"
           "  end\n"
           "\n"
           "  def all(lines)\n"
           "    out = []\n"
           "    out << lines.dup\n"
           "    out\n"
           "  end\n"
           "end\n",
        HF_SCRIPT_RUBY, "--HHH---K---K---HHH");
}

static void test_javascript(void **state)
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
        HF_SCRIPT_OTHER, "--HPH-KH");
    expect("function find(x)\n"
           "  local path = {}\n"
           "  table.insert(path, {x})\n"
           "  return path\n"
           "end\n",
        HF_SCRIPT_OTHER, "-HHH");
}

/* Each of its variables flows into the next: what becomes of the first is found, unless they are
 * many. */
static void test_flows(void **state)
{
    (void)state;
    for (int count = 2; count <= 300; count += 298) {
        struct hf_out text = {0};
        hf_out_string(&text, "def mix():\n    a = []\n    b = []\n    c = []\n    d = []\n");
        for (int i = 0; i < count; i++)
            hf_out_string(&text, "    b += a\n    c += b\n    d += c\n");
        hf_out_string(&text, "    return d\n");
        hf_out_char(&text, '\0');
        assert_int_equal(text.error.status, HF_OK);
        assert_int_equal(use_of(text.data, 2, HF_SCRIPT_PYTHON), count == 2 ? H : K);
        hf_out_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returned),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_decorators),
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_perl),
        cmocka_unit_test(test_php),
        cmocka_unit_test(test_ruby),
        cmocka_unit_test(test_javascript),
        cmocka_unit_test(test_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
