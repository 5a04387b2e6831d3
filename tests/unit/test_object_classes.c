/* Classes of blocks, read from this process: tables as a compiler of C++ makes them, and such as
 * somebody made up. */
#include "check.h"
#include "heap/graph/class_census.h"

#include <sys/mman.h>
#include <unistd.h>

enum { CODE, DATA, BEHIND, HEAP, PAGES };
#define PAGE 4096u
#define WORDS (PAGE / sizeof(uint64_t))

/* Four pages, one after the other, that the image has as those of a module's code and of its data,
 * one without a file behind them, and a heap. */
static uint64_t (*pages)[WORDS];
static struct hf_process_image image;
static const struct hf_heap no_heap;

static size_t read_own(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    uint64_t start = (uintptr_t)pages, end = start + PAGES * PAGE;
    if (address < start || address >= end)
        return 0;
    size = end - address < size ? end - address : size;
    memcpy(out, (const void *)(uintptr_t)address, size);
    return size;
}

static int set_up(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_out maps = {0};
    static const char *const rest[PAGES] = {
        "r-xp 0 08:01 7 /app", "rw-p 0 08:01 7 /app", "rw-p 0 00:00 0", "rw-p 0 00:00 0 [heap]"};
    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    for (int i = 0; i < PAGES; i++) {
        uintptr_t start = (uintptr_t)pages[i];
        hf_out_printf(&maps, "%lx-%lx %s\n", (long)start, (long)(start + PAGE), rest[i]);
    }
    check_ok(hf_process_image_add_maps(&image, hf_out_view(&maps), &err), &err);
    image.memory = (struct hf_memory){read_own, NULL};
    hf_out_done(&maps);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hf_process_image_done(&image);
    return munmap(pages, PAGES * PAGE);
}

static uint64_t address_of(const uint64_t *word)
{
    return (uintptr_t)word;
}

/* A table, its type_info, and the name behind them; what its objects begin with. */
static uint64_t put_table(uint64_t *at, const char *name)
{
    at[0] = 0;
    at[1] = address_of(&at[4]);
    at[2] = address_of(pages[CODE]); /* the first function */
    at[4] = address_of(pages[DATA]); /* a table, of std::type_info */
    at[5] = address_of(&at[6]);
    memcpy(&at[6], name, strlen(name) + 1);
    return address_of(&at[2]);
}

static const char *class_at(struct hf_object_classes *classes, uint64_t first_word)
{
    static char name[200];
    pages[HEAP][0] = first_word;
    hf_object_classes_done(classes);
    struct hf_error err;
    check_ok(hf_object_classes_init(classes, &no_heap, &image, &err), &err);
    uint32_t class =
        hf_object_class_find(classes, &(struct hf_heap_block){address_of(pages[HEAP]), 64});
    struct hf_text text = hf_object_class_name(classes, class);
    assert_true(text.size < sizeof name);
    memcpy(name, text.data, text.size);
    name[text.size] = '\0';
    return name;
}

static void names(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"7Session", "Session"},
        {"*N12_GLOBAL__N_16HiddenE", "(anonymous namespace)::Hidden"},
        {"N2DB12ColumnVectorImEE", "DB::ColumnVector<unsigned long>"},
        {"St23_Sp_counted_ptr_inplaceI7Session"
         "SaIvELN9__gnu_cxx12_Lock_policyE2EE",
            "std::make_shared<Session>"},
        {"St23_Sp_counted_ptr_inplaceISt4pairIiiESaIvELN9__gnu_cxx12_Lock_policyE2EE",
            "std::make_shared<std::pair<int, int>>"},
        {"NSt3__120__shared_ptr_emplaceI7SessionNS_9allocatorIS1_EEEE",
            "std::make_shared<Session>"},
        /* too long for its arguments */
        {"N3app5TableISt4pairISt4pairISt4pairIiiES1_IiiEES1_IiiEES1_ISt4pairIiiES3_EEE",
            "app::Table"},
        {"not a name", ""},
        {"", ""},
    };
    struct hf_object_classes classes = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_case = rows[i][0];
        uint64_t word = put_table(&pages[DATA][16], rows[i][0]);
        assert_string_equal(class_at(&classes, word), rows[i][1]);
        /* a copy of a library's table, behind the data of the program's file */
        word = put_table(&pages[BEHIND][16], rows[i][0]);
        assert_string_equal(class_at(&classes, word), rows[i][1]);
    }
    hf_object_classes_done(&classes);
}

