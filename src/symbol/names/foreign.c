#include "symbol/names/foreign.h"

#include "base/budget.h"
#include "base/limits.h"
#include "os/broker_line.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 1024u
#define STEPS_A_PART 100
#define LETTERS 26u

static bool foreign_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

bool hf_foreign_is_d(struct hf_text name)
{
    return hf_text_is(name, "_Dmain") ||
           (name.size > 2 && hf_text_starts(name, "_D") && foreign_is_digit(name.data[2]));
}

/* Reads the number of a back reference at `at`, and says where it ends: base 26, last digit small.
 */
static size_t read_reference(struct hf_text name, size_t at, size_t *out_distance)
{
    size_t distance = 0;
    for (; at < name.size && is_upper(name.data[at]) && distance < LONGEST; at++)
        distance = distance * LETTERS + (size_t)(name.data[at] - 'A');
    if (at < name.size && is_lower(name.data[at]))
        distance = distance * LETTERS + (size_t)(name.data[at++] - 'a');
    *out_distance = distance;
    return at;
}

static uint64_t capped(uint64_t count)
{
    return count < HF_LIMIT_DEMANGLE_STEPS ? count : HF_LIMIT_DEMANGLE_STEPS;
}

/*
 * At most so many parts are read: what a reference stands for once more, and all of it again for
 * each digit of a length that may be shorter. At most HF_LIMIT_DEMANGLE_STEPS.
 */
static uint64_t parts_of_d(struct hf_text name)
{
    uint64_t read[LONGEST + 2] = {0}; /* before each byte */
    uint64_t tries = 1;
    size_t at = 0;
    while (at < name.size) {
        size_t next = at + 1, distance = 0, digits = 0;
        uint64_t parts = 1;
        if (name.data[at] == 'Q')
            next = read_reference(name, at + 1, &distance);
        if (distance != 0 && distance <= at)
            parts += read[at] - read[at - distance];
        while (name.data[at] == 'S' && at + 1 + digits < name.size &&
               foreign_is_digit(name.data[at + 1 + digits]))
            digits++;
        bool is_type = at != 0 && name.data[at - 1] == 'T';
        if (digits > 1 && !is_type)
            tries = capped(tries * digits);
        for (size_t i = at + 1; i <= next; i++)
            read[i] = capped(read[at] + parts);
        at = next;
    }
    return capped(read[name.size] * tries);
}

static bool may_ask(struct hf_text name, uint64_t parts)
{
    uint64_t steps = parts * STEPS_A_PART;
    return hf_broker_is_there() && name.size != 0 && name.size <= LONGEST &&
           steps < HF_LIMIT_DEMANGLE_STEPS && hf_budget_has_reserve() && hf_budget_step(steps);
}

/* Without what stands in brackets: "d.Box!(int).Box.hold(ulong)" is d.Box.Box.hold. */
static void put_short(const char *readable, struct hf_out *out)
{
    size_t depth = 0;
    for (const char *c = readable; *c != '\0'; c++) {
        bool opens = *c == '(' || (*c == '!' && c[1] == '(');
        depth += *c == '(';
        if (depth == 0 && !opens)
            hf_out_bytes(out, c, 1);
        depth -= *c == ')' && depth != 0;
    }
}

/* A copy that ends with NUL, since the name's own may go on with "@plt". */
static void copy_name(struct hf_text name, char copy[LONGEST + 1])
{
    memcpy(copy, name.data, name.size);
    copy[name.size] = '\0';
}

bool hf_foreign_d(struct hf_text name, bool is_full, struct hf_out *out)
{
    char copy[LONGEST + 1];
    if (!hf_foreign_is_d(name) || name.size > LONGEST || !may_ask(name, parts_of_d(name)))
        return false;
    copy_name(name, copy);
    char *readable = dlang_demangle(copy, DMGL_NO_OPTS);
    bool is_read = readable != NULL && strlen(readable) <= HF_LIMIT_DEMANGLE_OUTPUT;
    if (is_read && is_full)
        hf_out_string(out, readable);
    else if (is_read)
        put_short(readable, out);
    free(readable);
    return is_read;
}

bool hf_foreign_ada(struct hf_text name, struct hf_out *out)
{
    char copy[LONGEST + 1];
    if (!may_ask(name, name.size))
        return false;
    copy_name(name, copy);
    char *readable = ada_demangle(copy, DMGL_NO_OPTS);
    bool is_read = readable != NULL && readable[0] != '<'; /* "<name>": it is not Ada's */
    if (is_read)
        hf_out_string(out, readable);
    free(readable);
    return is_read;
}

/*
 * A constrained parameter ("Tk") or a clause that constrains ("Q", and of what: a name, or an
 * expression), as GCC 14 and Clang 18 mangle them; libiberty 2.40 does not read them. Longer names
 * may be unread for other reasons.
 */
static bool has_constraint(struct hf_text name)
{
    if (!hf_text_starts(name, "_Z") || name.size > LONGEST)
        return false;
    for (size_t i = 2; i + 1 < name.size; i++) {
        char next = name.data[i + 1];
        if ((name.data[i] == 'T' && next == 'k') ||
            (name.data[i] == 'Q' && (foreign_is_digit(next) || next == 'N' || next == 'r')))
            return true;
    }
    return false;
}

const char *hf_foreign_language(struct hf_text name)
{
    bool is_ghc = hf_text_ends(name, "_info") || hf_text_ends(name, "_entry");
    if (hf_foreign_is_d(name))
        return "D";
    if (hf_text_starts(name, "caml") && name.size > 4 && is_upper(name.data[4]) &&
        hf_text_has(name, "__"))
        return "OCaml";
    if (is_ghc && (hf_text_has(name, "zi") || hf_text_has(name, "_GHC")))
        return "Haskell";
    if (hf_text_starts(name, "__") && hf_text_has(name, "_MOD_"))
        return "Fortran";
    if (hf_text_starts(name, "$s") || hf_text_starts(name, "_$s"))
        return "Swift";
    if (hf_text_has(name, "_$$_"))
        return "Pascal";
    if (has_constraint(name))
        return HF_FOREIGN_CONSTRAINTS;
    return NULL;
}
