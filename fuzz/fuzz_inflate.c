/* Compressed sections. Input: 2 for zstd (u8), the claimed size (u24), the compressed bytes. */
#include "compress/inflate.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

#define SIZE_MAX_BYTES ((uint32_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    enum hf_compression method =
        hf_cursor_u8(&c) == HF_COMPRESSION_ZSTD ? HF_COMPRESSION_ZSTD : HF_COMPRESSION_ZLIB;
    uint32_t claimed = hf_cursor_u24(&c) % SIZE_MAX_BYTES;
    struct hf_text payload = fuzz_take_part(&c, hf_cursor_left(&c));
    char *bytes = NULL;
    enum hf_status status = hf_inflate(method, payload, claimed, &bytes, &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK) {
        fuzz_tell_long("inflated", (struct hf_text){bytes, claimed});
        free(bytes);
    } else if (bytes != NULL) {
        abort(); /* outputs are written only on success */
    }
    fuzz_free_part(payload);
    return 0;
}
