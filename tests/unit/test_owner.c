/* The owner of a stack: which frame it is, what is learned, and what the memory is owned via. */
#include "analysis/owner.h"

#include "base/limits.h"
#include "spec/pattern.h"
#include "stacks.h"

struct owner_row {
    const char *stack;
    uint64_t objects, size;
};

static struct hf_profile *owner_profile(const struct owner_row *rows, size_t count)
{
    struct hf_error err;
    struct hf_profile *profile;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_add_inuse_types(profile, &err), &err);
    for (size_t i = 0; i < count; i++) {
        uint64_t values[HF_VALUE_TYPES_MAX] = {0};
        values[HF_INUSE_OBJECTS] = rows[i].objects;
        values[HF_INUSE_SPACE] = rows[i].objects * rows[i].size;
        check_ok(hf_profile_add_sample(
                     profile, stacks_node(profile, rows[i].stack), HF_THREAD_ALL, values, &err),
            &err);
    }
    return profile;
}

/* The profile, cut, and "owner via something=bytes" for each stack that is left, by `expected`. */
static void expect_owners(const struct owner_row *rows, size_t count, const char *own,
    const char *wrapper, const struct owner_row *expected, size_t expected_count)
{
    struct hf_error err;
    struct hf_owners owners;
    struct hf_profile *profile = owner_profile(rows, count);
    uint64_t before = hf_profile_total(profile, HF_INUSE_SPACE, HF_THREAD_ALL).value;
    check_ok(hf_owners_init(&owners, own, wrapper, NULL, &err), &err);
    check_ok(hf_owners_learn(&owners, profile, profile, HF_BY_LINE, &err), &err);
    check_ok(hf_owners_cut(&owners, profile, HF_INUSE_SPACE, &err), &err);
    assert_int_equal(hf_profile_total(profile, HF_INUSE_SPACE, HF_THREAD_ALL).value, before);
    assert_int_equal(profile->sample_count, expected_count);
    for (size_t i = 0; i < expected_count; i++) {
        struct hf_text stack = hf_text_of(expected[i].stack);
        struct hf_text via = hf_text_from(stack, hf_text_find(stack, '|') + 1);
        char *path = strndup(stack.data, hf_text_find(stack, '|'));
        const char *leaf = strrchr(path, ';') != NULL ? strrchr(path, ';') + 1 : path;
        assert_int_equal(stacks_value(profile, path, HF_INUSE_SPACE).value,
            expected[i].objects * expected[i].size);
        struct hf_text found = hf_owners_via(&owners, hf_text_of(leaf));
        if (!hf_text_equal(found, via))
            fail_msg("%s: expected via '%.*s', found '%.*s'", path, (int)via.size, via.data,
                (int)found.size, found.data);
        free(path);
    }
    hf_owners_done(&owners);
    hf_profile_free(profile);
}

#define EXPECT_OWNERS(own, wrapper, rows, expected)                                                \
    expect_owners(rows, HF_COUNT(rows), own, wrapper, expected, HF_COUNT(expected))

