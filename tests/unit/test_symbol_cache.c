/* Entries of the symbol cache: what is written is read; damage is noticed, whatever byte it is in.
 */
#include "base/checksum.h"
#include "base/limits.h"
#include "check.h"
#include "symbol/cache/cache_entry.h"

static const struct hf_text context = {"context", 7};

/* Two files looked for: one is not there, one is. */
static void add_sightings(struct hf_sightings *sightings)
{
    struct hf_file_stamp stamp;
    assert_true(hf_file_stamp_of("/proc/self/exe", &stamp));
    hf_sightings_add(sightings, "/nowhere/file.debug", NULL);
    hf_sightings_add(sightings, "/proc/self/exe", &stamp);
}

static void add_answers(struct hf_cache_draft *draft)
{
    struct hf_dwarf_frame calls[] = {
        {.name = HF_TEXT("inner"),
            .linkage = HF_TEXT("_Z5innerv"),
            .file = HF_TEXT("/src/a.c"),
            .line = 7,
            .detail = {.column = 3, .is_near = 1}},
        {.name = HF_TEXT("outer"),
            .scope = HF_TEXT("shop::Cart"),
            .file = HF_TEXT("/src/a.c"),
            .line = 12,
            .detail = {.folder_bytes = 4}},
    };
    const struct hf_finding inlined = {{.frames = calls, .count = 2}, HF_TEXT("outer.cold"), 0, 3};
    const struct hf_finding line_only = {
        {.file = HF_TEXT("b.s"), .line = 3, .detail = {.column = 65535}}, HF_TEXT("start"), 0, 0};
    const struct hf_finding unnamed = {.start = 0x7654};
    hf_cache_draft_add(draft, 0x2000, &line_only);
    hf_cache_draft_add(draft, 0x1000, &inlined);
    hf_cache_draft_add(draft, UINT64_MAX - 1, &unnamed);
    hf_cache_draft_add(draft, 0x2000, &unnamed); /* has an answer */
}

static void make_entry(struct hf_out *out)
{
    struct hf_cache_draft draft = {0};
    struct hf_sightings sightings = {0};
    add_sightings(&sightings);
    add_answers(&draft);
    hf_cache_draft_write(&draft, context, HF_TEXT("why"), &sightings, out);
    assert_false(draft.is_broken);
    hf_cache_draft_done(&draft);
    hf_sightings_done(&sightings);
    assert_int_not_equal(out->size, 0);
}

static void put_frame(struct hf_out *out, const struct hf_dwarf_frame *frame)
{
    hf_out_text(out, frame->name);
    hf_out_char(out, '|');
    hf_out_text(out, frame->linkage);
    hf_out_char(out, '|');
    hf_out_text(out, frame->scope);
    hf_out_char(out, '|');
    hf_out_text(out, frame->file);
    hf_out_printf(out, ":%u", frame->line);
    if (frame->detail.column != 0)
        hf_out_printf(out, ":%u", frame->detail.column);
    if (frame->detail.folder_bytes != 0)
        hf_out_printf(out, " below %u", frame->detail.folder_bytes);
    hf_out_string(out, frame->detail.is_near != 0 ? " near\n" : "\n");
}

/* Everything that an entry answers, as text; false if it is no good. */
static bool read_entry(const char *data, size_t size, struct hf_out *out)
{
    static const uint64_t asked[] = {0x1000, 0x1001, 0x2000, UINT64_MAX - 1, 0x1000};
    struct hf_cache_entry entry;
    struct hf_arena arena = {0};
    char *copy = malloc(size != 0 ? size : 1); /* a sanitizer sees a read past its end */
    assert_non_null(copy);
    memcpy(copy, data, size);
    bool is_good = hf_cache_entry_open(&entry, (struct hf_text){copy, size}, context);
    if (is_good)
        hf_out_text(out, entry.why);
    for (size_t i = 0; is_good && i < HF_COUNT(asked); i++) {
        struct hf_finding f;
        hf_out_char(out, '\n');
        if (!hf_cache_entry_find(&entry, asked[i], &arena, &f)) {
            hf_out_string(out, "unknown");
            continue;
        }
        hf_out_text(out, f.symbol);
        struct hf_text readable;
        if (f.place.count != 0 &&
            hf_cache_entry_readable(&entry, f.place.frames[0].linkage, &readable))
            hf_out_text(out, readable);
        if (hf_cache_entry_readable(&entry, f.symbol, &readable) ||
            hf_cache_entry_readable(&entry, HF_TEXT("main"), &readable))
            hf_out_string(out, "not mangled, or not of the entry");
        hf_out_printf(out, "@%llx", (unsigned long long)f.start);
        if (f.twins != 0)
            hf_out_printf(out, " twins %u", f.twins);
        put_frame(out, &(struct hf_dwarf_frame){
                           .file = f.place.file, .line = f.place.line, .detail = f.place.detail});
        for (size_t k = 0; k < f.place.count; k++)
            put_frame(out, &f.place.frames[k]);
    }
    is_good = is_good && !entry.is_damaged;
    hf_cache_entry_close(&entry);
    hf_arena_done(&arena);
    free(copy);
    return is_good;
}

