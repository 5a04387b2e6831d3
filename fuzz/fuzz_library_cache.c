/* The cache of the dynamic linker: what is found lies in it. */
#include "fuzz.h"
#include "os/process/library_path.h"
#include "tell.h"

#include <elf.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_text cache = {(const char *)data, size}, path;
    static const char *const names[] = {"liba.so.1", "libb.so", ""};
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        bool is_found = hf_library_cache_find(cache, hf_text_of(names[i]), EM_X86_64, &path);
        fuzz_tell_named(names[i], is_found ? path : HF_TEXT("not found"));
        if (is_found && path.size != 0 &&
            (path.data < cache.data || path.data + path.size > cache.data + cache.size))
            abort();
    }
    return 0;
}
