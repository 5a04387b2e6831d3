#include "compress/deflate.h"

#include "base/budget.h"

#include <zlib.h>

enum hf_status hf_deflate(struct hf_text bytes, struct hf_out *out, struct hf_error *err)
{
    uLongf size = compressBound(bytes.size);
    char *packed = hf_budget_malloc(size);
    if (packed == NULL)
        return hf_error_memory(err);
    int result = compress2(
        (Bytef *)packed, &size, (const Bytef *)bytes.data, bytes.size, Z_DEFAULT_COMPRESSION);
    if (result == Z_OK)
        hf_out_bytes(out, packed, size);
    hf_budget_free(packed);
    return result == Z_OK ? HF_OK : hf_error_memory(err); /* nothing else can go wrong here */
}
