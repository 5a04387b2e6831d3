#include "unwind/java/vm_structs.h"

#include "base/text.h"

#include <stddef.h>

/* Entries of the lists (vmStructs.hpp), whose ends have no name. */
struct java_field_entry {
    uint64_t type, field, kind; /* strings */
    int32_t is_static, reserved;
    uint64_t offset, address;
};
struct java_type_entry {
    uint64_t type, parent;
    int32_t is_oop, is_integer, is_unsigned, reserved;
    uint64_t bytes;
};
struct java_constant_entry {
    uint64_t name;
    int32_t value, reserved;
};

enum {
    ENTRIES_MAX = 16384,
    BATCH_BYTES = 3840,
    NAME_MAX_BYTES = 64,
    PAGE_BYTES = 4096,
    OFFSET_MAX = 4096
};
#define ADDRESS_MAX (UINT64_C(1) << 47)

enum java_kind { JAVA_FIELD, JAVA_STATIC, JAVA_SIZE, JAVA_CONSTANT };

struct java_wanted {
    enum java_kind kind;
    const char *type, *field; /* a constant has its whole name as `type` */
    uint16_t place;           /* in struct hf_java */
};

#define OFFSET(type, field, to)                                                                    \
    {                                                                                              \
        JAVA_FIELD, type, field, offsetof(struct hf_java, to)                                      \
    }
#define STATIC(type, field, to)                                                                    \
    {                                                                                              \
        JAVA_STATIC, type, field, offsetof(struct hf_java, to)                                     \
    }
#define SIZE(type, to)                                                                             \
    {                                                                                              \
        JAVA_SIZE, type, "", offsetof(struct hf_java, to)                                          \
    }
#define CONSTANT(name, to)                                                                         \
    {                                                                                              \
        JAVA_CONSTANT, name, "", offsetof(struct hf_java, to)                                      \
    }

static const struct java_wanted java_wanted[HF_JAVA_WANTED] = {
    STATIC("CodeCache", "_heaps", heaps),
    STATIC("AbstractInterpreter", "_code", interpreter),
    STATIC("StubRoutines", "_call_stub_return_address", call_stub_return),
    STATIC("Abstract_VM_Version", "_vm_major_version", version),
    STATIC("Abstract_VM_Version", "_vm_security_version", update),
    STATIC("Universe", "_collectedHeap", objects),
    OFFSET("CollectedHeap", "_reserved", objects_reserved),
    OFFSET("MemRegion", "_start", region_start),
    OFFSET("MemRegion", "_word_size", region_words),
    OFFSET("GrowableArrayBase", "_len", array_length),
    OFFSET("GrowableArray<int>", "_data", array_data),
    OFFSET("CodeHeap", "_memory", heap_memory),
    OFFSET("CodeHeap", "_segmap", heap_segments),
    OFFSET("CodeHeap", "_log2_segment_size", heap_segment_bits),
    OFFSET("VirtualSpace", "_low", space_low),
    OFFSET("VirtualSpace", "_high", space_high),
    OFFSET("HeapBlock::Header", "_used", block_used),
    SIZE("HeapBlock", block_bytes),
    OFFSET("StubQueue", "_stub_buffer", queue_code),
    OFFSET("StubQueue", "_buffer_limit", queue_bytes),
    OFFSET("CodeBlob", "_name", blob_name),
    OFFSET("CodeBlob", "_frame_size", blob_frame_words),
    OFFSET("CodeBlob", "_code_begin", blob_code),
    OFFSET("CompiledMethod", "_method", compiled_method),
    OFFSET("CompiledMethod", "_scopes_data_begin", compiled_scopes),
    OFFSET("CompiledMethod", "_deopt_handler_begin", compiled_left),
    OFFSET("CompiledMethod", "_deopt_mh_handler_begin", compiled_left_calls),
    OFFSET("nmethod", "_orig_pc_offset", compiled_kept_pc),
    OFFSET("nmethod", "_metadata_offset", compiled_metadata),
    OFFSET("nmethod", "_scopes_pcs_offset", compiled_pcs),
    OFFSET("nmethod", "_dependencies_offset", compiled_pcs_end),
    OFFSET("PcDesc", "_pc_offset", pc_offset),
    OFFSET("PcDesc", "_scope_decode_offset", pc_scope),
    SIZE("PcDesc", pc_bytes),
    OFFSET("Method", "_constMethod", method_const),
    OFFSET("ConstMethod", "_constants", const_pool),
    OFFSET("ConstMethod", "_flags", const_flags),
    OFFSET("ConstMethod", "_code_size", const_code_bytes),
    OFFSET("ConstMethod", "_name_index", const_name),
    SIZE("ConstMethod", const_bytes),
    OFFSET("ConstantPool", "_tags", pool_tags),
    OFFSET("ConstantPool", "_pool_holder", pool_holder),
    OFFSET("ConstantPool", "_length", pool_length),
    SIZE("ConstantPool", pool_bytes),
    OFFSET("Klass", "_name", class_name),
    OFFSET("Symbol", "_length", symbol_length),
    OFFSET("Symbol", "_body[0]", symbol_body),
    OFFSET("JavaCallWrapper", "_anchor", wrapper_anchor),
    OFFSET("JavaFrameAnchor", "_last_Java_sp", anchor_sp),
    OFFSET("JavaFrameAnchor", "_last_Java_pc", anchor_pc),
    OFFSET("JavaFrameAnchor", "_last_Java_fp", anchor_fp),
    CONSTANT("ConstMethod::_has_linenumber_table", has_lines),
};

