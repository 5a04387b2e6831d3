/* Mangled names in full and short, and short forms of arbitrary text. */
#include "base/limits.h"
#include "fuzz.h"
#include "symbol/names/demangle.h"
#include "symbol/names/shortname.h"
#include "tell.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_text name = {(const char *)data, size};
    struct hf_out out = {0};
    hf_demangle(name, true, &out);
    if (out.size > HF_LIMIT_DEMANGLE_OUTPUT && out.size > size)
        abort();
    fuzz_tell_long("name", name);
    fuzz_tell_long("with parameters", hf_out_view(&out));
    hf_out_done(&out);
    out = (struct hf_out){0};
    hf_demangle(name, false, &out);
    fuzz_tell_long("without", hf_out_view(&out));
    hf_out_done(&out);
    out = (struct hf_out){0};
    hf_short_name(name, &out);
    if (out.size > size || (out.size == 0 && size != 0))
        abort(); /* shorter, but never nothing */
    fuzz_tell_long("short", hf_out_view(&out));
    hf_out_done(&out);
    return 0;
}
