/* The source of a script: no line of it is read past its end. The first byte says the language:
 * p for Python, r for Ruby, l for Lua, h for PHP, j for JavaScript, c for C, + for C++, s for Rust,
 * Perl otherwise. */
#include "fuzz.h"
#include "source/flow.h"
#include "tell.h"

#include <stdlib.h>

static struct hf_text path_of(uint8_t letter)
{
    switch (letter) {
    case 'p': return HF_TEXT("a.py");
    case 'r': return HF_TEXT("a.rb");
    case 'l': return HF_TEXT("a.lua");
    case 'h': return HF_TEXT("a.php");
    case 'j': return HF_TEXT("a.js");
    case 'c': return HF_TEXT("a.c");
    case '+': return HF_TEXT("a.cc");
    case 's': return HF_TEXT("a.rs");
    default: return HF_TEXT("a.pl");
    }
}

/* The first name of a line. */
static struct hf_text callee_of(const struct hf_source_tokens *tokens, uint32_t line)
{
    for (uint32_t at = 0; at < tokens->count; at++) {
        if (tokens->items[at].line == line && hf_source_is_kind(tokens, at, HF_SOURCE_NAME))
            return hf_source_token_text(tokens, at);
    }
    return (struct hf_text){NULL, 0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_sources sources = {0};
    struct hf_error err;
    uint32_t file;
    if (size == 0)
        return 0;
    const struct hf_text text = {(const char *)data + 1, size - 1};
    if (hf_sources_add_text(&sources, path_of(data[0]), text, &file, &err) == HF_OK) {
        struct hf_source_flow flow = {.sources = &sources};
        const struct hf_source_tokens *tokens = &sources.files[file].tokens;
        uint32_t last = tokens->count != 0 ? tokens->items[tokens->count - 1].line : 0;
        for (uint32_t line = 0; line <= last + 1; line++) {
            struct hf_source_end end =
                hf_source_flow_of(&flow, file, line, (struct hf_text){NULL, 0});
            if (end.fate != HF_SOURCE_UNKNOWN)
                fuzz_tell("%u %d\n", line, end.fate);
            if (end.fate == HF_SOURCE_KEPT && (end.line == 0 || end.line > last))
                abort();
            (void)hf_source_flow_of_argument(&flow, file, line, callee_of(tokens, line), line % 4);
        }
        hf_source_flow_done(&flow);
    }
    hf_sources_done(&sources);
    return 0;
}
