#include "symbol/debug_sections.h"

#include "compress/inflate.h"

#include <stdio.h>
#include <stdlib.h>

/* The bytes of a section under its new or old name, decompressed if need be. */
static enum hf_status load_section(struct hf_inflated *inflated, const struct hf_elf *elf,
    const char *name, struct hf_text *out_section, struct hf_error *err)
{
    char old_name[64];
    const struct hf_elf_section *section = hf_elf_section(elf, name);
    if (section == NULL) {
        snprintf(old_name, sizeof old_name, ".z%s", name + 1);
        section = hf_elf_section(elf, old_name);
    }
    if (section == NULL)
        return HF_OK;
    struct hf_elf_compression compression;
    enum hf_status status = hf_elf_compression(elf, section, &compression, err);
    if (status == HF_OK && compression.type == 0) {
        *out_section = compression.payload;
        return HF_OK;
    }
    char *bytes = NULL;
    if (status == HF_OK)
        status = hf_inflate((enum hf_compression)compression.type, compression.payload,
            compression.size, &bytes, err);
    if (status != HF_OK) {
        hf_error_context(err, "%s", name);
        hf_error_in(err, elf->name);
        return status;
    }
    inflated->blocks[inflated->count++] = bytes;
    *out_section = (struct hf_text){bytes, (size_t)compression.size};
    return HF_OK;
}

enum hf_status hf_debug_sections_load(struct hf_dwarf_sections *s, struct hf_inflated *inflated,
    const struct hf_elf *elf, struct hf_error *err)
{
    const struct {
        const char *name;
        struct hf_text *section;
    } wanted[] = {
        {".debug_info", &s->info},
        {".debug_abbrev", &s->abbrev},
        {".debug_line", &s->line},
        {".debug_str", &s->str},
        {".debug_line_str", &s->line_str},
        {".debug_ranges", &s->ranges},
        {".debug_rnglists", &s->rnglists},
        {".debug_addr", &s->addr},
        {".debug_str_offsets", &s->str_offsets},
    };
    _Static_assert(HF_COUNT(wanted) <= HF_COUNT(inflated->blocks), "room for each section");
    *s = (struct hf_dwarf_sections){.name = elf->name};
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < HF_COUNT(wanted); i++) {
        struct hf_error error = {0};
        enum hf_status one = load_section(inflated, elf, wanted[i].name, wanted[i].section, &error);
        if (one != HF_OK) {
            status = one;
            *err = error;
        }
    }
    return status;
}

void hf_inflated_done(struct hf_inflated *inflated)
{
    for (size_t i = 0; i < inflated->count; i++)
        free(inflated->blocks[i]);
    *inflated = (struct hf_inflated){0};
}