struct java_structs_reading {
    struct hf_java *java;
    const struct hf_interpreted_memory *memory;
    uint64_t found;       /* a bit for each that is wanted */
    uint64_t passed_type; /* the last whose fields are not wanted: they stand together */
};
_Static_assert(HF_JAVA_WANTED <= 64, "a bit each");

/* A string, of which what is longer than all that is wanted is cut; one page's bytes at a time. */
static bool java_read_name(
    const struct hf_interpreted_memory *memory, uint64_t at, char out[NAME_MAX_BYTES])
{
    size_t first = PAGE_BYTES - at % PAGE_BYTES;
    first = first < NAME_MAX_BYTES ? first : NAME_MAX_BYTES;
    if (!hf_interpreted_copy(memory, at, out, first))
        return false;
    if (first < NAME_MAX_BYTES && memchr(out, 0, first) == NULL &&
        !hf_interpreted_copy(memory, at + first, out + first, NAME_MAX_BYTES - first))
        return false;
    out[NAME_MAX_BYTES - 1] = 0;
    return true;
}

/* Of a value that cannot be one nothing is taken. */
static void struct_take(struct java_structs_reading *r, size_t i, uint64_t value)
{
    const struct java_wanted *wanted = &java_wanted[i];
    uint8_t *to = (uint8_t *)r->java + wanted->place;
    int32_t number = (int32_t)value;
    if (wanted->kind == JAVA_STATIC ? value == 0 : value > OFFSET_MAX)
        return;
    if (wanted->kind == JAVA_STATIC)
        memcpy(to, &value, sizeof value);
    else
        memcpy(to, &number, sizeof number);
    r->found |= UINT64_C(1) << i;
}

/* An entry of any list: its names, by their addresses, and its value. */
struct java_item {
    enum java_kind kind;
    uint64_t type, field, value; /* type 0: the list ends; field 0: it has none */
};

static struct java_item java_field_of(const uint8_t *bytes)
{
    struct java_field_entry e;
    memcpy(&e, bytes, sizeof e);
    return (struct java_item){e.is_static != 0 ? JAVA_STATIC : JAVA_FIELD, e.type, e.field,
        e.is_static != 0 ? e.address : e.offset};
}

