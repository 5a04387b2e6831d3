#include "heap/object_classes.h"

#include "base/strings/out.h"
#include "symbol/names/demangle.h"
#include "symbol/names/shortname.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8u
#define VTABLES_MAX 65535u
#define MANGLED_MAX 2048u /* bytes of a name; libstdc++'s longest have some 1,000 */
#define FULL_MAX 64u      /* longer names go without template arguments */
/* Bytes before an object of Python: two links, and the words for its dict. */
#define BEFORE_MAX 32u
#define TYPE_NAME_MAX 128u
#define METATYPES_MAX 4u

static bool has_python(const struct hf_heap *heap)
{
    for (size_t i = 0; i < heap->region_count; i++) {
        if (strcmp(heap->regions[i].allocator, HF_HEAP_OF_PYTHON) == 0)
            return true;
    }
    return false;
}

enum hf_status hf_object_classes_init(struct hf_object_classes *classes, const struct hf_heap *heap,
    const struct hf_process_image *image, struct hf_error *err)
{
    *classes = (struct hf_object_classes){.has_python = has_python(heap),
        .blocks = calloc(1, sizeof *classes->blocks),
        .tables = calloc(1, sizeof *classes->tables)};
    if (classes->blocks == NULL || classes->tables == NULL)
        return hf_error_memory(err);
    classes->blocks->image = classes->tables->image = image;
    return HF_OK;
}

void hf_object_classes_done(struct hf_object_classes *classes)
{
    free(classes->blocks);
    free(classes->tables);
    hf_map_done(&classes->by_vtable);
    hf_map_done(&classes->by_type);
    hf_intern_done(&classes->names);
    *classes = (struct hf_object_classes){0};
}

/* ---- Tables ---- */

static bool is_code(const struct hf_process_image *image, uint64_t address)
{
    const struct hf_process_mapping *mapping = hf_process_image_find(image, address);
    return mapping != NULL && mapping->is_executable;
}

/* Whether an address is in the data of a module, with those behind its file: a program may have a
 * copy of a library's table there (R_X86_64_COPY of the gABI's supplement). */
static bool is_module_data(const struct hf_process_image *image, uint64_t address)
{
    const struct hf_process_mapping *mapping = hf_process_image_find(image, address);
    if (mapping == NULL || mapping->is_executable || address % WORD != 0)
        return false;
    bool is_behind = mapping != image->mappings && mapping[-1].inode != 0 &&
                     mapping[-1].end == mapping->start && mapping->path[0] == '\0';
    return mapping->inode != 0 || is_behind;
}

/* Reads a text of that process, with the 0 behind it. */
static bool copy_class_text(
    struct hf_object_classes *classes, uint64_t address, char *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!hf_process_copy(classes->tables, address + i, &out[i], 1))
            return false;
        if (out[i] == '\0')
            return i != 0;
    }
    return false;
}

/* Reads the mangled name of the class that has the table; false: it is not a table. */
static bool read_class_name(
    struct hf_object_classes *classes, uint64_t vtable, char out_name[MANGLED_MAX])
{
    struct hf_process_reader *reader = classes->tables;
    uint64_t words[3], info[2]; /* see the layout in object_classes.h */
    if (!hf_process_copy(reader, vtable - 2 * WORD, words, sizeof words) || words[0] != 0 ||
        !is_code(reader->image, words[2]) || !is_module_data(reader->image, words[1]) ||
        !hf_process_copy(reader, words[1], info, sizeof info) ||
        !is_module_data(reader->image, info[0]))
        return false;
    return copy_class_text(classes, info[1], out_name, MANGLED_MAX);
}

/* ---- Names ---- */

/* The classes of libstdc++ and libc++ whose objects have the counters of a shared pointer, and the
 * object itself. */
static const char *const shared_blocks[] = {"std::_Sp_counted_ptr_inplace<",
    "std::__shared_ptr_emplace<", "std::__1::__shared_ptr_emplace<"};

/* "T" of "T, A>", where T may have commas of its own; empty: there is no end of it. */
static struct hf_text first_argument(struct hf_text arguments)
{
    int depth = 0;
    for (size_t i = 0; i < arguments.size; i++) {
        char c = arguments.data[i];
        depth += (c == '<' || c == '(') - (c == '>' || c == ')');
        if (depth < 0 || (depth == 0 && c == ','))
            return hf_text_first(arguments, i);
    }
    return (struct hf_text){arguments.data, 0};
}

/* T, if the block is that of a std::make_shared<T>; else empty. */
static struct hf_text shared_content(struct hf_text name)
{
    for (size_t i = 0; i < sizeof shared_blocks / sizeof *shared_blocks; i++) {
        struct hf_text rest = name;
        if (hf_text_take(&rest, shared_blocks[i]))
            return first_argument(rest);
    }
    return (struct hf_text){name.data, 0};
}

static void put_class_name(struct hf_text demangled, struct hf_out *out)
{
    struct hf_text content = shared_content(demangled);
    struct hf_text shown = content.size != 0 ? content : demangled;
    hf_out_string(out, content.size != 0 ? "std::make_shared<" : "");
    if (shown.size <= FULL_MAX)
        hf_out_text(out, shown);
    else
        hf_short_name(shown, out);
    hf_out_string(out, content.size != 0 ? ">" : "");
}

