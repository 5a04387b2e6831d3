/* The source of a script: no line of it is read past its end. The first byte says whether it is
 * Python. */
#include "fuzz.h"
#include "spec/script_source.h"
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
        bool hands_on = hf_script_line_hands_on(&lines, line, data[0] == 'p');
        if (hands_on)
            fuzz_tell("%u hands on\n", line);
        if (hands_on && (line == 0 || line > lines.count))
            abort();
    }
    hf_script_lines_done(&lines);
    return 0;
}