/* Each of what makes a table is asked for. */
static void no_tables(void **state)
{
    (void)state;
    struct hf_object_classes classes = {0};
    uint64_t *at = &pages[DATA][16], outside = 0x1000;
    uint64_t word = put_table(at, "7Session");
    assert_string_equal(class_at(&classes, word), "Session");
    assert_string_equal(class_at(&classes, word + 4), "");
    assert_string_equal(class_at(&classes, outside), "");
    assert_string_equal(class_at(&classes, address_of(pages[CODE])), "");
    assert_string_equal(class_at(&classes, put_table(&pages[HEAP][16], "7Session")), "");
    const struct {
        size_t word;
        uint64_t wrong;
    } rows[] = {
        {0, 16},                                    /* a part of an object */
        {1, address_of(pages[HEAP])},               /* its type_info is no data of a module */
        {1, outside}, {2, address_of(pages[DATA])}, /* its functions are no code */
        {2, 0}, {4, address_of(pages[CODE])},       /* what it has for a type_info has no table */
        {5, outside},                               /* no name is there */
        {5, address_of(pages[HEAP]) + PAGE},        /* likewise: it ends before */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_table(at, "7Session");
        at[rows[i].word] = rows[i].wrong;
        assert_string_equal(class_at(&classes, word), "");
    }
    memset(pages[HEAP], 'a', PAGE); /* a name that does not end */
    put_table(at, "7Session");
    at[5] = address_of(&pages[HEAP][1]);
    assert_string_equal(class_at(&classes, word), "");
    hf_object_classes_done(&classes);
}

/* The table is looked at once, also that of a word which points to none. */
static void remembered(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_object_classes classes;
    uint64_t good = put_table(&pages[DATA][16], "7Session"), bad = address_of(&pages[DATA][2]);
    check_ok(hf_object_classes_init(&classes, &no_heap, &image, &err), &err);
    pages[HEAP][0] = pages[HEAP][2] = good;
    pages[HEAP][1] = bad;
    uint32_t class =
        hf_object_class_find(&classes, &(struct hf_heap_block){address_of(&pages[HEAP][0]), 64});
    assert_true(class != HF_CLASS_NONE);
    assert_int_equal(
        hf_object_class_find(&classes, &(struct hf_heap_block){address_of(&pages[HEAP][1]), 64}),
        HF_CLASS_NONE);
    assert_int_equal(classes.by_vtable.count, 2);
    assert_int_equal(
        hf_object_class_find(&classes, &(struct hf_heap_block){address_of(&pages[HEAP][2]), 64}),
        class);
    assert_int_equal(
        hf_object_class_find(&classes, &(struct hf_heap_block){0x1000, 64}), HF_CLASS_NONE);
    assert_int_equal(classes.by_vtable.count, 2);
    hf_object_classes_done(&classes);
}

/* A type of Python, its name behind it; its type is itself, if that is 0. */
static uint64_t put_type(uint64_t *at, uint64_t type, const char *name)
{
    at[0] = 1;
    at[1] = type != 0 ? type : address_of(at);
    at[2] = 0;
    at[3] = address_of(&at[4]);
    memcpy(&at[4], name, strlen(name) + 1);
    return address_of(at);
}

/* The class of a block of Python's in the heap, which begins with these words. */
static void expect_python_of(
    const char *expected, uint64_t bytes, const uint64_t words[8], const char *allocator)
{
    struct hf_error err;
    struct hf_object_classes classes;
    struct hf_heap_region region = {.allocator = allocator};
    const struct hf_heap heap = {.regions = &region, .region_count = 1};
    memcpy(pages[HEAP], words, 8 * sizeof *words);
    check_ok(hf_object_classes_init(&classes, &heap, &image, &err), &err);
    struct hf_text name = hf_object_class_name(&classes,
        hf_object_class_find(&classes, &(struct hf_heap_block){address_of(pages[HEAP]), bytes}));
    assert_int_equal(name.size, strlen(expected));
    assert_memory_equal(name.data, expected, name.size);
    hf_object_classes_done(&classes);
}

static void expect_python(
    const char *expected, uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3, const char *allocator)
{
    expect_python_of(expected, 32, (const uint64_t[8]){w0, w1, w2, w3}, allocator);
}

