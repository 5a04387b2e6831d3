/*
 * Memory contexts in a model of a process's memory: the orders of fields of all versions, trees
 * that change while they are read, and trees that never end.
 */
#include "attach/postgres/context_fields.h"
#include "attach/postgres/context_tables.h"
#include "base/limits.h"
#include "check.h"

#define BASE UINT64_C(0x100000)
#define CODE UINT64_C(0x7000)
#define WORDS 8192u
#define WORD 8u

static uint64_t words[WORDS];
static size_t used_words;

/* Called before each read, with its number. */
static void (*before_read)(size_t number);
static size_t reads;

/* Memory that never ends: a context, or a block, every STEP bytes, and each leads to the next. */
#define ENDLESS UINT64_C(0x10000000)
#define STEP 256u
static uint64_t endless[STEP / WORD];
static size_t endless_next; /* the word that leads on */

static size_t read_model(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    if (before_read != NULL)
        before_read(reads++);
    if (address >= ENDLESS && address < ENDLESS * 64) {
        for (size_t done = 0, part; done < size; done += part) {
            uint64_t here[STEP / WORD], from = (address + done) % STEP;
            uint64_t start = address + done - from;
            memcpy(here, endless, sizeof here);
            here[endless_next] = start + STEP;
            for (size_t i = 0; i < STEP / WORD; i++)
                here[i] += endless[i] >= ENDLESS ? start - ENDLESS : 0;
            part = size - done < STEP - from ? size - done : (size_t)(STEP - from);
            memcpy((char *)out + done, (char *)here + from, part);
        }
        return size;
    }
    if (address < BASE || address - BASE >= sizeof words)
        return 0;
    size_t left = sizeof words - (size_t)(address - BASE), take = size < left ? size : left;
    memcpy(out, (char *)words + (address - BASE), take);
    return take;
}

static const struct hf_code_range code = {CODE, CODE + 0x1000};
static const struct hf_context_source source = {{read_model, NULL}, BASE, &code, 1};

static uint64_t take(size_t count)
{
    assert_true(used_words + count < WORDS);
    used_words += count;
    return BASE + (used_words - count) * WORD;
}

static uint64_t *at(uint64_t address)
{
    return &words[(address - BASE) / WORD];
}

static uint64_t put_text(const char *text)
{
    uint64_t address = take(strlen(text) / WORD + 1);
    memcpy(at(address), text, strlen(text) + 1);
    return address;
}

static void put_functions(uint64_t address, size_t count, uint64_t first)
{
    for (size_t i = 0; i < count; i++)
        at(address)[i] = CODE + first + 16 * i;
}

/*
 * Fields in their order, behind the tag: m methods, M the table itself, p parent, f first child,
 * < previous, > next child, n name, i ident, a allocated, A F ever allocated and freed, with what
 * is below, h high water, r is reset, k the caller's file and line, c callbacks, b blocks.
 */
struct version {
    const char *name, *fields;
    size_t functions;   /* of its table */
    size_t block_links; /* words of a block between its context and its free part */
};

static const struct version versions[] = {
    {"9.4", "mpf>nrb", 9, 1},
    {"9.5", "mpf>ncb", 9, 1},
    {"9.6 and 10", "mpf<>ncb", 9, 2},
    {"11 and 12", "mpf<>nicb", 8, 2},
    {"13 to 15", "ampf<>nicb", 8, 2},
    {"16 and later", "ampf<>nicb", 9, 2},
    {"Greenplum 6", "Mpf>nrAFhhcb", 10, 2},
    {"Greenplum 7", "ampf<>nicb", 13, 2},
    {"Greenplum 7 that knows callers", "ampf<>nikkcb", 13, 2},
    {"another order", "n>pif<amcb", 8, 2},
    {"and another", "<f>mpniacb", 9, 2},
    {"the other way round", "in><fpmacb", 8, 2},
};

