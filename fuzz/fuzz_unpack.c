/* Compressed files, fed in pieces. Input: the size of a piece (u8), the file. */
#include "compress/unpack.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

#define MADE_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    size_t piece = (size_t)hf_cursor_u8(&c) + 1;
    struct hf_text packed = fuzz_take_part(&c, hf_cursor_left(&c)), rest = packed;
    enum hf_packing packing = hf_packing_of(packed);
    struct hf_unpack *unpack = NULL;
    if (packing != HF_PACKING_NONE && hf_unpack_new(packing, &unpack, &err) == HF_OK) {
        char out[512];
        size_t total = 0;
        for (size_t made = 1; made != 0 || rest.size != 0; total += made) {
            struct hf_text part = hf_text_first(rest, piece);
            size_t given = part.size;
            enum hf_status status = hf_unpack_step(unpack, &part, out, sizeof out, &made, &err);
            fuzz_tell_error(status, &err);
            if (status != HF_OK)
                break;
            fuzz_tell_long("unpacked", (struct hf_text){out, made});
            if (made > sizeof out || part.size > given)
                abort();
            if ((made == 0 && given != 0 && part.size == given) || total > MADE_MAX)
                break;
            rest = hf_text_from(rest, given - part.size);
        }
        fuzz_tell("%s, %s\n", hf_unpack_name(unpack), hf_unpack_is_whole(unpack) ? "whole" : "cut");
    }
    hf_unpack_free(unpack);
    fuzz_free_part(packed);
    return 0;
}
