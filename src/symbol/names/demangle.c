#include "symbol/names/demangle.h"

#include "base/budget.h"
#include "base/limits.h"
#include "symbol/names/demangle_price.h"
#include "symbol/names/foreign.h"
#include "symbol/names/shortname.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#define STEPS_A_BYTE 30 /* of what is printed */

/*
 * Text that libiberty hands over in pieces, up to the cap. A name of 200 bytes can stand for 2^30
 * of them (each substitution twice the one before), and libiberty cannot be told to stop: it is
 * left by a jump. It holds no memory of its own then, but for the piece that it is handing over,
 * so the jump waits for the piece after the cap.
 */
struct pieces {
    struct hf_out text;
    bool is_too_long;
    jmp_buf give_up;
};

static void demangle_take(const char *piece, size_t size, void *context)
{
    struct pieces *pieces = context;
    if (pieces->is_too_long)
        longjmp(pieces->give_up, 1);
    if (!hf_budget_step(STEPS_A_BYTE * size) || pieces->text.size + size > HF_LIMIT_DEMANGLE_OUTPUT)
        pieces->is_too_long = true;
    if (!pieces->is_too_long)
        hf_out_bytes(&pieces->text, piece, size);
}

/*
 * Takes off what follows the name: a version, "name@@GLIBC_2.8", which is left out, or "name@plt",
 * which says that it is an entry that leads there.
 */
static struct hf_text take_suffix(struct hf_text *name)
{
    size_t at = hf_text_find(*name, '@');
    struct hf_text suffix = hf_text_from(*name, at);
    if (at != 0)
        *name = hf_text_first(*name, at);
    return at != 0 && hf_text_is(suffix, "@plt") ? suffix : HF_TEXT("");
}

static bool demangle_is_mangled(struct hf_text name)
{
    return hf_text_starts(name, "_Z") || hf_text_starts(name, "_R") || hf_text_starts(name, "__Z");
}

/* Legacy Rust names end with a hash, "17h0123456789abcdefE", perhaps with an LLVM suffix behind. */
static bool may_be_rust(const char *name)
{
    return strncmp(name, "_R", 2) == 0 || strstr(name, "17h") != NULL;
}

/* True if libiberty may be asked: of what costs too much, or has no budget left, it is not. */
static bool is_affordable(struct hf_text name)
{
    bool is_v0 = hf_text_starts(name, "_R");
    uint64_t steps = is_v0 ? hf_price_of_rust(name) : hf_price_of_cpp(name);
    return steps != HF_PRICE_TOO_MUCH && hf_budget_has_reserve() && hf_budget_step(steps);
}

/* libiberty's own limit, for an unknown stack, refuses every name of 1,024 bytes and more. */
static int options_for(struct hf_text name)
{
    return DMGL_ANSI | DMGL_PARAMS |
           (name.size <= HF_LIMIT_DEMANGLE_DEEP ? DMGL_NO_RECURSE_LIMIT : 0);
}

/* `name.data` ends with NUL. */
static bool demangle(struct hf_text name, struct pieces *pieces)
{
    /* Legacy Rust names are valid C++ ones too, so Rust is asked first; it declines the others. */
    int no_hash = 0;
    if (!is_affordable(name) || setjmp(pieces->give_up) != 0)
        return false;
    if (may_be_rust(name.data) && rust_demangle_callback(name.data, no_hash, demangle_take, pieces))
        return !pieces->is_too_long && pieces->text.error.status == HF_OK;
    pieces->text.size = 0;
    pieces->is_too_long = false;
    return cplus_demangle_v3_callback(name.data, options_for(name), demangle_take, pieces) != 0 &&
           !pieces->is_too_long && pieces->text.error.status == HF_OK;
}

static void put_readable(struct hf_text plain, bool is_full, struct hf_out *out)
{
    char name[HF_LIMIT_DEMANGLE_INPUT + 1];
    if (hf_foreign_d(plain, is_full, out))
        return;
    if (!demangle_is_mangled(plain) || plain.size > HF_LIMIT_DEMANGLE_INPUT) {
        /* Local functions have no mangled name, and their own holds template arguments. */
        bool has_arguments = hf_text_find(plain, '<') != plain.size;
        if (is_full || !has_arguments)
            hf_out_text(out, plain);
        else
            hf_short_name(plain, out);
        return;
    }
    memcpy(name, plain.data, plain.size);
    name[plain.size] = '\0';
    struct pieces pieces = {0};
    if (!demangle((struct hf_text){name, plain.size}, &pieces))
        hf_out_text(out, plain);
    else if (is_full)
        hf_out_text(out, hf_out_view(&pieces.text));
    else
        hf_short_name(hf_out_view(&pieces.text), out);
    hf_out_done(&pieces.text);
}

void hf_demangle(struct hf_text mangled, bool is_full, struct hf_out *out)
{
    struct hf_text suffix = take_suffix(&mangled);
    put_readable(mangled, is_full, out);
    hf_out_text(out, suffix);
}