static void is_the_innermost_frame_of_the_program(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"_start;main@a.c:9;remember@a.c:5", 3, 10},
        {"_start;main@a.c:9;Registry::record@a.cc:5;std::map::operator[];std::_Rb_tree::insert", 2,
            50},
        {"_start;main@a.c:9;read_line@a.c:7;xstrdup@a.c:3;xmalloc@a.c:2", 1, 7},
        {"_start;main@a.c:9;add@a.c:8;__GI___strdup@strdup.c:42", 1, 5},
        {"_start;main@a.c:9;std::for_each@/usr/include/c++/12/bits/stl_algo.h:3;expand@a.c:1", 1,
            6},
    };
    const struct owner_row expected[] = {
        {"_start;main;remember|", 3, 10},
        {"_start;main;Registry::record|std::map", 2, 50},
        {"_start;main;read_line|xstrdup", 1, 7},
        {"_start;main;add|strdup", 1, 5},
        {"_start;main;std::for_each;expand|", 1, 6},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

static void is_told_by_the_source(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"main@a.rs:1;Index::add@src/a.rs:5;<T as "
         "a::B>::to_vec@/rustc/90b35a6/library/alloc/src/slice.rs:9",
            1, 8},
        {"main@a.c:1;load@src/a.c:5;yaml_parser_scan@../third_party/libyaml/scanner.c:9", 1, 7},
        {"main@a.rs:1;serde::parse@/root/.cargo/registry/src/x/serde-1/a.rs:4", 1, 9},
    };
    const struct owner_row expected[] = {
        {"main;Index::add|<T as a::B>", 1, 8},
        {"main;load|yaml_parser_scan", 1, 7},
        {"main|serde", 1, 9},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

/* Where its source says so, what a program's type does for a trait of a library keeps. */
static void keeps_by_its_source(void **state)
{
    (void)state;
    static const char path[] = "test_owner_window.rs";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("impl<I: Iterator<Item = Row>> Iterator for Window<I> {\n"
                      "    fn next(&mut self) -> Option<Row> {\n"
                      "        self.recent.push_back(self.inner.next()?);\n"
                      "        self.recent.back().cloned()\n"
                      "    }\n"
                      "}\n"
                      "impl<T> Clone for Box<T> {\n"
                      "    fn clone(&self) -> Self {\n"
                      "        self.copies.push(1);\n"
                      "    }\n"
                      "}\n",
                    file) >= 0);
    assert_int_equal(fclose(file), 0);
    const struct owner_row rows[] = {
        {"app::main@a.rs:8;<app::Window<I> as core::iter::Iterator>::next@"
         "test_owner_window.rs:3;alloc::vec::Vec<T>::push",
            1, 8},
        {"app::main@a.rs:8;<app::Box<T> as core::clone::Clone>::clone@"
         "test_owner_window.rs:9;alloc::vec::Vec<T>::push",
            1, 7},
    };
    const struct owner_row expected[] = {
        {"app::main;<app::Window<I> as core::iter::Iterator>::next|Vec", 1, 8},
        {"app::main|<app::Box<T> as core::clone::Clone>", 1, 7},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
    assert_int_equal(remove(path), 0);
}

/* What lies in the folder of a program is its own; in that of an interpreter, the interpreter's. */
static void is_told_by_the_folder(void **state)
{
    (void)state;
    const struct {
        const char *program, *module, *owner;
    } told[] = {
        {"/srv/app/bin/server", "/srv/app/lib/libengine.so", "fill"},
        {"/srv/app/bin/server", "/usr/lib/libengine.so", "feed"},
        {"/usr/bin/server", "/srv/app/lib/libengine.so", "fill"},
        {"/home/me/.pyenv/versions/3.12.1/bin/python3.12",
            "/home/me/.pyenv/versions/3.12.1/lib/libcrypto.so.3", "feed"},
        {"/home/me/.pyenv/versions/3.12.1/bin/python3.12", "/srv/app/engine.so", "fill"},
        {"/usr/local/bin/python3.12", "/usr/local/lib/python3.12/lib-dynload/_json.cpython-312.so",
            "feed"},
        {"/usr/bin/python3.11", "/srv/app/venv/lib/python3.11/site-packages/numpy/core/_umath.so",
            "feed"},
        {"/usr/local/bin/php", "/usr/local/lib/php/extensions/no-debug-non-zts-20220829/gd.so",
            "feed"},
        {"/home/me/.rbenv/versions/3.1.2/bin/ruby",
            "/home/me/.rbenv/versions/3.1.2/lib/ruby/3.1.0/x86_64-linux/json/ext/parser.so",
            "feed"},
        {"/usr/local/bin/ruby", "/srv/app/vendor/bundle/ruby/3.1.0/gems/bson/bson_native.so",
            "feed"},
        {"/usr/local/bin/node", "/srv/app/node_modules/sharp/build/Release/sharp.node", "feed"},
        {"/usr/local/bin/node", "/srv/app/build/Release/engine.node", "fill"},
        {"/usr/local/bin/perl", "/usr/local/lib/perl5/5.36.0/x86_64-linux/auto/List/Util/Util.so",
            "feed"},
        {"/usr/local/bin/lua", "/usr/local/lib/lua/5.4/cjson.so", "feed"},
    };
    for (size_t i = 0; i < HF_COUNT(told); i++) {
        char stack[512], expected[512];
        (void)snprintf(stack, sizeof stack, "main in %s;feed@app.x:7;fill in %s", told[i].program,
            told[i].module);
        bool is_own = strcmp(told[i].owner, "fill") == 0;
        (void)snprintf(expected, sizeof expected, is_own ? "main;feed;fill|" : "main;feed|fill");
        const struct owner_row rows[] = {{stack, 1, 100}}, answer[] = {{expected, 1, 100}};
        EXPECT_OWNERS(NULL, NULL, rows, answer);
    }
}

static void is_a_library_where_nothing_is_the_programs(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"_start;__libc_start_main_impl;v8::Run;v8::Fill;node::NodeArrayBufferAllocator::Allocate",
            4, 4},
        {"_start;__libc_start_main_impl;operator new", 1, 3},
    };
    const struct owner_row expected[] = {
        {"_start;__libc_start_main_impl;v8::Run;v8::Fill|node::NodeArrayBufferAllocator", 4, 4},
        {"_start;__libc_start_main_impl;operator new|", 1, 3},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

/* What the C++ runtime keeps for exceptions is nobody's, whoever loaded its library. */
static void leaves_the_reserve_of_a_runtime(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"main@a.c:1;load@a.c:9;dlopen;call_init;_GLOBAL__sub_I_eh_alloc.cc", 1, 72704},
        {"main@a.c:1;load@a.c:9;dlopen;call_init;init_plugin@b.c:2", 1, 100},
        {"_dl_init;call_init;pool@x/libsupc++/eh_alloc.cc:1;fill@x/libsupc++/eh_alloc.cc:9", 1, 10},
        {"main@a.c:1;fail@a.c:7;fill@x/libsupc++/eh_alloc.cc:9", 1, 20},
    };
    const struct owner_row expected[] = {
        {"main;load;dlopen;call_init;_GLOBAL__sub_I_eh_alloc.cc|", 1, 72704},
        {"main;load;dlopen;call_init;init_plugin|", 1, 100},
        {"_dl_init;call_init;pool;fill|", 1, 10},
        {"main;fail|fill", 1, 20},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

/* The loop of an interpreter says nothing of what a function of Python owns its memory by. */
static void passes_over_what_runs_frames(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"<module>@/home/me/t.py:1;_PyEval_EvalFrameDefault;parse@/home/me/t.py:9;"
         "_PyEval_EvalFrameDefault;PyObject_MakeTpCall;PyList_New;PyObject_Malloc",
            1, 100},
        {"<module>@/home/me/t.py:1;_PyEval_EvalFrameDefault;read@/home/me/t.py:3;"
         "_PyEval_EvalFrameDefault",
            1, 50},
        {"<module>@/home/me/t.py:1;_PyEval_EvalFrameDefault;join@/usr/lib/python3.11/"
         "posixpath.py:9;"
         "_PyEval_EvalFrameDefault",
            1, 20},
        {"<module>@/home/me/t.py:1;load@/home/me/t.py:5;load.<locals>.<listcomp>@/home/me/t.py:6;"
         "_PyEval_EvalFrameDefault",
            1, 30},
    };
    const struct owner_row expected[] = {
        {"<module>;load|", 1, 30},
        {"<module>;_PyEval_EvalFrameDefault;parse|list", 1, 100},
        {"<module>;_PyEval_EvalFrameDefault;read|", 1, 50},
        {"<module>|join", 1, 20},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

static void learns_wrappers(void **state)
{
    (void)state;
    /* Called by three, of different sizes: perform is one. So is twice, which only it lies below.
     */
    const struct owner_row rows[] = {
        {"main;a;perform", 1, 100},
        {"main;b;perform", 1, 200},
        {"main;c;perform", 1, 300},
        {"main;d;twice;perform", 1, 400},
        {"main;e;twice;perform", 1, 500},
        {"main;f;twice;perform", 1, 600},
    };
    const struct owner_row expected[] = {
        {"main;a|perform", 1, 100},
        {"main;b|perform", 1, 200},
        {"main;c|perform", 1, 300},
        {"main;d|twice", 1, 400},
        {"main;e|twice", 1, 500},
        {"main;f|twice", 1, 600},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

static void does_not_learn_what_owns(void **state)
{
    (void)state;
    /* Of one size wherever it is called: it makes something of its own. */
    const struct owner_row same[] = {
        {"main;a;weld", 1, 96}, {"main;b;weld", 2, 96}, {"main;c;weld", 3, 96}};
    const struct owner_row kept[] = {
        {"main;a;weld|", 1, 96}, {"main;b;weld|", 2, 96}, {"main;c;weld|", 3, 96}};
    EXPECT_OWNERS(NULL, NULL, same, kept);
    /* With two callers. */
    const struct owner_row few[] = {{"main;a;make", 1, 100}, {"main;b;make", 1, 200}};
    const struct owner_row few_kept[] = {{"main;a;make|", 1, 100}, {"main;b;make|", 1, 200}};
    EXPECT_OWNERS(NULL, NULL, few, few_kept);
    /* With a call of its own, of what is no wrapper. */
    const struct owner_row branches[] = {{"main;a;make", 1, 100}, {"main;b;make", 1, 200},
        {"main;c;make", 1, 300}, {"main;c;make;fill", 1, 50}};
    const struct owner_row branches_kept[] = {{"main;a;make|", 1, 100}, {"main;b;make|", 1, 200},
        {"main;c;make|", 1, 300}, {"main;c;make;fill|", 1, 50}};
    EXPECT_OWNERS(NULL, NULL, branches, branches_kept);
}

/* Names of functions that make something of the program's own, and of those that hand out memory.
 */
static void tells_helpers_from_allocators(void **state)
{
    (void)state;
    static const char *const users[] = {"alloc_session", "new_client", "pool_get_user",
        "session_alloc", "alloc_request", "vec_normalize", "string_push_name", "buf_stats_new",
        "list_add_contact", "array_add_row", "arena_of_battle", "pool_party_new", "table_expand",
        "order_reserve", "seat_reserve", "html_grow", "JobAlloc", "slab_of_page", "malloc_table",
        "buffer_append_request", "chunk_get_owner"};
    static const char *const allocators[] = {"xmalloc", "xstrdup", "zmalloc", "pool_alloc",
        "arena_alloc", "vec_push", "strbuf_addstr", "safe_malloc", "ngx_palloc", "obstack_grow",
        "buf_append", "my_xcalloc", "emalloc", "array_grow", "apr_palloc", "list_append"};
    for (size_t i = 0; i < HF_COUNT(users); i++) {
        char rows_text[2][128];
        snprintf(rows_text[0], sizeof rows_text[0], "main;%s", users[i]);
        snprintf(rows_text[1], sizeof rows_text[1], "main;%s|", users[i]);
        const struct owner_row rows[] = {{rows_text[0], 1, 10}};
        const struct owner_row expected[] = {{rows_text[1], 1, 10}};
        EXPECT_OWNERS(NULL, NULL, rows, expected);
    }
    for (size_t i = 0; i < HF_COUNT(allocators); i++) {
        char rows_text[2][128];
        snprintf(rows_text[0], sizeof rows_text[0], "main;%s", allocators[i]);
        snprintf(rows_text[1], sizeof rows_text[1], "main|%s", allocators[i]);
        const struct owner_row rows[] = {{rows_text[0], 1, 10}};
        const struct owner_row expected[] = {{rows_text[1], 1, 10}};
        EXPECT_OWNERS(NULL, NULL, rows, expected);
    }
}

static void knows_helpers_by_their_callers(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"main;accept_client;session_alloc", 1, 8},
        {"main;session_alloc", 2, 8},
        {"start_thread;worker;session_alloc;frame_alloc", 1, 7},
        {"start_thread;frame_alloc", 1, 5},
        {"main;session_alloc;frame_alloc", 3, 7},
        {"server::main;frame_alloc", 1, 6},
    };
    const struct owner_row expected[] = {
        {"main;accept_client|session_alloc", 1, 8},
        {"main;session_alloc|frame_alloc", 1, 37}, /* 2 x 8 and 3 x 7 */
        {"start_thread;worker|session_alloc", 1, 7},
        {"start_thread;frame_alloc|", 1, 5},
        {"server::main;frame_alloc|", 1, 6},
    };
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

/* A helper may keep what it makes: it is its owner, unless one caller has nearly all of it. */
static void knows_keepers_by_their_callers(void **state)
{
    (void)state;
    const struct owner_row several[] = {
        {"main;check_range;complain[keeps]", 89, 10}, {"main;check_order;complain[keeps]", 11, 10}};
    const struct owner_row kept[] = {
        {"main;check_range;complain|", 89, 10}, {"main;check_order;complain|", 11, 10}};
    EXPECT_OWNERS(NULL, NULL, several, kept);
    const struct owner_row one[] = {
        {"main;join;intern[keeps]", 91, 10}, {"main;upper;intern[keeps]", 9, 10}};
    const struct owner_row handed[] = {{"main;join|intern", 91, 10}, {"main;upper|intern", 9, 10}};
    EXPECT_OWNERS(NULL, NULL, one, handed);
    const struct owner_row through[] = {
        {"main;join;text;intern[keeps]", 5, 10}, {"main;upper;copy_text;intern[keeps]", 5, 10}};
    const struct owner_row through_kept[] = {
        {"main;join;text;intern|", 5, 10}, {"main;upper;copy_text;intern|", 5, 10}};
    EXPECT_OWNERS(NULL, NULL, through, through_kept);
}

/* A thread that begins with a lambda does what that calls. */
static void ends_at_the_lambda_of_a_thread(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"start_thread;std::thread::run;fetch::{lambda()#1}::operator();node_new", 1, 10},
        {"main;fetch;fetch::{lambda()#1}::operator();node_new", 1, 20}};
    const struct owner_row expected[] = {
        {"start_thread;std::thread::run;fetch::{lambda()#1}::operator();node_new|", 1, 10},
        {"main;fetch;fetch::{lambda()#1}::operator()|node_new", 1, 20}};
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

/* By samples of few blocks, each of which stands for many: what one site allocates has one size. */
static void learns_from_samples(void **state)
{
    (void)state;
    /* Two sites of one size each: of which was sampled below which caller is chance. */
    const struct owner_row maker[] = {{"main;a;make;std::map::insert", 5000, 100},
        {"main;b;make;std::vector::reserve", 500, 1000},
        {"main;c;make;std::map::insert", 5000, 100},
        {"main;c;make;std::vector::reserve", 500, 1000}};
    const struct owner_row kept[] = {{"main;a;make|std::map", 5000, 100},
        {"main;b;make|std::map", 500, 1000}, {"main;c;make|std::map", 10000, 100}};
    EXPECT_OWNERS(NULL, NULL, maker, kept);
    const struct owner_row wrapper[] = {{"main;a;give@a.c:1", 5000, 100},
        {"main;b;give@a.c:1", 700, 717}, {"main;c;give@a.c:1", 11000, 48}};
    const struct owner_row cut[] = {
        {"main;a|give", 5000, 100}, {"main;b|give", 700, 717}, {"main;c|give", 11000, 48}};
    EXPECT_OWNERS(NULL, NULL, wrapper, cut);
    /* A site with one call says nothing of whether it varies. */
    const struct owner_row once[] = {{"main;a;give@a.c:1", 5000, 100},
        {"main;b;give@a.c:1", 700, 717}, {"main;c;give@a.c:1", 11000, 48},
        {"main;a;give@a.c:2", 1, 100}};
    const struct owner_row once_cut[] = {
        {"main;a|give", 5001, 100}, {"main;b|give", 700, 717}, {"main;c|give", 11000, 48}};
    EXPECT_OWNERS(NULL, NULL, once, once_cut);
}

/* Means that differ by an eighth of the smaller are one size; the last of them may be the least. */
static void takes_an_eighth_for_the_same_size(void **state)
{
    (void)state;
    const struct owner_row same[] = {
        {"main;a;weld", 1, 85}, {"main;b;weld", 1, 90}, {"main;c;weld", 1, 80}};
    const struct owner_row kept[] = {
        {"main;a;weld|", 1, 85}, {"main;b;weld|", 1, 90}, {"main;c;weld|", 1, 80}};
    EXPECT_OWNERS(NULL, NULL, same, kept);
    const struct owner_row other[] = {
        {"main;a;weld", 1, 85}, {"main;b;weld", 1, 91}, {"main;c;weld", 1, 80}};
    const struct owner_row cut[] = {
        {"main;a|weld", 1, 85}, {"main;b|weld", 1, 91}, {"main;c|weld", 1, 80}};
    EXPECT_OWNERS(NULL, NULL, other, cut);
}

/* A frame that is passed over stays in the tree where an owner lies behind it, and has nothing. */
static void passes_over_what_leads_to_an_owner(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"main;keep;index_add;vec_grow", 1, 66}, {"main;keep;index_add;vec_grow;note_text", 1, 2}};
    const struct owner_row expected[] = {
        {"main;keep;index_add|vec_grow", 1, 66}, {"main;keep;index_add;vec_grow;note_text|", 1, 2}};
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