#define ANSWERS                                                                                    \
    "why\n"                                                                                        \
    "outer.coldinner()@0 twins 3|||:0\n"                                                           \
    "inner|_Z5innerv||/src/a.c:7:3 near\n"                                                         \
    "outer||shop::Cart|/src/a.c:12 below 4\n\n"                                                    \
    "unknown\n"                                                                                    \
    "start@0|||b.s:3:65535\n\n"                                                                    \
    "@7654|||:0\n\n"                                                                               \
    "outer.coldinner()@0 twins 3|||:0\n"                                                           \
    "inner|_Z5innerv||/src/a.c:7:3 near\n"                                                         \
    "outer||shop::Cart|/src/a.c:12 below 4\n"

static void reads_what_it_wrote(void **state)
{
    (void)state;
    struct hf_out bytes = {0}, text = {0};
    make_entry(&bytes);
    assert_true(read_entry(bytes.data, bytes.size, &text));
    check_out(&text, ANSWERS);
    hf_out_done(&text);
    hf_out_done(&bytes);
}

static void is_of_one_context(void **state)
{
    (void)state;
    struct hf_cache_entry entry;
    struct hf_out bytes = {0};
    make_entry(&bytes);
    assert_false(hf_cache_entry_open(&entry, hf_out_view(&bytes), HF_TEXT("contexT")));
    hf_cache_entry_close(&entry);
    hf_out_done(&bytes);
}

/* Every prefix, and every bit flipped: no good, never another answer. */
static void notices_all_damage(void **state)
{
    (void)state;
    struct hf_out bytes = {0}, text = {0};
    make_entry(&bytes);
    for (size_t size = 0; size < bytes.size; size++)
        assert_false(read_entry(bytes.data, size, &text));
    for (size_t bit = 0; bit < bytes.size * 8; bit++) {
        bytes.data[bit / 8] = (char)(bytes.data[bit / 8] ^ 1 << bit % 8);
        assert_false(read_entry(bytes.data, bytes.size, &text));
        bytes.data[bit / 8] = (char)(bytes.data[bit / 8] ^ 1 << bit % 8);
    }
    hf_out_char(&bytes, 0);
    assert_false(read_entry(bytes.data, bytes.size, &text));
    hf_out_done(&text);
    hf_out_done(&bytes);
}

/* The same with checksums that are right, as nobody but an attacker makes them: no crash. */
static void bounds_what_is_forged(void **state)
{
    (void)state;
    struct hf_out bytes = {0}, text = {0};
    make_entry(&bytes);
    uint32_t head_size;
    memcpy(&head_size, bytes.data + 12, sizeof head_size);
    char *body = bytes.data + head_size;
    for (size_t at = HF_CACHE_HEAD_CHECKED; at < bytes.size; at++) {
        for (unsigned value = 0; value < 256; value += 15) {
            char before = bytes.data[at];
            bytes.data[at] = (char)value;
            uint64_t sum = hf_checksum(body, bytes.size - head_size);
            memcpy(body - sizeof sum, &sum, sizeof sum);
            sum =
                hf_checksum(bytes.data + HF_CACHE_HEAD_CHECKED, head_size - HF_CACHE_HEAD_CHECKED);
            memcpy(bytes.data + HF_CACHE_HEAD_CHECKED - sizeof sum, &sum, sizeof sum);
            (void)read_entry(bytes.data, bytes.size, &text);
            text.size = 0;
            bytes.data[at] = before;
        }
    }
    hf_out_done(&text);
    hf_out_done(&bytes);
}

static void holds_while_files_are_as_they_were(void **state)
{
    (void)state;
    struct hf_cache_entry entry;
    struct hf_out bytes = {0};
    make_entry(&bytes);
    assert_true(hf_cache_entry_open(&entry, hf_out_view(&bytes), context));
    struct hf_sightings sightings = {0};
    assert_true(hf_cache_entry_holds(&entry, &sightings));
    assert_int_equal(sightings.count, 2);
    hf_sightings_done(&sightings);
    hf_cache_entry_close(&entry);
    hf_out_done(&bytes);
    struct hf_file_stamp stamp;
    assert_true(hf_file_stamp_of("/proc/self/exe", &stamp));
    assert_false(hf_sighting_holds("/proc/self/exe", &stamp, false));
    assert_false(hf_sighting_holds("/nowhere/file.debug", &stamp, true));
    stamp.modified_ns++;
    assert_false(hf_sighting_holds("/proc/self/exe", &stamp, true));
}

/* A draft stops growing at HF_LIMIT_CACHE_ENTRY_BYTES, and what it has is good. */
static void stops_at_its_limit(void **state)
{
    (void)state;
    enum { NAME_BYTES = 1 << 20 };
    char *name = calloc(1, NAME_BYTES);
    assert_non_null(name);
    struct hf_cache_draft draft = {0};
    struct hf_finding named = {.start = 1};
    for (uint64_t i = 0; i < 2 * HF_LIMIT_CACHE_ENTRY_BYTES / NAME_BYTES; i++) {
        memcpy(name, &i, sizeof i);
        named.symbol = (struct hf_text){name, NAME_BYTES};
        hf_cache_draft_add(&draft, i, &named);
    }
    assert_false(draft.is_broken);
    assert_true(draft.answer_count >= HF_LIMIT_CACHE_ENTRY_BYTES / NAME_BYTES / 2);
    assert_true(draft.strings.arena.total_bytes <= HF_LIMIT_CACHE_ENTRY_BYTES + 2 * NAME_BYTES);
    hf_cache_draft_done(&draft);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(is_of_one_context),
        cmocka_unit_test(notices_all_damage),
        cmocka_unit_test(bounds_what_is_forged),
        cmocka_unit_test(holds_while_files_are_as_they_were),
        cmocka_unit_test(stops_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
