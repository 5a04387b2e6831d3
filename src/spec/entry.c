#include "spec/entry.h"

#include "spec/system_call.h"

/* Parentheses and stars within each other; more is never meant. */
#define DEPTH_MAX 32

static bool entry_push(struct hf_spec_line *l, struct hf_spec_value *value,
    enum hf_spec_step_kind kind, uint64_t number)
{
    if (value->count == HF_SPEC_STEPS_MAX)
        return hf_spec_expected(l, "the end of a value: it has more than 12 parts");
    value->steps[value->count++] = (struct hf_spec_step){kind, number};
    return true;
}

static bool take_sum(struct hf_spec_line *l, struct hf_spec_value *value, unsigned depth);

static bool take_argument(struct hf_spec_line *l, struct hf_spec_value *value)
{
    uint64_t number;
    size_t start = l->at;
    if (!hf_spec_take_number(l, &number))
        return false;
    if (number >= HF_SPEC_ARGUMENTS)
        return hf_spec_expected_at(l, start, "an argument in a register, arg0 to arg5");
    return entry_push(l, value, HF_SPEC_ARGUMENT, number);
}

static bool take_unary(struct hf_spec_line *l, struct hf_spec_value *value, unsigned depth)
{
    uint64_t number;
    if (depth == DEPTH_MAX)
        return hf_spec_expected(l, "fewer parentheses and stars");
    if (hf_spec_take(l, "*"))
        return take_unary(l, value, depth + 1) && entry_push(l, value, HF_SPEC_LOAD, 0);
    if (hf_spec_take(l, "(")) {
        if (!take_sum(l, value, depth + 1))
            return false;
        return hf_spec_take(l, ")") || hf_spec_expected(l, "')'");
    }
    if (hf_spec_take(l, "arg"))
        return take_argument(l, value);
    if (hf_spec_take(l, "ret32"))
        return entry_push(l, value, HF_SPEC_RESULT32, 0);
    if (hf_spec_take(l, "ret"))
        return entry_push(l, value, HF_SPEC_RESULT, 0);
    bool is_negative = hf_spec_take(l, "-");
    struct hf_text rest = hf_spec_rest(l);
    if (rest.size == 0 || rest.data[0] < '0' || rest.data[0] > '9')
        return hf_spec_expected(
            l, is_negative ? "a number" : "a value: argN, ret, ret32, *VALUE or a number");
    return hf_spec_take_number(l, &number) &&
           entry_push(l, value, HF_SPEC_CONSTANT, is_negative ? 0 - number : number);
}

static bool take_product(struct hf_spec_line *l, struct hf_spec_value *value, unsigned depth)
{
    if (!take_unary(l, value, depth))
        return false;
    while (hf_spec_take(l, "*"))
        if (!take_unary(l, value, depth) || !entry_push(l, value, HF_SPEC_MULTIPLY, 0))
            return false;
    return true;
}

static bool take_sum(struct hf_spec_line *l, struct hf_spec_value *value, unsigned depth)
{
    if (!take_product(l, value, depth))
        return false;
    for (;;) {
        bool is_sum = hf_spec_take(l, "+");
        if (!is_sum && !hf_spec_take(l, "-"))
            return true;
        if (!take_product(l, value, depth) ||
            !entry_push(l, value, is_sum ? HF_SPEC_ADD : HF_SPEC_SUBTRACT, 0))
            return false;
    }
}

static bool holds_result(const struct hf_spec_value *value)
{
    for (uint32_t i = 0; i < value->count; i++)
        if (value->steps[i].kind == HF_SPEC_RESULT || value->steps[i].kind == HF_SPEC_RESULT32)
            return true;
    return false;
}

/* In the order of the enums. */
static const char *const keys[HF_SPEC_KEYS] = {"ctx=", "ptr=", "size=", "name=", "new="};
static const char *const relations[] = {"==", "!=", "<", ">="};

#define CONTEXT (1u << HF_SPEC_CONTEXT)
#define POINTER (1u << HF_SPEC_POINTER)
#define SIZE (1u << HF_SPEC_SIZE)
#define NAME (1u << HF_SPEC_NAME)
#define NEW (1u << HF_SPEC_NEW)

/* What each role has to be told, and may be told. */
static const struct role {
    unsigned needed, allowed;
    const char *expected;
} roles[HF_ROLES] = {
    [HF_ROLE_ALLOC] = {SIZE | NEW, SIZE | NEW | CONTEXT, "size= and new= of alloc, perhaps ctx="},
    [HF_ROLE_FREE] = {POINTER, POINTER | CONTEXT | SIZE, "ptr= of free, perhaps ctx= and size="},
    [HF_ROLE_REALLOC] = {POINTER | SIZE | NEW, POINTER | SIZE | NEW | CONTEXT,
        "ptr=, size= and new= of realloc, perhaps ctx="},
    [HF_ROLE_RESET] = {CONTEXT, CONTEXT, "ctx= of reset"},
    [HF_ROLE_DELETE] = {CONTEXT, CONTEXT, "ctx= of delete"},
    [HF_ROLE_CTXNEW] = {0, CONTEXT | NAME | NEW, "ctx= or new= of ctxnew, perhaps name="},
    [HF_ROLE_MAP] = {SIZE | NEW, SIZE | NEW, "size= and new= of map"},
    [HF_ROLE_UNMAP] = {POINTER | SIZE, POINTER | SIZE, "ptr= and size= of unmap"},
};

