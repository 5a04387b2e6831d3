/* profile.proto: what is read of it, what is said of the rest; what is written is read the same. */
#include "base/limits.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/protobuf.h"
#include "formats/writers.h"
#include "profile/allocator.h"
#include "reading.h"

#include <inttypes.h>
#include <sys/mman.h>

/* A message that is built field by field; strings go into its table at the end. */
struct message {
    struct hf_out body, part, line;
    struct hf_intern strings;
};

static uint64_t string(struct message *m, const char *text)
{
    uint32_t id;
    assert_true(hf_intern_put(&m->strings, text, strlen(text), &id));
    return id;
}

static struct message begin(void)
{
    struct message m = {0};
    assert_int_equal(string(&m, ""), 0);
    return m;
}

static void put_part(struct message *m, unsigned field)
{
    hf_protobuf_put_bytes(&m->body, field, hf_out_view(&m->part));
    m->part.size = 0;
}

static void value_type(struct message *m, unsigned field, const char *type, const char *unit)
{
    hf_protobuf_put_u64(&m->part, HF_PPROF_TYPE_TYPE, string(m, type));
    hf_protobuf_put_u64(&m->part, HF_PPROF_TYPE_UNIT, string(m, unit));
    put_part(m, field);
}

static void mapping(struct message *m, uint64_t id, uint64_t start, uint64_t limit, uint64_t offset,
    const char *file, const char *build_id)
{
    hf_protobuf_put_u64(&m->part, HF_PPROF_MAPPING_ID, id);
    hf_protobuf_put_u64(&m->part, HF_PPROF_MAPPING_START, start);
    hf_protobuf_put_u64(&m->part, HF_PPROF_MAPPING_LIMIT, limit);
    hf_protobuf_put_u64(&m->part, HF_PPROF_MAPPING_OFFSET, offset);
    hf_protobuf_put_u64(&m->part, HF_PPROF_MAPPING_FILENAME, string(m, file));
    hf_protobuf_put_u64(&m->part, HF_PPROF_MAPPING_BUILD_ID, string(m, build_id));
    put_part(m, HF_PPROF_MAPPING);
}

static void function(struct message *m, uint64_t id, const char *name, const char *file)
{
    hf_protobuf_put_u64(&m->part, HF_PPROF_FUNCTION_ID, id);
    hf_protobuf_put_u64(&m->part, HF_PPROF_FUNCTION_NAME, string(m, name));
    hf_protobuf_put_u64(&m->part, HF_PPROF_FUNCTION_FILENAME, string(m, file));
    put_part(m, HF_PPROF_FUNCTION);
}

struct line {
    uint64_t function, line;
};

/* Lines end with one without function. */
static void location(
    struct message *m, uint64_t id, uint64_t mapping_id, uint64_t address, const struct line *lines)
{
    hf_protobuf_put_u64(&m->part, HF_PPROF_LOCATION_ID, id);
    hf_protobuf_put_u64(&m->part, HF_PPROF_LOCATION_MAPPING_ID, mapping_id);
    hf_protobuf_put_u64(&m->part, HF_PPROF_LOCATION_ADDRESS, address);
    for (; lines->function != 0; lines++) {
        hf_protobuf_put_u64(&m->line, HF_PPROF_LINE_FUNCTION_ID, lines->function);
        hf_protobuf_put_u64(&m->line, HF_PPROF_LINE_LINE, lines->line);
        hf_protobuf_put_bytes(&m->part, HF_PPROF_LOCATION_LINE, hf_out_view(&m->line));
        m->line.size = 0;
    }
    put_part(m, HF_PPROF_LOCATION);
}

struct label {
    const char *key, *text;
    uint64_t number;
};

