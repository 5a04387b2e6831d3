#include "dwarf/callframe.h"

#include "base/containers/vec.h"
#include "elf/dynamic.h"

#include <stdlib.h>

static int callframe_compare_starts(const void *a, const void *b)
{
    const struct hf_callframe_start *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static enum hf_status list_starts(struct hf_callframes *f, struct hf_error *err)
{
    size_t capacity = 0;
    uint64_t offset = 0;
    while (offset < f->frames.size) {
        struct hf_cursor entry = hf_callframes_entry(f, offset);
        if (hf_cursor_failed(&entry))
            break;
        struct hf_fde fde;
        bool is_fde = hf_callframes_fde(f, offset, &fde);
        if (is_fde && !hf_vec_reserve(&f->starts, &capacity, f->count + 1, sizeof *f->starts))
            return hf_error_memory(err);
        if (is_fde)
            f->starts[f->count++] = (struct hf_callframe_start){fde.start, offset};
        offset = (uint64_t)(entry.end - entry.start);
    }
    if (f->count != 0)
        qsort(f->starts, f->count, sizeof *f->starts, callframe_compare_starts);
    return HF_OK;
}

enum hf_status hf_callframes_open(
    struct hf_callframes *f, const struct hf_elf *elf, struct hf_error *err)
{
    *f = (struct hf_callframes){0};
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        struct hf_text header = hf_text_first(hf_text_from(elf->bytes, s->offset), s->file_size);
        if (s->type == PT_GNU_EH_FRAME &&
            hf_callframes_read_header(f, header, header, s->address)) {
            f->frames = hf_dynamic_bytes_at(elf, f->frames_address);
            return HF_OK;
        }
    }
    const struct hf_elf_section *section = hf_elf_section(elf, ".eh_frame");
    if (section != NULL) {
        f->frames = hf_elf_section_bytes(elf, section);
        f->frames_address = section->address;
    }
    return list_starts(f, err);
}

void hf_callframes_close(struct hf_callframes *f)
{
    free(f->starts);
    *f = (struct hf_callframes){0};
}
