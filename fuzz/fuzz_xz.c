/* Parts in the xz format. Input: the compressed bytes. */
#include "compress/xz.h"
#include "fuzz.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_text packed = fuzz_take_part(&c, size);
    struct hf_text bytes = {NULL, 0};
    if (hf_xz_unpack(packed, &bytes, &err) == HF_OK)
        free((void *)(uintptr_t)bytes.data);
    else if (bytes.data != NULL)
        abort(); /* outputs are written only on success */
    fuzz_free_part(packed);
    return 0;
}