/* Location ids end with 0, labels with one without key. */
static void sample(struct message *m, const uint64_t *ids, const int64_t *values, size_t count,
    const struct label *labels)
{
    for (; *ids != 0; ids++)
        hf_protobuf_put_u64(&m->part, HF_PPROF_SAMPLE_LOCATION_ID, *ids); /* one field each */
    for (size_t i = 0; i < count; i++)
        hf_protobuf_put_varint(&m->line, (uint64_t)values[i]); /* packed */
    hf_protobuf_put_bytes(&m->part, HF_PPROF_SAMPLE_VALUE, hf_out_view(&m->line));
    m->line.size = 0;
    for (; labels != NULL && labels->key != NULL; labels++) {
        hf_protobuf_put_u64(&m->line, HF_PPROF_LABEL_KEY, string(m, labels->key));
        hf_protobuf_put_u64(&m->line, HF_PPROF_LABEL_STR, string(m, labels->text));
        hf_protobuf_put_u64(&m->line, HF_PPROF_LABEL_NUM, labels->number);
        hf_protobuf_put_bytes(&m->part, HF_PPROF_SAMPLE_LABEL, hf_out_view(&m->line));
        m->line.size = 0;
    }
    put_part(m, HF_PPROF_SAMPLE);
}

static void number(struct message *m, unsigned field, uint64_t value)
{
    hf_protobuf_put_u64(&m->body, field, value);
}

static void end(struct message *m)
{
    for (uint32_t i = 0; i < m->strings.count; i++)
        hf_protobuf_put_bytes(&m->body, HF_PPROF_STRING_TABLE, hf_intern_at(&m->strings, i));
}

static void message_done(struct message *m)
{
    hf_out_done(&m->body);
    hf_out_done(&m->part);
    hf_out_done(&m->line);
    hf_intern_done(&m->strings);
}

static struct hf_profile *read_message(struct message *m)
{
    struct hf_error err;
    struct hf_profile *profile = NULL;
    end(m);
    check_ok(read_bytes(hf_out_view(&m->body), &profile, &err), &err);
    message_done(m);
    return profile;
}

static void put_frame(const struct hf_profile *p, uint32_t id, struct hf_out *out)
{
    const struct hf_frame *frame = hf_profile_frame_at(p, id);
    if ((frame->flags & HF_FRAME_NAMED) == 0) {
        hf_out_text(out, hf_text_basename(hf_profile_text(p, p->modules[frame->module].path)));
        hf_out_printf(out, "+%" PRIx64, frame->offset);
        return;
    }
    hf_out_string(out, (frame->flags & HF_FRAME_INLINED) != 0 ? "^" : "");
    hf_out_text(out, hf_profile_text(p, frame->name));
    if (frame->file != HF_NO_STRING) {
        hf_out_char(out, '@');
        hf_out_text(out, hf_profile_text(p, frame->file));
        hf_out_printf(out, ":%u", frame->line);
    }
}

static void put_stack(const struct hf_profile *p, uint32_t node, struct hf_out *out)
{
    for (; node != HF_STACK_ROOT; node = p->stacks.nodes[node].parent) {
        uint32_t frame = p->stacks.nodes[node].frame;
        size_t count;
        const uint32_t *named = hf_profile_expansion(p, &frame, &count);
        if (hf_profile_is_expanded(p, frame)) {
            put_frame(p, frame, out);
            hf_out_char(out, '=');
        }
        for (size_t i = 0; i < count; i++) {
            hf_out_string(out, i != 0 ? "," : "");
            put_frame(p, named[i], out);
        }
        hf_out_char(out, ' ');
    }
}

/* "[tN name ]frame frame value value": addresses with the names that came with them, leaf first. */
static void put_profile(const struct hf_profile *p, struct hf_out *out)
{
    for (size_t i = 0; i < p->type_count; i++)
        hf_out_printf(out, "%s%s/%s%s", i != 0 ? " " : "",
            hf_profile_text(p, p->types[i].name).data, hf_profile_text(p, p->types[i].unit).data,
            i == p->default_type ? "*" : "");
    hf_out_printf(out, " period %" PRIu64 "\n", p->capture.period_bytes);
    for (size_t i = 0; i < p->sample_count; i++) {
        uint32_t thread = p->samples[i].thread;
        if (thread != HF_THREAD_ALL)
            hf_out_printf(out, "t%" PRIu64 "(%s) ", p->threads[thread].uid,
                hf_profile_text(p, p->threads[thread].name).data);
        put_stack(p, p->samples[i].node, out);
        for (size_t t = 0; t < p->type_count; t++)
            hf_out_printf(out, "%s%" PRId64, t != 0 ? " " : "",
                (int64_t)(hf_profile_value(p, i, t) - hf_profile_released(p, i, t)));
        hf_out_char(out, '\n');
    }
}

