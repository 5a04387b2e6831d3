#include "symbol/files/debug_sections.h"

#include "compress/inflate.h"

#include <stdio.h>
#include <stdlib.h>

/* The section of this name or of the old one of compressed sections, or NULL. */
static const struct hf_elf_section *find_section(
    const struct hf_elf *elf, const char *name, const char *suffix)
{
    char full_name[48], old_name[56];
    (void)snprintf(full_name, sizeof full_name, "%s%s", name, suffix);
    (void)snprintf(old_name, sizeof old_name, ".z%s", full_name + 1); /* .zdebug_info */
    const struct hf_elf_section *section = hf_elf_section(elf, full_name);
    return section != NULL ? section : hf_elf_section(elf, old_name);
}

enum hf_status hf_debug_section_load(struct hf_text *out_bytes, struct hf_inflated *inflated,
    const struct hf_elf *elf, const struct hf_elf_section *section, struct hf_error *err)
{
    struct hf_elf_compression compression;
    enum hf_status status = hf_elf_compression(elf, section, &compression, err);
    if (status == HF_OK && compression.type == 0) {
        *out_bytes = compression.payload;
        return HF_OK;
    }
    char *bytes = NULL;
    if (status == HF_OK)
        status = hf_inflate((enum hf_compression)compression.type, compression.payload,
            compression.size, &bytes, err);
    if (status != HF_OK) {
        hf_error_context(err, "%.*s", (int)section->name.size, section->name.data);
        hf_error_in(err, elf->name);
        return status;
    }
    inflated->blocks[inflated->count++] = bytes;
    *out_bytes = (struct hf_text){bytes, (size_t)compression.size};
    return HF_OK;
}

enum hf_status hf_debug_sections_load(struct hf_dwarf_sections *s, struct hf_inflated *inflated,
    const struct hf_elf *elf, const char *suffix, struct hf_error *err)
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
        const struct hf_elf_section *section = find_section(elf, wanted[i].name, suffix);
        if (section == NULL)
            continue;
        struct hf_error error = {0};
        enum hf_status one =
            hf_debug_section_load(wanted[i].section, inflated, elf, section, &error);
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