static const struct version *version;
static uint64_t table;

static uint64_t *field(uint64_t context, char which)
{
    size_t word = 1;
    for (const char *c = version->fields; *c != '\0'; c++) {
        if (*c == which)
            return at(context) + word;
        word += *c == 'M' ? version->functions : 1;
    }
    static uint64_t nowhere;
    nowhere = 0;
    return &nowhere;
}

/* A context with one block of `size` bytes, the last `unused` of them free. */
static uint64_t put_context(
    uint64_t parent, const char *name, const char *ident, uint64_t size, uint64_t unused)
{
    uint64_t context = take(40), block = take(8);
    *at(context) = 0x1b5 | (uint64_t)1 << 32;
    if (strchr(version->fields, 'M') != NULL)
        put_functions(
            context + (uint64_t)(field(context, 'M') - at(context)) * WORD, version->functions, 0);
    *field(context, 'm') = table;
    *field(context, 'p') = parent;
    *field(context, 'n') = put_text(name);
    *field(context, 'i') = ident != NULL ? put_text(ident) : 0;
    *field(context, 'a') = size;
    *field(context, 'k') = put_text("somewhere.c");
    *field(context, 'b') = block;
    *at(block) = context;
    at(block)[version->block_links + 1] = block + size - unused;
    at(block)[version->block_links + 2] = block + size;
    for (uint64_t c = context; c != 0; c = *field(c, 'p')) {
        *field(c, 'A') += size + 1024;
        *field(c, 'F') += 1024;
    }
    if (parent != 0) {
        uint64_t *first = field(parent, 'f');
        *field(context, '>') = *first;
        if (*first != 0)
            *field(*first, '<') = context;
        *first = context;
    }
    return context;
}

static uint64_t top, cache, error;

/* TopMemoryContext with four children, one of which has two. */
static void put_tree(const struct version *which)
{
    memset(words, 0, sizeof words);
    version = which;
    used_words = 1;
    table = take(version->functions);
    put_functions(table, version->functions, 0);
    words[0] = top = put_context(0, "TopMemoryContext", NULL, 97680, 12344);
    error = put_context(top, "ErrorContext", NULL, 8192, 7928);
    cache = put_context(top, "CacheMemoryContext", NULL, 524288, 96480);
    (void)put_context(top, "dynahash", "Relcache by OID", 16384, 2952);
    (void)put_context(top, "MessageContext", NULL, 8192, 0);
    (void)put_context(cache, "index info", "pg_class_oid_index", 2048, 456);
    (void)put_context(cache, "index info", "pg_opclass_oid_index", 1024, 0);
}

static void find_layout(struct hf_context_layout *out_layout)
{
    struct hf_error err;
    struct hf_contexts contexts;
    check_ok(hf_context_layout_find(&source, out_layout, &err), &err);
    check_ok(hf_contexts_read(&contexts, &source, out_layout, &err), &err);
    hf_context_fields_find(out_layout, &source, &contexts);
    hf_contexts_done(&contexts);
}

static void print_tree(const struct hf_contexts *contexts, struct hf_out *out)
{
    for (size_t i = 0; i < contexts->count; i++) {
        const struct hf_memory_context *context = &contexts->items[i];
        hf_out_printf(out, "%d %s", i == 0 ? -1 : (int)context->parent,
            hf_intern_at(&contexts->texts, context->name).data);
        if (strchr(version->fields, 'i') != NULL)
            hf_out_printf(out, " [%s]", hf_intern_at(&contexts->texts, context->ident).data);
        hf_out_printf(
            out, " %u-%u\n", (unsigned)context->allocated_bytes, (unsigned)context->unused_bytes);
    }
}