static void check_profile(const struct hf_profile *profile, const char *expected)
{
    struct hf_out out = {0};
    put_profile(profile, &out);
    check_out(&out, expected);
    hf_out_done(&out);
}

#define IDS(...) ((const uint64_t[]){__VA_ARGS__, 0})
#define LINES(...) ((const struct line[]){__VA_ARGS__ __VA_OPT__(, ){0}})
#define VALUES(...) (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / 8

static const struct line no_lines[] = {{0}};

/* A heap profile as Go writes it: its four types, names with the addresses, a block size. */
static struct message golden(void)
{
    struct message m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "alloc_objects", "count");
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "alloc_space", "bytes");
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_objects", "count");
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
    sample(&m, IDS(1, 2, 3), VALUES(7, 700, 1, 30),
        (const struct label[]){{"thread_id", "", 3}, {"thread", "worker", 0}, {0}});
    sample(&m, IDS(1, 2, 3), VALUES(1, 100, 1, 100), NULL);
    sample(&m, IDS(4, 3), VALUES(2, 20, 2, 20), NULL);
    mapping(&m, 1, 0x400000, 0x402000, 0x1000, "/opt/my app/server (deleted)", "00ff");
    mapping(&m, 2, 0x7f0000000000, 0x7f0000002000, 0x26000, "/usr/lib/libc.so.6", "");
    location(&m, 1, 1, 0x400010, LINES({1, 41}, {2, 12}));
    location(&m, 2, 1, 0x400020, LINES({3, 0}));
    location(&m, 3, 2, 0x7f0000001000, no_lines);
    location(&m, 4, 1, 0x400010, LINES({3, 77}));
    function(&m, 1, "inner", "leak.c");
    function(&m, 2, "leak", "leak.c");
    function(&m, 3, "main", "");
    value_type(&m, HF_PPROF_PERIOD_TYPE, "space", "bytes");
    number(&m, HF_PPROF_PERIOD, 524288);
    return m;
}

static const char golden_text[] =
    "inuse_objects/objects inuse_space/bytes* alloc_objects/objects alloc_space/bytes "
    "period 524288\n"
    "server+1010=^inner@leak.c:41,leak@leak.c:12 server+1020=main libc.so.6+27000 2 130 8 800\n"
    "t3(worker) server+1010=^inner@leak.c:41,leak@leak.c:12 server+1020=main libc.so.6+27000 "
    "1 30 7 700\n"
    "server+1010=main libc.so.6+27000 2 20 2 20\n";

static void reads_heaps(void **state)
{
    (void)state;
    struct message m = golden();
    struct hf_profile *p = read_message(&m);
    check_profile(p, golden_text);
    check_notes(p, "");
    assert_true(p->has_addresses);
    assert_true(p->modules[1].is_deleted);
    check_text(hf_profile_text(p, p->modules[1].path), "/opt/my app/server");
    struct hf_text build_id = hf_profile_text(p, p->modules[1].build_id);
    assert_true(hf_text_equal(build_id, HF_TEXT("\x00\xff")));
    assert_int_equal(p->modules[1].segments[0].file_offset, 0x1000);
    hf_profile_free(p);
}