/* DEFINE_MAP(answers): all of it is on one line, and whoever uses it is the owner. */
static void passes_over_what_one_macro_defines(void **state)
{
    (void)state;
    const struct owner_row rows[] = {
        {"main@a.c:1;keep@a.c:9;answers_put@a.c:5;answers_widen@a.c:5", 1, 66},
        {"main@a.c:1;keep@a.c:9;answers_put@a.c:5", 1, 2}};
    const struct owner_row expected[] = {{"main;keep|answers_put", 1, 68}};
    EXPECT_OWNERS(NULL, NULL, rows, expected);
    const struct owner_row apart[] = {
        {"main@a.c:1;keep@a.c:9;answers_put@a.c:5;answers_widen@a.c:6", 1, 66}};
    const struct owner_row kept[] = {{"main;keep;answers_put;answers_widen|", 1, 66}};
    EXPECT_OWNERS(NULL, NULL, apart, kept);
    const struct owner_row lambda[] = {
        {"main@a.cc:1;keep@a.cc:9;keep::{lambda()#1}::operator()@a.cc:9", 1, 66}};
    const struct owner_row inner[] = {{"main;keep;keep::{lambda()#1}::operator()|", 1, 66}};
    EXPECT_OWNERS(NULL, NULL, lambda, inner);
}

