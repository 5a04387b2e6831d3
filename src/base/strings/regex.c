#include "base/strings/regex.h"

#include "base/budget.h"
#include "base/limits.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

/* What a name may take before it counts against the total: sound ones need a few for each byte. */
#define CHEAP_STEPS 1000
#define CHEAP_STEPS_A_BYTE 100
#define MACHINE_STEPS 15 /* of one step of PCRE2 */

struct hf_regex {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    uint64_t given_up;
    uint64_t steps; /* of HF_LIMIT_REGEX_TOTAL */
};

void hf_regex_free(struct hf_regex *regex)
{
    if (regex == NULL)
        return;
    pcre2_code_free(regex->code);
    pcre2_match_data_free(regex->match);
    pcre2_match_context_free(regex->context);
    free(regex);
}

enum hf_status hf_regex_new(const char *pattern, struct hf_regex **out_regex, struct hf_error *err)
{
    struct hf_regex *regex = calloc(1, sizeof *regex);
    if (regex == NULL)
        return hf_error_memory(err);
    int code;
    PCRE2_SIZE column;
    regex->code = pcre2_compile(
        (PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &code, &column, NULL);
    if (regex->code == NULL) {
        PCRE2_UCHAR message[128] = "";
        pcre2_get_error_message(code, message, sizeof message);
        hf_regex_free(regex);
        if (code == PCRE2_ERROR_HEAP_FAILED)
            return hf_error_memory(err);
        return hf_error_set(err, HF_ERR_USAGE, "regular expression '%s', column %zu: %s", pattern,
            (size_t)column + 1, (const char *)message);
    }
    regex->match = pcre2_match_data_create_from_pattern(regex->code, NULL);
    regex->context = pcre2_match_context_create(NULL);
    if (regex->match == NULL || regex->context == NULL) {
        hf_regex_free(regex);
        return hf_error_memory(err);
    }
    pcre2_set_heap_limit(regex->context, HF_LIMIT_REGEX_HEAP_KIB);
    /* Without JIT support matching is only slower. */
    (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
    *out_regex = regex;
    return HF_OK;
}

/* With at most so many steps; those count, if they are all needed. */
static int match(struct hf_regex *regex, struct hf_text text, uint32_t steps)
{
    const char *data = text.data != NULL ? text.data : "";
    pcre2_set_match_limit(regex->context, steps);
    int found =
        pcre2_match(regex->code, (PCRE2_SPTR)data, text.size, 0, 0, regex->match, regex->context);
    (void)hf_budget_step(found == PCRE2_ERROR_MATCHLIMIT ? MACHINE_STEPS * (uint64_t)steps
                                                         : CHEAP_STEPS + text.size);
    return found;
}

bool hf_regex_matches(struct hf_regex *regex, struct hf_text text)
{
    uint32_t cheap = text.size < HF_LIMIT_REGEX_MATCH / CHEAP_STEPS_A_BYTE
                         ? CHEAP_STEPS + CHEAP_STEPS_A_BYTE * (uint32_t)text.size
                         : HF_LIMIT_REGEX_MATCH;
    bool is_all = cheap >= HF_LIMIT_REGEX_MATCH;
    int found = match(regex, text, is_all ? HF_LIMIT_REGEX_MATCH : cheap);
    if (found == PCRE2_ERROR_MATCHLIMIT && !is_all && regex->steps < HF_LIMIT_REGEX_TOTAL) {
        regex->steps += HF_LIMIT_REGEX_MATCH;
        found = match(regex, text, HF_LIMIT_REGEX_MATCH);
    }
    if (found < 0 && found != PCRE2_ERROR_NOMATCH)
        regex->given_up++;
    return found >= 0;
}

uint64_t hf_regex_given_up(const struct hf_regex *regex)
{
    return regex->given_up;
}