/* The types of other tools; a location without address, without lines, without both. */
static void reads_other_tools(void **state)
{
    (void)state;
    check_case = "cpu";
    struct message m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "samples", "count");
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "cpu", "nanoseconds");
    sample(&m, IDS(1, 2, 3), VALUES(1, 10000000),
        (const struct label[]){{"span", "x", 0}, {"bytes", "", 64}, {0}});
    sample(&m, IDS(3), VALUES(0, 5), (const struct label[]){{"thread name", "main", 0}, {0}});
    sample(&m, (const uint64_t[]){0}, VALUES(2, 7), NULL);
    mapping(&m, 9, 0, 0, 0, "/srv/app", "go.buildid/not-hex");
    location(&m, 1, 0, 0, LINES({1, 3}, {2, 4}));
    location(&m, 2, 9, 0, no_lines);
    location(&m, 3, 0, 0xabc, no_lines);
    function(&m, 1, "inner", "a.rs");
    function(&m, 2, "outer", "a.rs");
    value_type(&m, HF_PPROF_PERIOD_TYPE, "cpu", "nanoseconds");
    number(&m, HF_PPROF_PERIOD, 10000000);
    struct hf_profile *p = read_message(&m);
    check_profile(p, "samples/count cpu/nanoseconds* period 0\n"
                     "^inner@a.rs:3 outer@a.rs:4 [app] +abc 1 10000000\n"
                     "+abc 0 5\n"
                     "t1(main) +abc 0 5\n"
                     "2 7\n");
    check_notes(p, "in: samples that differ in these labels are added up: span, bytes\n");
    hf_profile_free(p);

    check_case = "objects and space";
    m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "objects", "count");
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "space", "bytes");
    sample(&m, IDS(1), VALUES(3, 48), NULL);
    location(&m, 1, 0, 0x10, no_lines);
    p = read_message(&m);
    check_profile(p, "inuse_objects/objects inuse_space/bytes* period 0\n+10 3 48\n");
    hf_profile_free(p);
}

static void reads_differences(void **state)
{
    (void)state;
    struct message m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "mine", "bytes");
    sample(&m, IDS(1), VALUES(5, 0), NULL);
    sample(&m, IDS(1), VALUES(-7, INT64_MIN), NULL);
    location(&m, 1, 0, 0x10, no_lines);
    number(&m, HF_PPROF_DEFAULT_SAMPLE_TYPE, string(&m, "mine"));
    struct hf_profile *p = read_message(&m);
    assert_true(p->is_difference);
    assert_int_equal(hf_profile_value(p, 0, 0), 5);
    assert_int_equal(hf_profile_released(p, 0, 0), 7);
    assert_true(hf_profile_released(p, 0, 1) == UINT64_C(1) << 63);
    assert_int_equal(p->default_type, 1);
    hf_profile_free(p);
}

static void drops_frames(void **state)
{
    (void)state;
    struct message m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
    sample(&m, IDS(1, 2, 4), VALUES(1), NULL);
    sample(&m, IDS(1, 3, 4), VALUES(10), NULL);
    sample(&m, IDS(1, 5, 4), VALUES(100), NULL);
    sample(&m, IDS(1, 2), VALUES(1000), NULL);
    location(&m, 1, 0, 1, LINES({1, 0}));
    location(&m, 2, 0, 2, LINES({2, 0}));
    location(&m, 3, 0, 3, LINES({2, 0}, {4, 0})); /* malloc inlined into work */
    location(&m, 4, 0, 4, LINES({4, 0}));
    location(&m, 5, 0, 5, LINES({3, 0}));
    function(&m, 1, "leaf", "");
    function(&m, 2, "malloc(unsigned long)", "");
    function(&m, 3, "malloc_stats", "");
    function(&m, 4, "work", "");
    number(&m, HF_PPROF_DROP_FRAMES, string(&m, "malloc|malloc_.*"));
    number(&m, HF_PPROF_KEEP_FRAMES, string(&m, ".*_stats"));
    struct hf_profile *p = read_message(&m);
    check_profile(p, "inuse_space/bytes* period 0\n"
                     "+4=work 1\n"
                     "+3=work +4=work 10\n"
                     "+1=leaf +5=malloc_stats +4=work 100\n"
                     "+1=leaf +2=malloc(unsigned long) 1000\n");
    check_notes(p, "");
    hf_profile_free(p);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    struct message m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "a", "count");
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "a", "count");
    _Static_assert(HF_VALUE_TYPES_MAX == 12, "bl is one too many");
    for (int i = 0; i < HF_VALUE_TYPES_MAX; i++)
        value_type(&m, HF_PPROF_SAMPLE_TYPE, (const char[]){'b', (char)('a' + i), '\0'}, "count");
    sample(&m, IDS(1, 77), VALUES(1, 2, 3), (const struct label[]){{"tid", "x", 0}, {0}});
    location(&m, 1, 5, 0x10, LINES({9, 0}));
    location(&m, 1, 0, 0x20, no_lines);
    number(&m, HF_PPROF_DROP_FRAMES, string(&m, "("));
    struct hf_profile *p = read_message(&m);
    assert_int_equal(p->type_count, HF_VALUE_TYPES_MAX);
    check_notes(p,
        "LOSS in: values that occur twice, or beyond 12 kinds (HF_VALUE_TYPES_MAX), are left out: "
        "a, "
        "bl\n"
        "in: drop_frames is not used: regular expression '^(?:()$', column 8: missing closing "
        "parenthesis\n"
        "LOSS in: 1 frame is missing: its location is not in the file\n"
        "LOSS in: 1 sample does not have the 14 values that sample_type announces\n"
        "LOSS in: 3 records are damaged or refer to something that is not in the file\n"
        "in: samples that differ in these labels are added up: tid\n");
    hf_profile_free(p);
}