static void every_version_is_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(versions); i++) {
        struct hf_context_layout layout;
        struct hf_contexts contexts;
        struct hf_error err;
        struct hf_out out = {0};
        check_case = versions[i].name;
        put_tree(&versions[i]);
        find_layout(&layout);
        check_ok(hf_contexts_read(&contexts, &source, &layout, &err), &err);
        assert_int_equal(contexts.torn, 0);
        print_tree(&contexts, &out);
        check_out(&out, strchr(version->fields, 'i') != NULL
                            ? "-1 TopMemoryContext [] 97680-12344\n"
                              "0 MessageContext [] 8192-0\n"
                              "0 dynahash [Relcache by OID] 16384-2952\n"
                              "0 CacheMemoryContext [] 524288-96480\n"
                              "0 ErrorContext [] 8192-7928\n"
                              "3 index info [pg_opclass_oid_index] 1024-0\n"
                              "3 index info [pg_class_oid_index] 2048-456\n"
                            : "-1 TopMemoryContext 97680-12344\n"
                              "0 MessageContext 8192-0\n"
                              "0 dynahash 16384-2952\n"
                              "0 CacheMemoryContext 524288-96480\n"
                              "0 ErrorContext 8192-7928\n"
                              "3 index info 1024-0\n"
                              "3 index info 2048-456\n");
        struct hf_context_tables tables = {.count = 0};
        hf_context_tables_add(&tables, &source, &contexts);
        assert_int_equal(tables.count, 1);
        for (size_t j = 0; j < HF_CONTEXT_SLOTS; j++)
            assert_int_equal(tables.functions[0][j], CODE + 16 * j);
        hf_contexts_done(&contexts);
        hf_out_done(&out);
    }
}

static void put_word(uint64_t address, uint64_t word)
{
    memcpy((char *)words + (address - BASE), &word, sizeof(uint32_t));
}

static uint64_t put_table(uint64_t first)
{
    uint64_t address = take(9);
    put_functions(address, 9, first);
    return address;
}

/* "lea table(%rip), %rdx", "mov $table, %edx", and the start of the array of tables. */
static void tables_that_code_names(void **state)
{
    (void)state;
    struct hf_contexts contexts;
    struct hf_context_layout layout;
    struct hf_context_tables tables = {.count = 0};
    put_tree(&versions[4]);
    uint64_t function = take(8), slab = put_table(0x200), generation = put_table(0x400);
    uint64_t array = take(9 * 4), other = put_table(0x600);
    find_layout(&layout);
    check_ok(hf_contexts_read(&contexts, &source, &layout, NULL), NULL);
    hf_context_tables_add(&tables, &source, &contexts);
    hf_contexts_done(&contexts);
    put_word(function + 3, slab - (function + 7));
    put_word(function + 9, generation);
    put_word(function + 20, function - 4096);
    hf_context_tables_add_named(&tables, &source, (struct hf_code_range){function, function + 64});
    assert_int_equal(tables.count, 3);
    assert_int_equal(tables.functions[1][0], CODE + 0x200);
    assert_int_equal(tables.functions[2][5], CODE + 0x450);

    tables.addresses[0] = array + 2 * 72; /* that of AllocSet is the third there */
    put_functions(array + 1 * 72, 9, 0x800);
    put_functions(array + 3 * 72, 9, 0xa00);
    put_word(function + 20, array - (function + 24));
    hf_context_tables_add_named(&tables, &source, (struct hf_code_range){function, function + 64});
    assert_int_equal(tables.count, 6); /* what comes behind it looks the same */
    assert_int_equal(tables.functions[3][0], CODE + 0x800);
    assert_int_equal(tables.functions[4][0], CODE + 0xa00);
    assert_int_equal(tables.addresses[5], other);
}

/* A list that is read while somebody changes it. */
static uint64_t moved;
static size_t moved_until;

static void move_for_some_reads(size_t number)
{
    *field(moved, 'p') = number < moved_until ? error : cache;
}

