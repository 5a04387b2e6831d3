#include "formats/valgrind/memcheck.h"

#include "base/strings/num.h"

#define DIGITS_MAX 20
#define IN_RECORD " in loss record "

const char *const hf_leak_kind_names[HF_LEAK_KINDS] = {
    [HF_LEAK_DEFINITE] = "definitely lost",
    [HF_LEAK_INDIRECT] = "indirectly lost",
    [HF_LEAK_POSSIBLE] = "possibly lost",
    [HF_LEAK_REACHABLE] = "still reachable",
};

struct hf_text hf_leak_label(enum hf_leak_kind kind)
{
    static const char *const labels[HF_LEAK_KINDS] = {
        [HF_LEAK_DEFINITE] = "[definitely lost]",
        [HF_LEAK_INDIRECT] = "[indirectly lost]",
        [HF_LEAK_POSSIBLE] = "[possibly lost]",
        [HF_LEAK_REACHABLE] = "[still reachable]",
    };
    return hf_text_of(labels[kind]);
}

/* "1,009", and its change " (+13)" if there is one. */
static bool memcheck_record_take_number(struct hf_text *text, uint64_t *out_number)
{
    char digits[DIGITS_MAX];
    size_t count = 0, at = 0;
    for (; at < text->size; at++) {
        char c = text->data[at];
        if (c == ',')
            continue;
        if (c < '0' || c > '9')
            break;
        if (count == sizeof digits)
            return false;
        digits[count++] = c;
    }
    if (!hf_num_u64((struct hf_text){digits, count}, out_number))
        return false;
    *text = hf_text_from(*text, at);
    if (hf_text_starts(*text, " (+") || hf_text_starts(*text, " (-"))
        *text = hf_text_from(*text, hf_text_find(*text, ')') + 1);
    return true;
}

/* The bytes, of which only the direct ones count: "157 (24 direct, 133 indirect)". */
static bool take_bytes(struct hf_text *text, uint64_t *out_bytes)
{
    uint64_t indirect;
    if (!memcheck_record_take_number(text, out_bytes))
        return false;
    return !hf_text_take(text, " (") ||
           (memcheck_record_take_number(text, out_bytes) && hf_text_take(text, " direct, ") &&
               memcheck_record_take_number(text, &indirect) && hf_text_take(text, " indirect)"));
}

static bool take_amount(struct hf_text *text, struct hf_leak_amount *out)
{
    return take_bytes(text, &out->bytes) && hf_text_take(text, " bytes in ") &&
           memcheck_record_take_number(text, &out->blocks) && hf_text_take(text, " blocks");
}

bool hf_leak_parse_amount(struct hf_text text, struct hf_leak_amount *out_amount)
{
    struct hf_leak_amount amount;
    if (!take_amount(&text, &amount) || text.size != 0)
        return false;
    *out_amount = amount;
    return true;
}

bool hf_leak_is_record(struct hf_text line)
{
    return hf_text_find_string(line, IN_RECORD) != line.size && line.data[0] >= '0' &&
           line.data[0] <= '9';
}

bool hf_leak_parse_record(struct hf_text line, struct hf_leak_record *out_record)
{
    struct hf_leak_record record;
    if (!take_amount(&line, &record.amount) || !hf_text_take(&line, " are "))
        return false;
    for (size_t kind = 0; kind < HF_LEAK_KINDS; kind++) {
        struct hf_text rest = line;
        if (!hf_text_take(&rest, hf_leak_kind_names[kind]) || !hf_text_take(&rest, IN_RECORD))
            continue;
        record.kind = (enum hf_leak_kind)kind;
        *out_record = record;
        return true;
    }
    return false;
}