/* Perl makes room for many values at once: who needed that is not who keeps them. */
static void shares_what_pools_make(void **state)
{
    (void)state;
    FILE *file = fopen("test_owner_pool.pl", "w");
    assert_non_null(file);
    assert_true(fputs("sub look {\n"
                      "    my ($self) = @_;\n"
                      "    $self->{words} += () = $self->{text} =~ /x/g;\n"
                      "    return 1;\n"
                      "}\n"
                      "sub keep {\n"
                      "    my ($self, $text) = @_;\n"
                      "    push @{ $self->{events} }, { text => $text };\n"
                      "    return 1;\n"
                      "}\n"
                      "sub alone {\n"
                      "    my @parts = map { [ $_ ] } 1 .. 3;\n"
                      "    return 1;\n"
                      "}\n"
                      "look($x);\n"
                      "keep($x, 'x');\n",
                    file) >= 0);
    assert_int_equal(fclose(file), 0);
#define POOL_MAIN "<main>@test_owner_pool.pl:"
    const struct owner_row rows[] = {
        {POOL_MAIN "15;main::look@test_owner_pool.pl:3;Perl_more_sv", 12, 10},
        {POOL_MAIN "15;main::look@test_owner_pool.pl:3;Perl_sv_grow", 1, 5},
        {POOL_MAIN "16;main::keep@test_owner_pool.pl:8;Perl_more_bodies", 11, 10},
    };
    const struct owner_row expected[] = {
        {"<main>;main::look|Perl_sv_grow", 1, 5}, {"<main>;main::keep|", 23, 10}};
    EXPECT_OWNERS(NULL, NULL, rows, expected);
    /* Nobody is known to keep so much. */
    const struct owner_row least[] = {
        {POOL_MAIN "15;main::look@test_owner_pool.pl:3;Perl_more_sv", 100, 10},
        {POOL_MAIN "16;main::keep@test_owner_pool.pl:8;Perl_more_bodies", 1, 10},
    };
    const struct owner_row apart[] = {
        {"<main>;main::look|", 100, 10}, {"<main>;main::keep|", 1, 10}};
    EXPECT_OWNERS(NULL, NULL, least, apart);
    assert_int_equal(remove("test_owner_pool.pl"), 0);
}