/* What of its choices a file is told: each label alone, six and seven of them; shared code. */
static void tells_what_it_chose(void **state)
{
    static const struct {
        const char *name;
        struct label first[9], second[2];
        uint64_t is_folded;
        const char *notes;
    } rows[] = {
        {"no label", {{0}}, {{0}}, 0, ""},
        {"six labels",
            {{"a", "x", 0}, {"b", "x", 0}, {"c", "x", 0}, {"d", "x", 0}, {"e", "x", 0},
                {"f", "x", 0}},
            {{"a", "y", 0}}, 0,
            "in: samples that differ in these labels are added up: a, b, c, d, e, f\n"},
        {"seven labels",
            {{"a", "x", 0}, {"b", "x", 0}, {"c", "x", 0}, {"d", "x", 0}, {"e", "x", 0},
                {"f", "x", 0}, {"g", "x", 0}},
            {{0}}, 0,
            "in: samples that differ in these labels are added up: a, b, c, d, e, f and others\n"},
        {"shared code", {{0}}, {{0}}, 1,
            "in: 1 address belongs to code that several functions share (is_folded); each shows "
            "one of the functions\n"},
        {"a number that a name has already", {{"thread", "worker", 0}}, {{"tid", "", 1}}, 0,
            "in: some threads have numbers and some only names; threads with the same number are "
            "shown together\n"},
        {"a name whose number is there already", {{"tid", "", 1}}, {{"thread name", "worker", 0}},
            0,
            "in: some threads have numbers and some only names; threads with the same number are "
            "shown together\n"},
        {"numbers apart", {{"thread", "worker", 0}}, {{"thread id", "2", 0}}, 0, ""},
        {"the same name twice", {{"thread", "worker", 0}}, {{"thread_name", "worker", 0}}, 0, ""},
        {"the same number twice", {{"thread_id", "7", 0}}, {{"tid", "", 7}}, 0, ""},
        {"a name that is no number", {{"tid", "x", 0}}, {{0}}, 0,
            "in: samples that differ in these labels are added up: tid\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct message m = begin();
        check_case = rows[i].name;
        value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
        sample(&m, IDS(1), VALUES(1), rows[i].first);
        sample(&m, IDS(1), VALUES(2), rows[i].second);
        hf_protobuf_put_u64(&m.part, HF_PPROF_LOCATION_ID, 1);
        hf_protobuf_put_u64(&m.part, HF_PPROF_LOCATION_ADDRESS, 0x10);
        hf_protobuf_put_u64(&m.part, HF_PPROF_LOCATION_IS_FOLDED, rows[i].is_folded);
        put_part(&m, HF_PPROF_LOCATION);
        struct hf_profile *p = read_message(&m);
        assert_int_equal(hf_profile_total(p, 0, HF_THREAD_ALL).value, 3);
        check_notes(p, rows[i].notes);
        hf_profile_free(p);
    }
}

/* A mapping, a function and a location whose number is missing are not those with number 1. */
static void records_have_numbers(void **state)
{
    (void)state;
    struct hf_out out = {0};
    for (uint64_t without = 0; without < 4; without++) {
        struct message m = begin();
        value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
        sample(&m, IDS(1), VALUES(5), NULL);
        mapping(&m, without != 1, 0x400000, 0x402000, 0x1000, "/bin/a", "");
        function(&m, without != 2, "f", "a.c");
        location(&m, without != 3, 1, 0x400010, LINES({1, 7}));
        struct hf_profile *p = read_message(&m);
        put_profile(p, &out);
        for (size_t i = 0; i < p->notes.count; i++)
            hf_out_printf(&out, "%s\n", p->notes.items[i].text);
        hf_profile_free(p);
    }
    check_case = "none, the mapping's, the function's, the location's";
    check_out(&out, "inuse_space/bytes* period 0\n"
                    "a+1010=f@a.c:7 5\n"
                    "inuse_space/bytes* period 0\n"
                    "+400010=f@a.c:7 5\n"
                    "in: 1 record is damaged or refers to something that is not in the file\n"
                    "inuse_space/bytes* period 0\n"
                    "a+1010 5\n"
                    "in: 1 record is damaged or refers to something that is not in the file\n"
                    "inuse_space/bytes* period 0\n"
                    "5\n"
                    "in: 1 frame is missing: its location is not in the file\n");
    hf_out_done(&out);
}

/* A pattern that takes too long is given up, and each of the two says so. */
static void gives_patterns_up(void **state)
{
    static const struct {
        const char *drop, *keep, *note;
    } rows[] = {{"(a|aa)+", NULL,
                    "drop_frames: gave up matching 1 name: that takes too many steps "
                    "(HF_LIMIT_REGEX_MATCH) or too much memory (HF_LIMIT_REGEX_HEAP_KIB); no match "
                    "is assumed\n"},
        {"a.*", "(a|aa)+",
            "keep_frames: gave up matching 1 name: that takes too many steps "
            "(HF_LIMIT_REGEX_MATCH) or too much memory (HF_LIMIT_REGEX_HEAP_KIB); no match is "
            "assumed\n"}};
    (void)state;
    char name[3001];
    memset(name, 'a', sizeof name - 1);
    memcpy(name + sizeof name - 2, "b", 2);
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct message m = begin();
        value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
        sample(&m, IDS(1, 2), VALUES(1), NULL);
        location(&m, 1, 0, 0x10, LINES({1, 0}));
        location(&m, 2, 0, 0x20, LINES({2, 0}));
        function(&m, 1, name, "");
        function(&m, 2, "main", "");
        number(&m, HF_PPROF_DROP_FRAMES, string(&m, rows[i].drop));
        if (rows[i].keep != NULL)
            number(&m, HF_PPROF_KEEP_FRAMES, string(&m, rows[i].keep));
        struct hf_profile *p = read_message(&m);
        check_case = rows[i].note;
        check_notes(p, rows[i].note);
        hf_profile_free(p);
    }
}

