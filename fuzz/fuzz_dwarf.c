/*
 * DWARF as a whole: addresses to functions, inlined calls, files and lines.
 *
 * Input: first address (u64) and distance (u16) of a sweep of addresses, number of threads (u8, and
 * its bit 7: with a supplementary file, bit 6: with a .dwo file); the sizes of nine sections (u16
 * each) in the order of struct hf_dwarf_sections; the sections; the same of .debug_info,
 * .debug_abbrev and .debug_str of the supplementary file; and of these and .debug_str_offsets and
 * .debug_rnglists of the .dwo file.
 *
 * The mutator changes one part and puts its size right: else all parts behind it would be others.
 */
#include "dwarf/data_types.h"
#include "dwarf/helpers.h"
#include "dwarf/lookup/resolver.h"
#include "dwarf/split.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

#define ADDRESSES 256
#define TYPES 64
#define TYPE_BYTES 256
#define HEAD_BYTES 11
#define GROWTH 32 /* bytes that a part may get at a time */

/* Where the size of part `number` stands, and the part; false if it is not there. */
static bool find_part(
    const uint8_t *data, size_t size, unsigned int number, size_t *out_size_at, size_t *out_at)
{
    static const unsigned int groups[] = {9, 3, 5};
    size_t at = HEAD_BYTES;
    for (size_t group = 0; group < HF_COUNT(groups); group++) {
        size_t sizes = at;
        at += groups[group] * sizeof(uint16_t);
        if (at > size)
            return false;
        for (unsigned int i = 0; i < groups[group]; i++, number--) {
            uint16_t part;
            memcpy(&part, data + sizes + i * sizeof part, sizeof part);
            if (part > size - at)
                return false;
            *out_size_at = sizes + i * sizeof part;
            *out_at = at;
            if (number == 0)
                return true;
            at += part;
        }
    }
    return false;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    /* .debug_info, .debug_abbrev and .debug_line more often than others. */
    static const uint8_t numbers[] = {
        0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16};
    size_t size_at, at;
    uint16_t part;
    if (seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, most);
    if (!find_part(data, size, numbers[seed / 16 % HF_COUNT(numbers)], &size_at, &at)) {
        fuzz_mutate_part(data, size, 0, HEAD_BYTES);
        return size;
    }
    memcpy(&part, data + size_at, sizeof part);
    size_t room = most - size < GROWTH ? most - size : GROWTH, tail = size - at - part;
    if (part + room == 0 || part + room > UINT16_MAX)
        return size;
    uint8_t *rest = malloc(tail + 1);
    if (rest == NULL)
        abort();
    memcpy(rest, data + at + part, tail);
    part = (uint16_t)LLVMFuzzerMutate(data + at, part, part + room);
    memcpy(data + size_at, &part, sizeof part);
    memcpy(data + at + part, rest, tail);
    free(rest);
    return at + part + tail;
}

static void take_parts(struct hf_cursor *c, struct hf_text *const *parts, size_t count)
{
    uint16_t sizes[9];
    for (size_t i = 0; i < count; i++)
        sizes[i] = hf_cursor_u16(c);
    for (size_t i = 0; i < count; i++)
        *parts[i] = fuzz_take_part(c, sizes[i]);
}

/* The one .dwo file, opened when it is asked for. */
struct dwo {
    struct hf_dwarf_sections sections;
    struct hf_split_file file;
};

static enum hf_status find_dwo(void *context, const struct hf_unit *skeleton,
    struct hf_dwarf_effort *effort, struct hf_split_file **out_file, struct hf_error *err)
{
    struct dwo *dwo = context;
    *out_file = &dwo->file;
    if (hf_split_file_unit(&dwo->file, skeleton->dwo_id) != NULL)
        return HF_OK;
    if (dwo->file.units.count != 0)
        return hf_error_set(err, HF_ERR_INPUT, "it has no such unit");
    enum hf_status status =
        hf_split_file_open(&dwo->file, &dwo->sections, skeleton->dwo_id, effort, err);
    if (status != HF_OK)
        hf_split_file_close(&dwo->file);
    return status;
}

static bool is_same_place(const struct hf_dwarf_place *a, const struct hf_dwarf_place *b)
{
    bool is_same = a->count == b->count && a->line == b->line && hf_text_equal(a->file, b->file);
    for (size_t i = 0; is_same && i < a->count; i++)
        is_same = a->frames[i].line == b->frames[i].line &&
                  hf_text_equal(a->frames[i].name, b->frames[i].name) &&
                  hf_text_equal(a->frames[i].linkage, b->frames[i].linkage) &&
                  hf_text_equal(a->frames[i].scope, b->frames[i].scope) &&
                  hf_text_equal(a->frames[i].file, b->frames[i].file);
    return is_same;
}

static void tell_line(struct hf_text file, uint32_t line, struct hf_dwarf_detail detail)
{
    fuzz_tell(" (");
    fuzz_tell_text(file);
    fuzz_tell(":%u:%u, folder %u%s)", line, detail.column, detail.folder_bytes,
        detail.is_near ? ", near" : "");
}

/* Where it is another than that of the address before. */
static void tell_place(
    const struct hf_dwarf_place *before, uint64_t address, const struct hf_dwarf_place *place)
{
    if (before != NULL && is_same_place(before, place))
        return;
    fuzz_tell("0x%llx:", (unsigned long long)address);
    for (size_t i = 0; i < place->count; i++) {
        const struct hf_dwarf_frame *frame = &place->frames[i];
        fuzz_tell(i != 0 ? " < " : " ");
        fuzz_tell_text(frame->name);
        fuzz_tell(" = ");
        fuzz_tell_text(frame->linkage);
        if (frame->scope.size != 0)
            fuzz_tell(" in ");
        fuzz_tell_text(frame->scope);
        tell_line(frame->file, frame->line, frame->detail);
    }
    if (place->count == 0)
        tell_line(place->file, place->line, place->detail);
    fuzz_tell("\n");
}

