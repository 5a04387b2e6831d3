#include "answer/heap/member_names.h"

#include "dwarf/data_types.h"
#include "heap/mapped_module.h"

#include <stdlib.h>

#define WORD sizeof(uint64_t)
#define LOOKED_AT_MAX (1u << 20) /* bytes of a block, for the one pointer that leads on */
#define TAG_MASK UINT64_C(0x0000fffffffffff8)
#define TYPE_BYTES_MAX 4096

struct hf_member_module {
    struct hf_member_module *next;
    const struct hf_process_mapping *first;
    struct hf_mapped_module mapped;
    struct hf_data_types types;
};

enum hf_status hf_member_names_init(struct hf_member_names *names,
    const struct hf_process_image *image, const struct hf_symbol_options *options,
    struct hf_error *err)
{
    *names = (struct hf_member_names){.image = image, .options = options};
    names->reader = hf_process_reader_new(image);
    return names->reader != NULL ? HF_OK : hf_error_memory(err);
}

void hf_member_names_done(struct hf_member_names *names)
{
    struct hf_member_module *next;
    for (struct hf_member_module *module = names->modules; module != NULL; module = next) {
        next = module->next;
        hf_data_types_done(&module->types);
        hf_mapped_module_close(&module->mapped);
        free(module);
    }
    free(names->reader);
    hf_arena_done(&names->arena);
    *names = (struct hf_member_names){0};
}

/* What cannot be read names nothing. NULL: in no module, or no memory. */
static struct hf_member_module *member_module_at(struct hf_member_names *names, uint64_t address)
{
    const struct hf_process_mapping *first = hf_mapped_module_start(names->image, address);
    struct hf_member_module *module = first != NULL ? names->modules : NULL;
    while (module != NULL && module->first != first)
        module = module->next;
    if (first == NULL || module != NULL)
        return module;
    module = calloc(1, sizeof *module);
    if (module == NULL)
        return NULL;
    module->first = first;
    module->next = names->modules;
    names->modules = module;
    if (hf_mapped_module_open(&module->mapped, names->image, first)) {
        hf_module_files_find_debug(&module->mapped.files, names->options);
        if (hf_data_types_read(&module->types, &module->mapped.files.sections, NULL) != HF_OK)
            hf_data_types_done(&module->types);
    }
    return module;
}

static struct hf_text keep_text(struct hf_member_names *names, struct hf_text text)
{
    const char *copy = text.size != 0 ? hf_arena_copy(&names->arena, text.data, text.size) : NULL;
    return (struct hf_text){copy, copy != NULL ? text.size : 0};
}

static bool is_of_library(struct hf_text name)
{
    return hf_text_starts(name, "_M_") || hf_text_starts(name, "__");
}

/* The member at an offset of what is of a type, for people, and what it points to. */
static void look_up_member(struct hf_member_names *names, const struct hf_typed_block *of,
    uint64_t offset, struct hf_member_name *out_member, struct hf_typed_block *out_target)
{
    struct hf_data_member member;
    struct hf_out type = {0};
    struct hf_data_types *types = of->module != NULL ? &of->module->types : NULL;
    if (types == NULL || types->units.count == 0 ||
        !hf_data_types_member(types, of->type, offset, &member) ||
        !hf_module_files_are_sound(&of->module->mapped.files))
        return;
    *out_target = (struct hf_typed_block){of->module, member.pointee};
    if (member.name.size == 0 || is_of_library(member.name))
        return;
    hf_data_types_put_name(types, member.type, &type);
    if (hf_out_finish(&type, NULL) == HF_OK && type.size <= TYPE_BYTES_MAX) {
        out_member->class = keep_text(names, member.class);
        out_member->name = keep_text(names, member.name);
        out_member->type = keep_text(names, hf_out_view(&type));
    }
    hf_out_done(&type);
}

void hf_member_of_variable(struct hf_member_names *names, uint64_t start, uint64_t address,
    struct hf_member_name *out_member, struct hf_typed_block *out_target)
{
    struct hf_typed_block of = {member_module_at(names, start), 0};
    *out_member = (struct hf_member_name){.name.size = 0};
    *out_target = (struct hf_typed_block){0};
    if (of.module == NULL || of.module->types.units.count == 0)
        return;
    of.type = hf_data_types_variable(&of.module->types, start - of.module->mapped.bias);
    look_up_member(names, &of, address - start, out_member, out_target);
}

/* Where in a block the first pointer to another lies. */
static bool find_pointer_to(struct hf_member_names *names, const struct hf_heap_block *block,
    const struct hf_heap_block *target, uint64_t *out_offset)
{
    uint64_t size = block->bytes < LOOKED_AT_MAX ? block->bytes : LOOKED_AT_MAX, word;
    for (uint64_t offset = 0; offset + WORD <= size; offset += WORD) {
        if (!hf_process_word(names->reader, block->address + offset, &word))
            return false;
        *out_offset = offset;
        if (word - target->address < target->bytes ||
            (word & TAG_MASK) - target->address < target->bytes)
            return true;
    }
    return false;
}

/* An object says its class itself, by the table of its functions, which its module has. */
static void type_by_class(struct hf_member_names *names, const struct hf_heap_block *block,
    struct hf_text class, struct hf_typed_block *of)
{
    uint64_t vtable;
    if (class.size == 0 || !hf_process_word(names->reader, block->address, &vtable))
        return;
    struct hf_member_module *module = member_module_at(names, vtable);
    uint64_t type = module != NULL && module->types.units.count != 0
                        ? hf_data_types_class(&module->types, class)
                        : 0;
    if (type != 0)
        *of = (struct hf_typed_block){module, type};
}

void hf_member_of_block(struct hf_member_names *names, const struct hf_heap_block *block,
    const struct hf_heap_block *target, struct hf_text class, struct hf_typed_block *of,
    struct hf_member_name *out_member, struct hf_typed_block *out_target)
{
    uint64_t offset;
    *out_member = (struct hf_member_name){.name.size = 0};
    *out_target = (struct hf_typed_block){0};
    type_by_class(names, block, class, of);
    if (of->type != 0 && find_pointer_to(names, block, target, &offset))
        look_up_member(names, of, offset, out_member, out_target);
}

bool hf_typed_blocks_are_same(const struct hf_typed_block *one, const struct hf_typed_block *other)
{
    if (one->module == NULL || one->module != other->module || one->type == 0)
        return false;
    struct hf_data_types *types = &one->module->types;
    return hf_data_types_plain(types, one->type) == hf_data_types_plain(types, other->type);
}