/* Reads the tree; returns how many contexts it has, and how many lists were torn. */
static size_t walk(uint64_t *out_torn)
{
    struct hf_context_layout layout;
    struct hf_contexts contexts;
    struct hf_error err;
    void (*change)(size_t) = before_read;
    before_read = NULL;
    find_layout(&layout);
    before_read = change;
    reads = 0;
    check_ok(hf_contexts_read(&contexts, &source, &layout, &err), &err);
    before_read = NULL;
    size_t count = contexts.count;
    *out_torn = contexts.torn;
    hf_contexts_done(&contexts);
    return count;
}

static void a_torn_list_is_read_again(void **state)
{
    (void)state;
    uint64_t torn;
    size_t last_whole = 0, first_torn = 1000;
    put_tree(&versions[4]);
    moved = *field(*field(cache, 'f'), '>');
    for (moved_until = 0; moved_until < 100; moved_until++) {
        before_read = move_for_some_reads;
        size_t count = walk(&torn);
        assert_int_equal(count, torn != 0 ? 6 : 7); /* what comes before it in the list is kept */
        last_whole = torn == 0 ? moved_until : last_whole;
        first_torn = torn != 0 && moved_until < first_torn ? moved_until : first_torn;
    }
    assert_int_equal(first_torn, last_whole + 1); /* after the third time, never before */
    assert_in_range(first_torn, reads / 2, 99);
}

/* A tree that is torn is read five times in all, and not once more when it was whole. */
static void a_torn_tree_is_read_again(void **state)
{
    (void)state;
    struct hf_context_layout layout;
    struct hf_contexts contexts;
    struct hf_error err;
    put_tree(&versions[4]);
    find_layout(&layout);
    moved = *field(*field(cache, 'f'), '>');
    moved_until = SIZE_MAX;
    before_read = move_for_some_reads;
    reads = 0;
    check_ok(hf_contexts_read(&contexts, &source, &layout, &err), &err);
    size_t once = reads;
    assert_int_equal(contexts.torn, 1);
    hf_contexts_done(&contexts);
    /* It is whole from the second reading on, from the fifth, and too late. */
    for (size_t torn = 1; torn <= 5; torn++) {
        moved_until = torn * once;
        reads = 0;
        check_ok(hf_contexts_read_whole(&contexts, &source, &layout, &err), &err);
        assert_int_equal(contexts.torn, torn == 5);
        assert_int_equal(contexts.count, torn == 5 ? 6 : 7);
        assert_in_range(reads, torn * once, torn == 5 ? 5 * once : (torn + 1) * once - 1);
        hf_contexts_done(&contexts);
        assert_true(contexts.items == NULL && contexts.count == 0 && contexts.torn == 0);
        hf_contexts_done(&contexts); /* nothing is left to be freed */
    }
    before_read = NULL;
}

struct held_row {
    const char *name;
    uint64_t allocated_bytes;
    bool is_held;
};

static const struct held_row held_rows[] = {
    {"nothing", 0, false},
    {"a byte", 1, true},
    {"the most", (UINT64_C(1) << 44) - 1, true},
    {"no number of bytes", UINT64_C(1) << 44, false},
    {"nor this", UINT64_MAX, false},
};

static void tells_what_a_context_holds(void **state)
{
    (void)state;
    struct hf_context_layout layout;
    uint64_t held;
    put_tree(&versions[4]);
    find_layout(&layout);
    for (size_t i = 0; i < HF_COUNT(held_rows); i++) {
        check_case = held_rows[i].name;
        *field(error, 'a') = held_rows[i].allocated_bytes;
        assert_int_equal(hf_context_held(&source, &layout, error, &held), held_rows[i].is_held);
        if (held_rows[i].is_held)
            assert_int_equal(held, held_rows[i].allocated_bytes);
    }
    check_case = "its block is another's";
    *field(error, 'a') = 8192;
    *at(*field(error, 'b')) = cache;
    assert_false(hf_context_held(&source, &layout, error, &held));
    check_case = "no context";
    assert_false(hf_context_held(&source, &layout, BASE - STEP, &held));
    check_case = "what it counts is of all below it, too";
    put_tree(&versions[6]);
    find_layout(&layout);
    assert_true(hf_context_held(&source, &layout, cache, &held));
    assert_int_equal(held, 524288);
    check_case = "";
}