static void ask(
    struct hf_resolver *resolver, const uint64_t *addresses, size_t count, unsigned threads)
{
    struct hf_error err;
    struct hf_dwarf_result result;
    const struct hf_resolver_run how = {.threads = threads};
    if (hf_resolver_run(resolver, addresses, count, &how, &result, &err) != HF_OK)
        abort();
    uint64_t sum = 0; /* every byte that was handed out is read */
    for (size_t i = 0; i < count; i++) {
        tell_place(i != 0 ? &result.places[i - 1] : NULL, addresses[i], &result.places[i]);
        for (size_t f = 0; f < result.places[i].count; f++) {
            const struct hf_dwarf_frame *frame = &result.places[i].frames[f];
            const struct hf_text texts[] = {frame->name, frame->linkage, frame->scope, frame->file};
            for (size_t t = 0; t < HF_COUNT(texts); t++)
                sum += texts[t].size != 0 ? (uint8_t)texts[t].data[texts[t].size - 1] : 0;
        }
    }
    if (sum == UINT64_MAX)
        abort();
    fuzz_tell("%d units damaged, %d names missing, %d split units\n", (int)result.damage.units,
        (int)result.damage.missing_names, (int)result.damage.split_units);
    fuzz_tell_error(result.damage.first.status, &result.damage.first);
    fuzz_tell_error(result.damage.first_split.status, &result.damage.first_split);
    hf_dwarf_result_done(&result);
}

static void ask_for_helpers(const struct hf_dwarf_sections *sections)
{
    struct hf_error err;
    struct hf_helpers helpers;
    if (hf_helpers_find(&helpers, sections, &err) != HF_OK)
        abort();
    fuzz_tell("%zu names of functions, make is %s\n", helpers.names.count,
        hf_helpers_has(&helpers, HF_TEXT("make"), HF_TEXT("")) ? "a helper" : "none");
    hf_helpers_done(&helpers);
}

/* Every word of every type that was found, and what those lead to. */
static void ask_for_members(const struct hf_dwarf_sections *sections)
{
    struct hf_data_types types;
    struct hf_data_member member;
    enum hf_status status = hf_data_types_read(&types, sections, NULL);
    fuzz_tell("%zu types\n", types.type_count);
    for (size_t i = 0; status == HF_OK && i < types.type_count && i < TYPES; i++) {
        for (uint64_t offset = 0; offset < TYPE_BYTES; offset += 8) {
            struct hf_out name = {0};
            if (!hf_data_types_member(&types, types.types[i], offset, &member))
                continue;
            hf_data_types_put_name(&types, member.type, &name);
            hf_data_types_put_name(&types, hf_data_types_plain(&types, member.pointee), &name);
            fuzz_tell_text(member.class);
            fuzz_tell("::");
            fuzz_tell_text(member.name);
            fuzz_tell(" at %llu: ", (unsigned long long)offset);
            fuzz_tell_text(hf_out_view(&name));
            fuzz_tell("\n");
            hf_out_done(&name);
        }
    }
    hf_data_types_done(&types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t start = hf_cursor_u64(&c);
    uint64_t step = (uint64_t)hf_cursor_u16(&c) + 1;
    uint8_t flags = hf_cursor_u8(&c);
    unsigned threads = flags % 64 == 63 ? 2 : 1; /* threads are slow to start */
    struct hf_dwarf_sections sections = {.name = "input"}, supplement = {.name = "supplement"};
    struct hf_text *const parts[] = {&sections.info, &sections.abbrev, &sections.line,
        &sections.str, &sections.line_str, &sections.ranges, &sections.rnglists, &sections.addr,
        &sections.str_offsets};
    struct hf_text *const shared[] = {&supplement.info, &supplement.abbrev, &supplement.str};
    struct dwo dwo = {.sections = {.name = "dwo"}};
    struct hf_text *const split[] = {&dwo.sections.info, &dwo.sections.abbrev, &dwo.sections.str,
        &dwo.sections.str_offsets, &dwo.sections.rnglists};
    struct hf_split_source source = {.find = find_dwo, .context = &dwo};
    take_parts(&c, parts, HF_COUNT(parts));
    take_parts(&c, shared, HF_COUNT(shared));
    take_parts(&c, split, HF_COUNT(split));
    if ((flags & 0x80) != 0)
        sections.supplement = &supplement;
    if ((flags & 0x40) != 0)
        sections.split = &source;

    uint64_t addresses[ADDRESSES];
    size_t count = fuzz_sweep(addresses, ADDRESSES, start, step);
    struct hf_resolver *resolver;
    if (hf_resolver_new(&sections, &resolver, &err) != HF_OK)
        abort();
    for (int run = 0; run < 2; run++) /* walks, then answers by indexes */
        ask(resolver, addresses, count, threads);
    hf_resolver_free(resolver);
    ask_for_helpers(&sections);
    ask_for_members(&sections);
    for (size_t i = 0; i < HF_COUNT(parts); i++)
        fuzz_free_part(*parts[i]);
    for (size_t i = 0; i < HF_COUNT(shared); i++)
        fuzz_free_part(*shared[i]);
    hf_split_file_close(&dwo.file);
    for (size_t i = 0; i < HF_COUNT(split); i++)
        fuzz_free_part(*split[i]);
    return 0;
}
