/* The source of a script: no line of it is read past its end. The first byte says the language:
 * p for Python, r for Ruby. */
#include "fuzz.h"
#include "spec/script_lines.h"
#include "tell.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_script_lines lines;
    if (size == 0)
        return 0;
    if (!hf_script_lines_find(&lines, (struct hf_text){(const char *)data + 1, size - 1}))
        abort();
    for (uint32_t line = 0; line <= lines.count + 1; line++) {
        enum hf_script_language language = data[0] == 'p'   ? HF_SCRIPT_PYTHON
                                           : data[0] == 'r' ? HF_SCRIPT_RUBY
                                                            : HF_SCRIPT_OTHER;
        enum hf_script_use use = hf_script_line_use(&lines, line, language);
        if (use != HF_SCRIPT_KEEPS)
            fuzz_tell("%u %s\n", line, use == HF_SCRIPT_HANDS_ON ? "hands on" : "passes");
        if (use != HF_SCRIPT_KEEPS && (line == 0 || line > lines.count))
            abort();
    }
    hf_script_lines_done(&lines);
    return 0;
}