static void names_of_python(void **state)
{
    (void)state;
    static const char python[] = "pymalloc";
    uint64_t type = put_type(&pages[DATA][0], 0, "type");
    uint64_t meta = put_type(&pages[DATA][16], type, "ABCMeta");
    uint64_t order = put_type(&pages[DATA][32], meta, "Order");
    uint64_t other = put_type(&pages[DATA][48], 0, "kind");
    uint64_t odd = put_type(&pages[DATA][64], type, "a\nb");
    uint64_t loop = put_type(&pages[DATA][80], address_of(&pages[DATA][96]), "loop");
    put_type(&pages[DATA][96], loop, "loop");
    expect_python("Order", 3, order, 0, 0, python);
    expect_python("type", 3, type, 0, 0, python);
    expect_python("Order", 0x7000, 0x7000, 1, order, python);
    expect_python_of("Order", 64, (const uint64_t[8]){0, 0x7000, 0x7000, 0x7000, 2, order}, python);
    expect_python_of(
        "", 32, (const uint64_t[8]){0, 0, 0, 0, 2, order}, python); /* the next block */
    expect_python_of("", 16, (const uint64_t[8]){0, 0, 2, order}, python);
    expect_python("", 3, order, 0, 0, "glibc");
    expect_python("", 0, order, 0, 0, python);
    expect_python("", UINT64_C(1) << 32, order, 0, 0, python);
    expect_python("", 3, order + 4, 0, 0, python);
    expect_python("", 3, other, 0, 0, python);
    expect_python("", 3, odd, 0, 0, python);
    expect_python("", 3, loop, 0, 0, python);
    expect_python("", 3, 8, 0, 0, python);
}

/*
 * 0 is the root. Each line is a block, what it leads to is further right:
 *
 *     A0   plain1   A2   B3
 *     B4   A5   B6
 *     plain7   plain8   A9
 *     A10, lost
 */
#define BLOCKS 11u
static const uint32_t above[BLOCKS] = {
    HF_BLOCK_NONE, 0, 1, 2, HF_BLOCK_NONE, 4, 5, HF_BLOCK_NONE, 7, 8, HF_BLOCK_NONE};
static const char kinds[] = "A.ABBAB..AA";

static void census(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_heap heap = {0};
    struct hf_class_census census;
    uint64_t tables[] = {put_table(&pages[DATA][16], "1A"), put_table(&pages[DATA][32], "1B")};
    uint8_t states[BLOCKS];
    uint32_t immediate[BLOCKS];
    uint64_t retained[BLOCKS] = {0};
    struct hf_block_graph graph = {.states = states};
    struct hf_dominators tree = {immediate, retained};
    const struct hf_class_census_of of = {&heap, &image, &graph, &tree};
    memcpy(immediate, above, sizeof above);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint64_t *block = &pages[HEAP][i * 4];
        *block = kinds[i] == '.' ? 0 : tables[kinds[i] - 'A'];
        states[i] = i == 10 ? HF_BLOCK_LOST_WITH : HF_BLOCK_HELD;
        check_ok(hf_heap_add(&heap, address_of(block), 16 + i, &err), &err);
        for (uint32_t at = i; i != 10 && at != HF_BLOCK_NONE; at = above[at])
            retained[at] += 16 + i;
    }
    check_ok(hf_class_census_make(&census, &of, &err), &err);
    assert_int_equal(census.count, 2);
    const struct hf_class_row *a = &census.rows[0], *b = &census.rows[1];
    check_text(hf_object_class_name(&census.classes, a->class), "A");
    check_text(hf_object_class_name(&census.classes, b->class), "B");
    /* A0 has A2; A5 has no A above it, but B4; A9 has two plain blocks above it. */
    assert_int_equal(a->retained_bytes, (16 + 17 + 18 + 19) + (21 + 22) + 25);
    assert_int_equal(b->retained_bytes, 19 + (20 + 21 + 22));
    assert_int_equal(a->all.count, 5);
    assert_int_equal(a->all.bytes, 16 + 18 + 21 + 25 + 26);
    assert_int_equal(b->all.count, 3);
    assert_int_equal(a->lost.count, 1);
    assert_int_equal(a->lost.bytes, 26);
    hf_class_census_keep_lost(&census);
    assert_int_equal(census.count, 1);
    check_text(hf_object_class_name(&census.classes, census.rows[0].class), "A");
    hf_class_census_done(&census);
    hf_heap_done(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(no_tables),
        cmocka_unit_test(remembered),
        cmocka_unit_test(names_of_python),
        cmocka_unit_test(census),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