/* The memory of a runtime is its own where no function of the program is seen. */
static void names_the_heap_of_a_runtime(void **state)
{
    (void)state;
    const struct owner_row rows[] = {{"v8::internal::VirtualMemory::VirtualMemory", 1, 5}};
    const struct owner_row expected[] = {
        {"v8::internal::VirtualMemory::VirtualMemory;[heap of V8, no function seen]|", 1, 5}};
    EXPECT_OWNERS(NULL, NULL, rows, expected);
}

static void does_as_it_is_told(void **state)
{
    (void)state;
    const struct owner_row rows[] = {{"main;a;xmalloc", 1, 1}, {"main;b;helper", 1, 2}};
    const struct owner_row expected[] = {{"main;a;xmalloc|", 1, 1}, {"main;b|helper", 1, 2}};
    EXPECT_OWNERS("^xmalloc$", "^helper$", rows, expected);
}

static void knows_a_cycle_and_an_empty_profile(void **state)
{
    (void)state;
    const struct owner_row rows[] = {{"main;parse;parse;parse", 1, 5}};
    const struct owner_row expected[] = {{"main;parse;parse;parse|", 1, 5}};
    EXPECT_OWNERS(NULL, NULL, rows, expected);
    expect_owners(NULL, 0, NULL, NULL, NULL, 0);
}

