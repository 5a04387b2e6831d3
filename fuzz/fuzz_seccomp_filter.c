/* A filter of another process, run on a call: it ends, and reads nothing but the call. Input: a
 * struct seccomp_data, then instructions. */
#include "fuzz.h"
#include "input.h"
#include "memory/seccomp_filter.h"
#include "tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_cursor cursor = hf_cursor_of(data, size, "fuzz");
    struct seccomp_data call = {0};
    struct hf_text given = fuzz_take_part(&cursor, sizeof call);
    struct hf_text filter = fuzz_take_part(&cursor, hf_cursor_left(&cursor));
    uint32_t action = 0;
    memcpy(&call, given.data, given.size);
    size_t count = filter.size / sizeof(struct sock_filter);
    if (hf_seccomp_run(
            (const struct sock_filter *)(const void *)filter.data, count, &call, &action))
        fuzz_tell("answers %#x\n", action);
    else
        fuzz_tell("no filter\n");
    free((void *)(uintptr_t)given.data);
    free((void *)(uintptr_t)filter.data);
    return 0;
}