static void a_circle_ends(void **state)
{
    (void)state;
    uint64_t torn;
    put_tree(&versions[4]);
    uint64_t first = *field(cache, 'f');
    *field(*field(first, '>'), '>') = first;
    assert_int_equal(walk(&torn), 7);
    assert_int_equal(torn, 1);
    *field(first, 'f') = cache; /* a child that is above its parent */
    assert_int_equal(walk(&torn), 7);
    assert_int_equal(torn, 2);
}

static void a_tree_without_end_ends(void **state)
{
    (void)state;
    struct hf_context_layout layout;
    struct hf_contexts contexts;
    struct hf_error err;
    char expected[128];
    put_tree(&versions[4]);
    find_layout(&layout);
    uint64_t child = *field(cache, 'f');
    memcpy(endless, at(child), sizeof endless);
    endless_next = layout.next_child;
    endless[layout.first_child] = 0;
    *field(cache, 'f') = ENDLESS;
    assert_int_equal(hf_contexts_read(&contexts, &source, &layout, &err), HF_ERR_LIMIT);
    (void)snprintf(expected, sizeof expected,
        "the process has more than %u memory contexts (HF_LIMIT_CONTEXTS)", HF_LIMIT_CONTEXTS);
    check_error(&err, expected);
    hf_contexts_done(&contexts);
}

static void blocks_without_end_end(void **state)
{
    (void)state;
    struct hf_context_layout layout;
    struct hf_contexts contexts;
    struct hf_error err;
    char expected[128];
    put_tree(&versions[2]);
    find_layout(&layout);
    memset(endless, 0, sizeof endless);
    endless[0] = cache;
    endless_next = 2;
    endless[3] = endless[4] = ENDLESS + 128;
    *field(cache, 'b') = ENDLESS;
    assert_int_equal(hf_contexts_read(&contexts, &source, &layout, &err), HF_ERR_LIMIT);
    (void)snprintf(expected, sizeof expected,
        "a memory context has more than %u blocks (HF_LIMIT_CONTEXT_BLOCKS)",
        HF_LIMIT_CONTEXT_BLOCKS);
    check_error(&err, expected);
    hf_contexts_done(&contexts);
}

/* What is wrong with one word is no reason to follow it for ever, nor to say more than there is. */
static void any_word_may_be_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(versions); i++) {
        put_tree(&versions[i]);
        size_t count = used_words;
        const uint64_t wrong[] = {0, 1, UINT64_MAX, BASE, top, cache, CODE, table};
        for (size_t word = 0; word < count; word++) {
            uint64_t right = words[word];
            for (size_t j = 0; j < HF_COUNT(wrong); j++) {
                struct hf_context_layout layout;
                struct hf_contexts contexts;
                words[word] = wrong[j];
                if (hf_context_layout_find(&source, &layout, NULL) != HF_OK)
                    continue;
                if (hf_contexts_read(&contexts, &source, &layout, NULL) == HF_OK)
                    hf_context_fields_find(&layout, &source, &contexts);
                assert_in_range(contexts.count, 0, 7);
                hf_contexts_done(&contexts);
            }
            words[word] = right;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_understood),
        cmocka_unit_test(tables_that_code_names),
        cmocka_unit_test(a_torn_list_is_read_again),
        cmocka_unit_test(a_torn_tree_is_read_again),
        cmocka_unit_test(tells_what_a_context_holds),
        cmocka_unit_test(a_circle_ends),
        cmocka_unit_test(a_tree_without_end_ends),
        cmocka_unit_test(blocks_without_end_end),
        cmocka_unit_test(any_word_may_be_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