static void refuses(void **state)
{
    (void)state;
    struct message m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
    check_refused(hf_out_view(&m.body), HF_ERR_INPUT,
        "in: does not define its values: a sample_type has no name in the string table");
    message_done(&m);
}

/* Every prefix is refused or has a loss. */
static void cuts(void **state)
{
    (void)state;
    struct message m = golden();
    end(&m);
    struct hf_text whole = hf_out_view(&m.body);
    size_t complete = 0;
    for (size_t size = 0; size <= whole.size; size++) {
        struct hf_profile *p = read_damaged(hf_text_first(whole, size));
        if (p == NULL)
            continue;
        if (!p->notes.has_loss) {
            check_profile(p, golden_text);
            complete++;
        }
        hf_profile_free(p);
    }
    assert_int_equal(complete, 1);
    message_done(&m);
}

static void reads_damaged_files(void **state)
{
    (void)state;
    struct message m = golden();
    end(&m);
    read_each_flip(hf_out_view(&m.body), NULL, NULL);
    message_done(&m);
}

static void write_profile(
    const struct hf_writer *writer, struct hf_profile *p, size_t type, struct hf_out *out)
{
    struct hf_error err;
    check_ok(writer->write(p, type, &p->notes, out, &err), &err);
    check_ok(hf_out_finish(out, &err), &err);
}

