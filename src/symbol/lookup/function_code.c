#include "symbol/lookup/function_code.h"

#include "elf/symtab.h"

#include <stdlib.h>

/* The bytes of [start, end) as far as they are code in the file. */
static struct hf_text code_bytes(const struct hf_elf *image, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct hf_elf_segment *s = &image->segments[i];
        if (s->type != PT_LOAD || (s->flags & PF_X) == 0 || start < s->address ||
            start - s->address >= s->file_size)
            continue;
        struct hf_text bytes = hf_text_first(hf_text_from(image->bytes, s->offset), s->file_size);
        return hf_text_first(hf_text_from(bytes, start - s->address), end - start);
    }
    return (struct hf_text){NULL, 0};
}

static bool function_code_holds(const struct hf_symbol *symbol, uint64_t address)
{
    return symbol->name.size != 0 && symbol->size != 0 && address - symbol->address < symbol->size;
}

/* The symbols that contain the addresses; a limit of the tables leaves some of them unknown. */
static enum hf_status function_code_symbols(const struct hf_module_files *files,
    const uint64_t *addresses, size_t count, struct hf_symbol *symbols, struct hf_error *err)
{
    enum hf_status status = hf_symtab_resolve(&files->image, addresses, count, symbols, err);
    if (files->debug.section_count != 0 && (status == HF_OK || status == HF_ERR_LIMIT))
        status = hf_symtab_resolve(&files->debug, addresses, count, symbols, err);
    return status == HF_ERR_LIMIT ? HF_OK : status;
}

enum hf_status hf_function_code_find(const struct hf_module_files *files, const uint64_t *addresses,
    size_t count, struct hf_function_code *out_code, struct hf_error *err)
{
    struct hf_symbol *symbols = calloc(count + 1, sizeof *symbols);
    if (symbols == NULL)
        return hf_error_memory(err);
    enum hf_status status = function_code_symbols(files, addresses, count, symbols, err);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        struct hf_fde fde = {0};
        uint64_t start = symbols[i].address, end = start + symbols[i].size;
        out_code[i] = (struct hf_function_code){0};
        if (!function_code_holds(&symbols[i], addresses[i])) {
            if (!hf_callframes_find(&files->callframes, addresses[i], &fde))
                continue;
            start = fde.start;
            end = fde.end;
        }
        struct hf_text bytes = code_bytes(&files->image, start, end);
        if (end > start && addresses[i] - start < bytes.size)
            out_code[i] = (struct hf_function_code){start, bytes};
    }
    free(symbols);
    return status;
}