static bool take_condition(struct hf_spec_line *l, struct hf_spec_entry *entry)
{
    if (!take_sum(l, &entry->ok[0], 0))
        return false;
    size_t i = 0;
    while (i < HF_COUNT(relations) && !hf_spec_take(l, relations[i]))
        i++;
    if (i == HF_COUNT(relations))
        return hf_spec_expected(l, "'==', '!=', '<' or '>='");
    entry->relation = (enum hf_spec_relation)i;
    return take_sum(l, &entry->ok[1], 0);
}

/* One KEY=VALUE. `given`: keys of the line so far. */
static bool take_key(struct hf_spec_line *l, struct hf_spec_entry *entry, unsigned *given)
{
    size_t start = l->at, key = 0;
    if (hf_spec_take(l, "ok=")) {
        if (entry->ok[0].count != 0)
            return hf_spec_expected_at(l, start, "ok= once");
        if (!hf_spec_entry_returns(entry))
            return hf_spec_expected_at(l, start, "no ok=: it takes effect at its entry");
        return take_condition(l, entry);
    }
    while (key < HF_SPEC_KEYS && !hf_spec_take(l, keys[key]))
        key++;
    if (key == HF_SPEC_KEYS || (roles[entry->role].allowed & 1u << key) == 0)
        return hf_spec_expected_at(l, start, roles[entry->role].expected);
    if ((*given & 1u << key) != 0)
        return hf_spec_expected_at(l, start, "each key once");
    *given |= 1u << key;
    size_t value = l->at;
    if (!take_sum(l, &entry->values[key], 0))
        return false;
    if (key != HF_SPEC_NEW && holds_result(&entry->values[key]))
        return hf_spec_expected_at(l, value, "a value that is known at the entry, without ret");
    return true;
}

static bool take_keys(struct hf_spec_line *l, struct hf_spec_entry *entry)
{
    const struct role *role = &roles[entry->role];
    unsigned given = 0;
    while (hf_spec_next_word(l)) {
        if (!take_key(l, entry, &given))
            return false;
        if (l->at < l->text.size && strchr(" \t#", l->text.data[l->at]) == NULL)
            return hf_spec_expected(l, "'+', '-', '*' or a blank after a value");
    }
    bool is_context = entry->role != HF_ROLE_CTXNEW || (given & (CONTEXT | NEW)) != 0;
    return (is_context && (given & role->needed) == role->needed) ||
           hf_spec_expected(l, role->expected);
}

static bool is_hex_digits(struct hf_text text)
{
    return text.size != 0 && text.size % 2 == 0 &&
           strspn(text.data, "0123456789abcdef") >= text.size;
}

static bool take_locator(struct hf_spec_line *l, struct hf_spec_locator *locator)
{
    size_t start = l->at;
    if (hf_spec_take(l, "sym:")) {
        locator->kind = HF_SPEC_SYMBOL;
        locator->symbol = hf_spec_take_text(l);
        return locator->symbol.size != 0 || hf_spec_expected(l, "the name of a symbol");
    }
    if (hf_spec_take(l, "table[")) {
        locator->kind = HF_SPEC_TABLE;
        return hf_spec_take_number(l, &locator->number) &&
               (hf_spec_take(l, "]") || hf_spec_expected(l, "']'"));
    }
    if (hf_spec_take(l, "off:")) {
        locator->kind = HF_SPEC_OFFSET;
        if (!hf_spec_take_number(l, &locator->number))
            return false;
        if (!hf_spec_take(l, "@"))
            return hf_spec_expected(l, "'@' and the build-id of the file");
        start = l->at;
        locator->build_id = hf_spec_take_text(l);
        return is_hex_digits(locator->build_id) ||
               hf_spec_expected_at(l, start, "a build-id: pairs of digits and a to f");
    }
    if (hf_spec_take(l, "syscall:")) {
        locator->kind = HF_SPEC_SYSTEM_CALL;
        start = l->at;
        return hf_system_call_find(hf_spec_take_text(l), &locator->number) ||
               hf_spec_expected_at(l, start, "mmap, munmap or mremap");
    }
    return hf_spec_expected_at(
        l, start, "where the function is: sym:NAME, table[N], off:N@BUILD-ID or syscall:NAME");
}

bool hf_spec_read_entry(struct hf_spec_line *l, struct hf_spec_entry *entry)
{
    size_t start = l->at;
    if (!take_locator(l, &entry->locator) || !take_keys(l, entry))
        return false;
    return entry->locator.kind != HF_SPEC_SYSTEM_CALL ||
           hf_spec_entry_arguments(entry) >> HF_SYSTEM_CALL_ARGUMENTS == 0 ||
           hf_spec_expected_at(l, start, "a system call of which arg0, arg1 and arg2 are read");
}