static void writes_what_it_reads(void **state)
{
    static const struct hf_writer *const writers[] = {&hf_writer_pb, &hf_writer_pprof};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(writers); i++) {
        struct hf_error err;
        struct hf_out first = {0}, second = {0};
        struct message m = golden();
        struct hf_profile *p = read_message(&m), *again = NULL;
        check_case = writers[i]->name;
        write_profile(writers[i], p, HF_INUSE_SPACE, &first);
        check_ok(read_bytes(hf_out_view(&first), &again, &err), &err);
        struct hf_out text = {0};
        put_profile(again, &text);
        check_out(&text, "inuse_objects/objects inuse_space/bytes* alloc_objects/objects "
                         "alloc_space/bytes period 524288\n"
                         "server+1010=^inner@leak.c:41,leak@leak.c:12 server+1020=main "
                         "libc.so.6+27000 2 130 8 800\n"
                         "t3(worker) server+1010=^inner@leak.c:41,leak@leak.c:12 server+1020=main "
                         "libc.so.6+27000 1 30 7 700\n"
                         "server+1010=main libc.so.6+27000 2 20 2 20\n");
        check_text(hf_profile_text(again, again->modules[1].path), "/opt/my app/server");
        write_profile(writers[i], again, HF_INUSE_SPACE, &second);
        assert_true(hf_text_equal(hf_out_view(&first), hf_out_view(&second)));
        hf_out_done(&text);
        hf_out_done(&first);
        hf_out_done(&second);
        hf_profile_free(p);
        hf_profile_free(again);
    }
}

/* Threads whose estimates pass the process's, values that pass 2^63, a stack without frames. */
static void writes_within_bounds(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *p, *again = NULL;
    struct hf_out out = {0};
    uint32_t threads[2];
    check_ok(hf_profile_new(&p, &err), &err);
    check_ok(hf_profile_add_type(p, "inuse_space", "bytes", &err), &err);
    check_ok(hf_profile_thread(p, 0, HF_TEXT("main"), &threads[0], &err), &err);
    check_ok(hf_profile_thread(p, 1, HF_TEXT(""), &threads[1], &err), &err);
    const uint64_t values[] = {10, 7, 4};
    check_ok(hf_profile_add_sample(p, HF_STACK_ROOT, HF_THREAD_ALL, &values[0], &err), &err);
    check_ok(hf_profile_add_sample(p, HF_STACK_ROOT, threads[0], &values[1], &err), &err);
    check_ok(hf_profile_add_sample(p, HF_STACK_ROOT, threads[1], &values[2], &err), &err);
    write_profile(&hf_writer_pb, p, 0, &out);
    check_notes(p, "for 1 stack, the estimates of the threads exceed that of the process; some are "
                   "written smaller\n");
    check_ok(read_bytes(hf_out_view(&out), &again, &err), &err);
    check_profile(again, "inuse_space/bytes* period 0\n"
                         "[no stack] 10\n"
                         "t0(main) [no stack] 7\n"
                         "t1() [no stack] 3\n");
    hf_profile_free(again);
    hf_out_done(&out);

    const uint64_t huge = UINT64_MAX;
    check_ok(hf_profile_add_sample(p, HF_STACK_ROOT, HF_THREAD_ALL, &huge, &err), &err);
    write_profile(&hf_writer_pb, p, 0, &out);
    assert_true(p->notes.has_loss);
    hf_out_done(&out);
    hf_profile_free(p);
}

/* Reads without a message's own bytes in memory twice: the limits are of what is large. */
static enum hf_status read_in_place(
    struct hf_text bytes, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_input input;
    check_ok(hf_profile_new(out_profile, err), err);
    hf_input_open_memory(&input, bytes, "in");
    return hf_format_pprof.read(&input, *out_profile, err);
}

static void limits_the_whole(void **state)
{
    struct hf_error err;
    struct hf_profile *p;
    (void)state;
    check_case = "HF_LIMIT_PPROF_BYTES";
    size_t size = (size_t)HF_LIMIT_PPROF_BYTES + 1;
    void *zeros = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(zeros != MAP_FAILED);
    assert_int_equal(read_in_place((struct hf_text){zeros, size}, &p, &err), HF_ERR_LIMIT);
    check_error(&err, "has more than 1073741824 bytes after decompression (HF_LIMIT_PPROF_BYTES)");
    hf_profile_free(p);
    munmap(zeros, size);

    check_case = "HF_LIMIT_PPROF_RECORDS";
    size = 2 * ((size_t)HF_LIMIT_PPROF_RECORDS + 1);
    char *strings = calloc(1, size); /* empty strings: a tag and a size of 0 */
    assert_non_null(strings);
    for (size_t i = 0; i < size; i += 2)
        strings[i] = HF_PPROF_STRING_TABLE << 3 | HF_PROTOBUF_BYTES;
    assert_int_equal(read_in_place((struct hf_text){strings, size}, &p, &err), HF_ERR_LIMIT);
    check_error(&err, "more than 16777216 strings, functions, locations or mappings "
                      "(HF_LIMIT_PPROF_RECORDS)");
    hf_profile_free(p);
    free(strings);
}