/* The class with the demangled name of a type; HF_CLASS_NONE: it cannot be demangled. */
static uint32_t name_class(struct hf_object_classes *classes, const char *type)
{
    uint32_t id = HF_CLASS_NONE;
    struct hf_out mangled = {0}, demangled = {0}, shown = {0};
    bool is_local = type[0] == '*'; /* the ABI's mark of a type whose name is local */
    hf_out_printf(&mangled, "_ZTI%s", type + is_local);
    hf_demangle(hf_out_view(&mangled), true, &demangled);
    struct hf_text name = hf_out_view(&demangled);
    if (hf_text_take(&name, "typeinfo for "))
        put_class_name(name, &shown);
    struct hf_error ignored;
    if (hf_out_finish(&shown, &ignored) != HF_OK || shown.size == 0 ||
        !hf_intern_put(&classes->names, shown.data, shown.size, &id))
        id = HF_CLASS_NONE;
    hf_out_done(&mangled);
    hf_out_done(&demangled);
    hf_out_done(&shown);
    return id;
}

/* ---- Types of Python ---- */

struct python_type {
    uint64_t references, type, items, name;
};

static bool read_type_name(
    struct hf_object_classes *classes, const struct python_type *type, char out_name[TYPE_NAME_MAX])
{
    bool is_name = copy_class_text(classes, type->name, out_name, TYPE_NAME_MAX);
    for (const char *at = out_name; is_name && *at != '\0'; at++)
        is_name = (unsigned char)*at >= ' ' && *at != '\x7f';
    return is_name;
}

/* Reads the name of a type. Its type, the type of that and so on lead to the one that is called
 * "type" and has itself as its type. */
static bool read_python_type(
    struct hf_object_classes *classes, uint64_t address, char out_name[TYPE_NAME_MAX])
{
    struct python_type type, meta;
    char meta_name[TYPE_NAME_MAX];
    if (!hf_process_copy(classes->tables, address, &type, sizeof type))
        return false;
    meta = type;
    for (size_t i = 0; i < METATYPES_MAX; i++) {
        uint64_t at = meta.type;
        if (at % WORD != 0 || !hf_process_copy(classes->tables, at, &meta, sizeof meta))
            return false;
        if (meta.type == at)
            return read_type_name(classes, &meta, meta_name) && strcmp(meta_name, "type") == 0 &&
                   read_type_name(classes, &type, out_name);
    }
    return false;
}

/* The class of an object that has this type. */
static uint32_t python_class(struct hf_object_classes *classes, uint64_t type)
{
    char name[TYPE_NAME_MAX];
    uint32_t id = HF_CLASS_NONE;
    const struct hf_process_mapping *mapping = hf_process_image_find(classes->tables->image, type);
    if (type % WORD != 0 || mapping == NULL || !mapping->is_writable)
        return HF_CLASS_NONE;
    const uint32_t *known = hf_map_find(&classes->by_type, type);
    if (known != NULL)
        return *known;
    if (classes->by_type.count == VTABLES_MAX)
        return HF_CLASS_NONE;
    if (read_python_type(classes, type, name) &&
        !hf_intern_put(&classes->names, name, strlen(name), &id))
        id = HF_CLASS_NONE;
    bool is_kept = hf_map_put(&classes->by_type, type, id, NULL) != NULL;
    return is_kept ? id : HF_CLASS_NONE;
}

/* An object of Python begins with the number of its references, which is small. */
static uint32_t find_python(struct hf_object_classes *classes, const struct hf_heap_block *block)
{
    struct {
        uint64_t references, type;
    } object;
    uint32_t class = HF_CLASS_NONE;
    for (uint64_t at = 0; at <= BEFORE_MAX && at + sizeof object <= block->bytes; at += 16) {
        if (hf_process_copy(classes->blocks, block->address + at, &object, sizeof object) &&
            object.references != 0 && object.references <= UINT32_MAX)
            class = python_class(classes, object.type);
        if (class != HF_CLASS_NONE)
            break;
    }
    return class;
}

/* ---- Blocks ---- */

/* The class by the first word of a block. */
static uint32_t find_vtable(struct hf_object_classes *classes, uint64_t vtable)
{
    char type[MANGLED_MAX];
    if (!is_module_data(classes->blocks->image, vtable))
        return HF_CLASS_NONE;
    const uint32_t *known = hf_map_find(&classes->by_vtable, vtable);
    if (known != NULL)
        return *known;
    if (classes->by_vtable.count == VTABLES_MAX)
        return HF_CLASS_NONE;
    uint32_t class =
        read_class_name(classes, vtable, type) ? name_class(classes, type) : HF_CLASS_NONE;
    bool is_kept = hf_map_put(&classes->by_vtable, vtable, class, NULL) != NULL;
    return is_kept ? class : HF_CLASS_NONE;
}

uint32_t hf_object_class_find(struct hf_object_classes *classes, const struct hf_heap_block *block)
{
    uint64_t first;
    if (!hf_process_word(classes->blocks, block->address, &first))
        return HF_CLASS_NONE;
    uint32_t class = find_vtable(classes, first);
    if (class == HF_CLASS_NONE && classes->has_python)
        class = find_python(classes, block);
    return class;
}
