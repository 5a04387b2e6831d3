#include "unwind/perl/package_names.h"

#include "base/mix.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)
#define CHUNK 64u /* divides a page, so that no read goes beyond the one that has the NUL */

enum { NAME_HASH = 0, NAME_SIZE = 4, NAME_BYTES = 8, NAME_IS_UTF8 = 1 };

static const char eval_path[] = "(eval)";

/* The size of a name, whose head this is; false: it is none. */
static bool name_find(
    const struct hf_interpreted_memory *memory, uint64_t address, uint8_t head[NAME_BYTES])
{
    char end;
    if (!hf_interpreted_copy(memory, address, head, NAME_BYTES))
        return false;
    uint32_t size = hf_interpreted_u32(head, NAME_SIZE);
    return size <= HF_PERL_NAME_MAX &&
           hf_interpreted_copy(memory, address + NAME_BYTES + size, &end, 1) && end == '\0';
}

bool hf_perl_name_hash(const struct hf_interpreted_memory *memory, uint64_t address, uint64_t *hash)
{
    uint8_t head[NAME_BYTES];
    if (!name_find(memory, address, head))
        return false;
    *hash = hf_mix(*hash ^ hf_interpreted_u64(head, NAME_HASH), PRIME);
    return true;
}

static bool path_find_end(
    const struct hf_interpreted_memory *memory, uint64_t address, uint64_t *out_size)
{
    char bytes[CHUNK];
    for (uint64_t at = address; at - address < HF_PERL_PATH_MAX;) {
        size_t size = CHUNK - (size_t)(at % CHUNK);
        if (!hf_interpreted_copy(memory, at, bytes, size))
            return false;
        const char *nul = memchr(bytes, '\0', size);
        if (nul != NULL) {
            *out_size = at - address + (uint64_t)(nul - bytes);
            return true;
        }
        at += size;
    }
    return false;
}

/* Of code in eval: "(eval ", digits, ")". */
static bool path_is_eval(const char *bytes, size_t size)
{
    size_t start = sizeof eval_path - 2;
    if (size < start + 3 || memcmp(bytes, eval_path, start) != 0 || bytes[start] != ' ' ||
        bytes[size - 1] != ')')
        return false;
    for (size_t i = start + 1; i < size - 1; i++) {
        if (bytes[i] < '0' || bytes[i] > '9')
            return false;
    }
    return true;
}

/* Copies the end of a path, and says how long the whole is. */
static bool path_copy(const struct hf_interpreted_memory *memory, uint64_t address,
    char out[HF_PERL_TEXT_MAX], uint64_t *out_size)
{
    uint64_t size;
    if (!path_find_end(memory, address, &size))
        return false;
    uint64_t kept = size < HF_PERL_TEXT_MAX ? size : HF_PERL_TEXT_MAX;
    if (kept != 0 && !hf_interpreted_copy(memory, address + size - kept, out, kept))
        return false;
    if (kept == size && path_is_eval(out, kept)) {
        size = sizeof eval_path - 1;
        memcpy(out, eval_path, size);
    }
    *out_size = size;
    return true;
}

bool hf_perl_path_hash(const struct hf_interpreted_memory *memory, uint64_t address, uint64_t *hash)
{
    uint8_t bytes[HF_PERL_TEXT_MAX + 16] = {0};
    uint64_t size;
    if (!path_copy(memory, address, (char *)bytes, &size))
        return false;
    uint32_t kept = size < HF_PERL_TEXT_MAX ? (uint32_t)size : HF_PERL_TEXT_MAX;
    memset(bytes + kept, 0, 16);
    *hash = hf_mix(*hash ^ size, PRIME);
    for (uint32_t i = 0; i < kept; i += 16)
        *hash =
            hf_mix(*hash ^ hf_interpreted_u64(bytes, i), PRIME ^ hf_interpreted_u64(bytes, i + 8));
    return true;
}

/* Latin-1 as UTF-8. */
static size_t name_widen(const uint8_t *bytes, size_t size, char *out)
{
    size_t written = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < 0x80) {
            out[written++] = (char)bytes[i];
            continue;
        }
        out[written++] = (char)(0xc0 | bytes[i] >> 6);
        out[written++] = (char)(0x80 | (bytes[i] & 0x3f));
    }
    return written;
}

size_t hf_perl_name_write(
    const struct hf_interpreted_memory *memory, uint64_t address, char out[HF_PERL_TEXT_BYTES])
{
    uint8_t head[NAME_BYTES], bytes[HF_PERL_TEXT_MAX], flags;
    if (!name_find(memory, address, head))
        return 0;
    uint32_t size = hf_interpreted_u32(head, NAME_SIZE);
    uint32_t kept = size < sizeof bytes ? size : sizeof bytes;
    uint64_t end = address + NAME_BYTES + size;
    if (kept == 0 || !hf_interpreted_copy(memory, end - kept, bytes, kept) ||
        !hf_interpreted_copy(memory, end + 1, &flags, 1))
        return 0;
    const uint8_t *nul = memchr(bytes, 0, kept);
    kept = nul != NULL ? (uint32_t)(nul - bytes) : kept;
    if ((flags & NAME_IS_UTF8) == 0)
        return name_widen(bytes, kept, out);
    memcpy(out, bytes, kept);
    return kept;
}

size_t hf_perl_path_write(
    const struct hf_interpreted_memory *memory, uint64_t address, char out[HF_PERL_TEXT_BYTES])
{
    uint64_t size;
    if (!path_copy(memory, address, out, &size))
        return 0;
    return size < HF_PERL_TEXT_MAX ? size : HF_PERL_TEXT_MAX;
}