static void reads_rules(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_owner_rules rules = {0};
    check_ok(hf_owner_rules_parse(&rules,
                 HF_TEXT("# mine\nvia m\nwrapper function my::* ours_?\nvia\n"
                         "library source */third/* # so\nlibrary module libx.so* /opt/y/*\n"
                         "as [heap of X]  # a sign\npool function more_?\nas\nown function f\n"),
                 "mine.rules", &err),
        &err);
    assert_int_equal(rules.count, 7);
    assert_int_equal(rules.items[5].class, HF_OWNER_POOL);
    assert_true(hf_text_is(rules.items[5].as, "[heap of X]") && rules.items[4].as.size == 0);
    assert_int_equal(rules.items[6].as.size, 0);
    const struct {
        enum hf_owner_subject subject;
        const char *text;
        int rule;
    } asked[] = {
        {HF_OWNER_FUNCTION, "my::thing", 0},
        {HF_OWNER_FUNCTION, "ours_2", 1},
        {HF_OWNER_FUNCTION, "ours_22", -1},
        {HF_OWNER_SOURCE, "/home/third/a.c", 2},
        {HF_OWNER_SOURCE, "my::thing", -1},
        {HF_OWNER_MODULE, "/usr/lib/libx.so.2", 3},
        {HF_OWNER_MODULE, "/opt/y/bin/z", 4},
        {HF_OWNER_MODULE, "", -1},
    };
    for (size_t i = 0; i < HF_COUNT(asked); i++) {
        const struct hf_owner_rule *rule =
            hf_owner_rules_find(&rules, asked[i].subject, hf_text_of(asked[i].text));
        assert_ptr_equal(rule, asked[i].rule < 0 ? NULL : &rules.items[asked[i].rule]);
    }
    assert_true(hf_text_is(rules.items[0].via, "m") && rules.items[2].via.size == 0);
    hf_owner_rules_done(&rules);
}