static struct java_item java_size_of(const uint8_t *bytes)
{
    struct java_type_entry e;
    memcpy(&e, bytes, sizeof e);
    return (struct java_item){JAVA_SIZE, e.type, 0, e.bytes};
}

static struct java_item java_constant_of(const uint8_t *bytes)
{
    struct java_constant_entry e;
    memcpy(&e, bytes, sizeof e);
    return (struct java_item){JAVA_CONSTANT, e.name, 0, (uint32_t)e.value};
}

static bool java_take_item(struct java_structs_reading *r, const struct java_item *item)
{
    char name[NAME_MAX_BYTES], member[NAME_MAX_BYTES] = "";
    bool is_wanted = false;
    if (item->type == r->passed_type)
        return true;
    if (!java_read_name(r->memory, item->type, name))
        return false;
    for (size_t i = 0; i < HF_JAVA_WANTED; i++) {
        const struct java_wanted *wanted = &java_wanted[i];
        if (!hf_text_is(hf_text_of(name), wanted->type))
            continue;
        if (item->field != 0 && !is_wanted && !java_read_name(r->memory, item->field, member))
            return false;
        is_wanted = true;
        if (wanted->kind == item->kind && hf_text_is(hf_text_of(member), wanted->field))
            struct_take(r, i, item->value);
    }
    if (!is_wanted)
        r->passed_type = item->type;
    return true;
}

/* Copies entries from number `i` on, many or, where there are not so many, one; returns how many.
 */
static size_t java_copy_entries(const struct java_structs_reading *r, uint64_t list, size_t i,
    size_t size, uint8_t out[BATCH_BYTES])
{
    size_t count = BATCH_BYTES / size;
    if (hf_interpreted_copy(r->memory, list + i * size, out, count * size))
        return count;
    return hf_interpreted_copy(r->memory, list + i * size, out, size) ? 1 : 0;
}

/* Reads the list to which a variable points; false: it cannot be read, or has no end. */
static bool java_read_list(struct java_structs_reading *r, uint64_t variable, size_t size,
    struct java_item (*item_of)(const uint8_t *bytes))
{
    uint8_t entries[BATCH_BYTES];
    uint64_t list;
    if (!hf_java_u64(r->memory, variable, 0, &list))
        return false;
    for (size_t i = 0, count; i < ENTRIES_MAX; i += count) {
        count = java_copy_entries(r, list, i, size, entries);
        for (size_t j = 0; j < count; j++) {
            struct java_item item = item_of(entries + j * size);
            if (item.type == 0)
                return true;
            if (!java_take_item(r, &item))
                return false;
        }
        if (count == 0)
            return false;
    }
    return false;
}

bool hf_java_is_known(uint32_t version)
{
    return version == 17;
}

bool hf_java_structs_read(struct hf_java *java, const struct hf_interpreted_memory *memory,
    const struct hf_java_exports *exports)
{
    struct java_structs_reading r = {.java = java, .memory = memory};
    return java_read_list(&r, exports->structs, sizeof(struct java_field_entry), java_field_of) &&
           java_read_list(&r, exports->types, sizeof(struct java_type_entry), java_size_of) &&
           java_read_list(
               &r, exports->constants, sizeof(struct java_constant_entry), java_constant_of) &&
           r.found == UINT64_MAX >> (64 - HF_JAVA_WANTED);
}

bool hf_java_find_objects(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    uint64_t *out_start, uint64_t *out_end)
{
    uint64_t heap, words;
    if (!hf_java_u64(memory, java->objects, 0, &heap) || heap == 0)
        return false;
    heap += (uint64_t)(int64_t)java->objects_reserved;
    if (!hf_java_u64(memory, heap, java->region_start, out_start) ||
        !hf_java_u64(memory, heap, java->region_words, &words) || *out_start == 0 || words == 0 ||
        *out_start >= ADDRESS_MAX || words >= (ADDRESS_MAX - *out_start) / 8)
        return false;
    *out_end = *out_start + 8 * words;
    return true;
}