static void limits_its_parts(void **state)
{
    (void)state;
    check_case = "HF_LIMIT_STACK_FRAMES, HF_LIMIT_INLINE_DEPTH";
    struct message m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
    for (unsigned i = 0; i < HF_LIMIT_STACK_FRAMES + 1; i++)
        hf_protobuf_put_varint(&m.line, 1);
    hf_protobuf_put_bytes(&m.part, HF_PPROF_SAMPLE_LOCATION_ID, hf_out_view(&m.line));
    m.line.size = 0;
    hf_protobuf_put_u64(&m.part, HF_PPROF_SAMPLE_VALUE, 7);
    put_part(&m, HF_PPROF_SAMPLE);
    struct line *lines = calloc(HF_LIMIT_INLINE_DEPTH + 2, sizeof *lines);
    assert_non_null(lines);
    for (unsigned i = 0; i < HF_LIMIT_INLINE_DEPTH + 1; i++)
        lines[i] = (struct line){1, i + 1};
    location(&m, 1, 0, 0x10, lines);
    free(lines);
    function(&m, 1, "again", "");
    struct hf_profile *p = read_message(&m);
    check_notes(p, "LOSS in: 1 stack has more than 200000 frames (HF_LIMIT_STACK_FRAMES); its "
                   "leaf is cut\n"
                   "LOSS in: 1 location has more than 512 lines (HF_LIMIT_INLINE_DEPTH); the "
                   "outer ones are cut\n");
    assert_int_equal(hf_stacktree_depth(&p->stacks, p->samples[0].node), HF_LIMIT_STACK_FRAMES);
    hf_profile_free(p);

    check_case = "HF_LIMIT_PPROF_PATTERN";
    m = begin();
    char *pattern = calloc(1, HF_LIMIT_PPROF_PATTERN + 2);
    assert_non_null(pattern);
    memset(pattern, 'x', HF_LIMIT_PPROF_PATTERN + 1);
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
    number(&m, HF_PPROF_DROP_FRAMES, string(&m, pattern));
    free(pattern);
    p = read_message(&m);
    check_notes(p, "in: drop_frames has 16385 bytes (HF_LIMIT_PPROF_PATTERN) and is not used\n");
    hf_profile_free(p);

    check_case = "HF_LIMIT_PPROF_DROP_NAMES";
    m = begin();
    value_type(&m, HF_PPROF_SAMPLE_TYPE, "inuse_space", "bytes");
    for (uint64_t id = 1; id <= HF_LIMIT_PPROF_DROP_NAMES + 1; id++) {
        function(&m, id, "malloc", "");
        location(&m, id, 0, id, LINES({id, 0}));
        sample(&m, IDS(id), VALUES(1), NULL);
    }
    number(&m, HF_PPROF_DROP_FRAMES, string(&m, "malloc"));
    p = read_message(&m);
    check_notes(p, "in: drop_frames was tried on the first 65536 functions only "
                   "(HF_LIMIT_PPROF_DROP_NAMES)\n");
    hf_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_heaps),
        cmocka_unit_test(reads_other_tools),
        cmocka_unit_test(reads_differences),
        cmocka_unit_test(drops_frames),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(tells_what_it_chose),
        cmocka_unit_test(records_have_numbers),
        cmocka_unit_test(gives_patterns_up),
        cmocka_unit_test(refuses),
        cmocka_unit_test(cuts),
        cmocka_unit_test(reads_damaged_files),
        cmocka_unit_test(limits_the_whole),
        cmocka_unit_test(limits_its_parts),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(writes_within_bounds),
    };
    return cmocka_run_group_tests_name("pprof", tests, NULL, NULL);
}