/* A rule that is found is the first one that matches, however the rules are looked up. */
static void finds_the_first_rule(void **state)
{
    (void)state;
    static const char *const globs[] = {
        "a*", "*b", "*a*", "?b", "ab", "a?", "*", "b*a", "bb*", "?"};
    static const char *const names[] = {
        "a", "b", "ab", "ba", "aab", "abb", "bba", "c", "bbc", "cb"};
    uint32_t random = 1;
    for (int round = 0; round < 200; round++) {
        char text[1024];
        size_t size = 0;
        for (int line = 0; line < 6; line++) {
            random = random * 1664525u + 1013904223u;
            size += (size_t)snprintf(text + size, sizeof text - size, "own %s %s\n",
                random >> 31 != 0 ? "function" : "source", globs[(random >> 16) % 10]);
        }
        struct hf_error err;
        struct hf_owner_rules rules = {0};
        check_ok(hf_owner_rules_parse(&rules, hf_text_of(text), "random", &err), &err);
        for (size_t i = 0; i < HF_COUNT(names); i++) {
            const struct hf_owner_rule *expected = NULL;
            for (size_t rule = rules.count; rule > 0; rule--)
                if (rules.items[rule - 1].subject == HF_OWNER_FUNCTION &&
                    hf_glob_matches(rules.items[rule - 1].glob, hf_text_of(names[i])))
                    expected = &rules.items[rule - 1];
            assert_ptr_equal(
                hf_owner_rules_find(&rules, HF_OWNER_FUNCTION, hf_text_of(names[i])), expected);
        }
        hf_owner_rules_done(&rules);
    }
}

