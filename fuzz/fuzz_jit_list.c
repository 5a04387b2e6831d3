/*
 * What a JIT keeps in memory for GDB: names are whole lines, and nothing is read beyond the memory.
 *
 * Input: the memory, which begins at 0x1000 with the descriptor.
 */
#include "fuzz.h"
#include "input.h"
#include "symbol/lookup/jit_list.h"
#include "tell.h"

#define BEGIN 0x1000u

static size_t read_part(void *context, uint64_t address, void *out, size_t size)
{
    const struct hf_text *bytes = context;
    if (address < BEGIN || address - BEGIN > bytes->size)
        return 0;
    struct hf_text rest = hf_text_first(hf_text_from(*bytes, (size_t)(address - BEGIN)), size);
    if (rest.size != 0)
        memcpy(out, rest.data, rest.size);
    return rest.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_jit_list list;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_text bytes = fuzz_take_part(&c, size);
    struct hf_memory memory = {read_part, &bytes};
    list.size = list.count = 0;
    list.has_more_objects = list.has_larger_objects = list.has_more_names = false;
    for (int look = 0; look < 2; look++) { /* the second knows all objects */
        uint32_t before = list.size;
        list.descriptor = BEGIN;
        memset(list.head, 0xff, sizeof list.head);
        hf_jit_list_look(&list, &memory);
        struct hf_text names = hf_jit_list_names(&list);
        if (names.size != list.size || (names.size != 0 && names.data[names.size - 1] != '\n'))
            abort();
        fuzz_tell("%u objects%s%s%s\n", list.count, list.has_more_objects ? ", more" : "",
            list.has_larger_objects ? ", larger" : "", list.has_more_names ? ", names" : "");
        fuzz_tell_long("names", names);
        if (look == 1 && list.size != before)
            abort();
    }
    fuzz_free_part(bytes);
    return 0;
}