static void refuses_other_rules(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"mine function x\n", "mine: line 1: column 1: expected own, wrapper, helper, library, "
                              "entry, init, reserve, pool, via or as, found 'mine'"},
        {"\nwrapper\n",
            "mine: line 2: column 8: expected function, source or module, found the end of the "
            "line"},
        {"library file x\n",
            "mine: line 1: column 9: expected function, source or module, found 'file'"},
        {"library module # none\n",
            "mine: line 1: column 16: expected a name, e.g. std::*, found the end of the line"},
        {"via a b\n", "mine: line 1: column 7: expected the end of the line, found 'b'"},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err = {0};
        struct hf_owner_rules rules = {0};
        assert_int_equal(
            hf_owner_rules_parse(&rules, hf_text_of(cases[i].text), "mine", &err), HF_ERR_INPUT);
        char message[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
        hf_error_format(&err, message, sizeof message);
        assert_string_equal(message, cases[i].message);
        hf_owner_rules_done(&rules);
    }
    struct hf_error err = {0};
    struct hf_owner_rules rules = {0};
    char *text = calloc(1, HF_LIMIT_SPEC_BYTES + 1);
    assert_non_null(text);
    assert_int_equal(
        hf_owner_rules_parse(&rules, (struct hf_text){text, HF_LIMIT_SPEC_BYTES + 1}, "long", &err),
        HF_ERR_LIMIT);
    free(text);
    hf_owner_rules_done(&rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_innermost_frame_of_the_program),
        cmocka_unit_test(is_told_by_the_source),
        cmocka_unit_test(keeps_by_its_source),
        cmocka_unit_test(is_told_by_the_folder),
        cmocka_unit_test(is_a_library_where_nothing_is_the_programs),
        cmocka_unit_test(leaves_the_reserve_of_a_runtime),
        cmocka_unit_test(passes_over_what_runs_frames),
        cmocka_unit_test(learns_wrappers),
        cmocka_unit_test(does_not_learn_what_owns),
        cmocka_unit_test(tells_helpers_from_allocators),
        cmocka_unit_test(knows_helpers_by_their_callers),
        cmocka_unit_test(knows_keepers_by_their_callers),
        cmocka_unit_test(ends_at_the_lambda_of_a_thread),
        cmocka_unit_test(learns_from_samples),
        cmocka_unit_test(takes_an_eighth_for_the_same_size),
        cmocka_unit_test(passes_over_what_leads_to_an_owner),
        cmocka_unit_test(passes_over_what_one_macro_defines),
        cmocka_unit_test(shares_what_pools_make),
        cmocka_unit_test(names_the_heap_of_a_runtime),
        cmocka_unit_test(does_as_it_is_told),
        cmocka_unit_test(knows_a_cycle_and_an_empty_profile),
        cmocka_unit_test(reads_rules),
        cmocka_unit_test(finds_the_first_rule),
        cmocka_unit_test(refuses_other_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
