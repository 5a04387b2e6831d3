#include "unwind/rule.h"

#include "base/checked.h"
#include "dwarf/constants.h"

/* System V ABI for x86-64, figure 3.36. */
enum { DWARF_FP = 6, DWARF_SP = 7, DWARF_PC = 16 };

#define STATES_MAX 8 /* remembered at a time; compilers need 1 */

/* What is known of a register of the caller. */
struct saved {
    enum {
        SAVED_NOT, /* it still has the value */
        SAVED_NOWHERE,
        SAVED_AT, /* at CFA + offset */
        SAVED_BY_EXPRESSION,
        SAVED_OTHERWISE,
    } how;
    int64_t offset;
    struct hf_text expression;
};

/* A row of the table that the instructions describe. */
struct rule_row {
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct hf_text cfa_expression; /* instead of both, if it has bytes */
    struct saved fp, sp, pc;
};

struct program {
    const struct hf_fde *fde;
    struct hf_cursor at;
    uint64_t row_address; /* where the code of the row begins */
    struct rule_row row, initial, states[STATES_MAX];
    size_t state_count;
};

static int64_t read_offset(struct program *p)
{
    uint64_t offset = hf_cursor_uleb(&p->at);
    if (offset > INT64_MAX)
        hf_cursor_fail(&p->at);
    return (int64_t)offset;
}

/* An offset in units of the data factor. */
static int64_t rule_scaled(struct program *p, int64_t units)
{
    int64_t offset = 0;
    if (!hf_mul_i64(units, p->fde->cie.data_factor, &offset))
        hf_cursor_fail(&p->at);
    return offset;
}

static struct hf_text read_expression(struct program *p)
{
    return hf_cursor_bytes(&p->at, hf_cursor_uleb(&p->at));
}

static void advance(struct program *p, uint64_t units)
{
    uint64_t bytes;
    if (!hf_mul_u64(units, p->fde->cie.code_factor, &bytes) ||
        !hf_add_u64(p->row_address, bytes, &p->row_address))
        hf_cursor_fail(&p->at);
}

static struct saved *register_of(struct rule_row *row, uint64_t number)
{
    switch (number) {
    case DWARF_FP: return &row->fp;
    case DWARF_SP: return &row->sp;
    case DWARF_PC: return &row->pc;
    default: return NULL;
    }
}

static void rule_save(struct program *p, uint64_t number, struct saved saved)
{
    struct saved *place = register_of(&p->row, number);
    if (place != NULL)
        *place = saved;
}

static void save_at(struct program *p, uint64_t number, int64_t units)
{
    rule_save(p, number, (struct saved){.how = SAVED_AT, .offset = rule_scaled(p, units)});
}

static void restore(struct program *p, uint64_t number)
{
    const struct saved *initial = register_of(&p->initial, number);
    if (initial != NULL)
        rule_save(p, number, *initial);
}

static void remember_state(struct program *p)
{
    if (p->state_count == STATES_MAX)
        hf_cursor_fail(&p->at);
    else
        p->states[p->state_count++] = p->row;
}

static void restore_state(struct program *p)
{
    if (p->state_count == 0)
        hf_cursor_fail(&p->at);
    else
        p->row = p->states[--p->state_count];
}

static void define_cfa(struct program *p, uint64_t number, int64_t offset)
{
    p->row.cfa_register = number;
    p->row.cfa_offset = offset;
    p->row.cfa_expression.size = 0;
}

/* One of the instructions that say where a register is. */
static void run_register(struct program *p, uint8_t code)
{
    struct hf_cursor *c = &p->at;
    uint64_t number = hf_cursor_uleb(c);
    switch (code) {
    case DW_CFA_offset_extended: save_at(p, number, read_offset(p)); break;
    case DW_CFA_offset_extended_sf: save_at(p, number, hf_cursor_sleb(c)); break;
    case DW_CFA_GNU_negative_offset_extended: save_at(p, number, -read_offset(p)); break;
    case DW_CFA_restore_extended: restore(p, number); break;
    case DW_CFA_undefined: rule_save(p, number, (struct saved){.how = SAVED_NOWHERE}); break;
    case DW_CFA_same_value: rule_save(p, number, (struct saved){.how = SAVED_NOT}); break;
    case DW_CFA_expression:
        rule_save(p, number, (struct saved){SAVED_BY_EXPRESSION, 0, read_expression(p)});
        break;
    case DW_CFA_val_expression:
        hf_cursor_skip(c, hf_cursor_uleb(c));
        rule_save(p, number, (struct saved){.how = SAVED_OTHERWISE});
        break;
    case DW_CFA_register:
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
        hf_cursor_skip_leb(c);
        rule_save(p, number, (struct saved){.how = SAVED_OTHERWISE});
        break;
    default: hf_cursor_fail(c); break;
    }
}

static void run_one(struct program *p)
{
    struct hf_cursor *c = &p->at;
    uint8_t code = hf_cursor_u8(c), operand = code & 0x3f;
    uint64_t number;
    switch (code & 0xc0) {
    case DW_CFA_advance_loc: advance(p, operand); return;
    case DW_CFA_offset: save_at(p, operand, read_offset(p)); return;
    case DW_CFA_restore: restore(p, operand); return;
    }
    switch (code) {
    case DW_CFA_nop: break;
    case DW_CFA_set_loc:
        p->row_address =
            hf_callframe_address(c, p->fde->cie.address_encoding, p->fde->instructions_address);
        break;
    case DW_CFA_advance_loc1: advance(p, hf_cursor_u8(c)); break;
    case DW_CFA_advance_loc2: advance(p, hf_cursor_u16(c)); break;
    case DW_CFA_advance_loc4: advance(p, hf_cursor_u32(c)); break;
    case DW_CFA_remember_state: remember_state(p); break;
    case DW_CFA_restore_state: restore_state(p); break;
    case DW_CFA_def_cfa:
        number = hf_cursor_uleb(c);
        define_cfa(p, number, read_offset(p));
        break;
    case DW_CFA_def_cfa_sf:
        number = hf_cursor_uleb(c);
        define_cfa(p, number, rule_scaled(p, hf_cursor_sleb(c)));
        break;
    case DW_CFA_def_cfa_register: define_cfa(p, hf_cursor_uleb(c), p->row.cfa_offset); break;
    case DW_CFA_def_cfa_offset: define_cfa(p, p->row.cfa_register, read_offset(p)); break;
    case DW_CFA_def_cfa_offset_sf:
        define_cfa(p, p->row.cfa_register, rule_scaled(p, hf_cursor_sleb(c)));
        break;
    case DW_CFA_def_cfa_expression:
        p->row.cfa_expression = read_expression(p);
        if (p->row.cfa_expression.size == 0)
            hf_cursor_fail(c);
        break;
    case DW_CFA_GNU_args_size: hf_cursor_skip_leb(c); break;
    default: run_register(p, code); break;
    }
}

/* Runs what concerns the code up to `address`. */
static bool rule_run(struct program *p, struct hf_text instructions, uint64_t address)
{
    p->at = hf_cursor_of(instructions.data, instructions.size, "call frame instructions");
    while (hf_cursor_left(&p->at) != 0 && p->row_address <= address)
        run_one(p);
    return !hf_cursor_failed(&p->at);
}

/* The expression is "register + offset", and then the operations of `behind`. */
static bool is_sum(
    struct hf_text expression, unsigned number, struct hf_text behind, int64_t *out_offset)
{
    struct hf_cursor c = hf_cursor_of(expression.data, expression.size, "expression");
    bool is_register = hf_cursor_u8(&c) == DW_OP_breg0 + number;
    int64_t offset = hf_cursor_sleb(&c);
    struct hf_text rest = hf_cursor_bytes(&c, hf_cursor_left(&c));
    if (!is_register || hf_cursor_failed(&c) || !hf_text_equal(rest, behind))
        return false;
    *out_offset = offset;
    return true;
}

static const struct hf_text nothing = {"", 0}, deref = {"\x06", 1}; /* DW_OP_deref */

/*
 * What linkers write for the entries of a PLT, of 16 bytes each: rsp + 8, and 8 more where the
 * instruction that pushes the entry's number is done, from byte `out_split` on.
 */
static bool is_plt(struct hf_text expression, uint8_t *out_split)
{
    enum { SPLIT = 6 };
    char usual[] = {DW_OP_breg0 + DWARF_SP, 8, (char)(DW_OP_breg0 + DWARF_PC), 0, DW_OP_lit0 + 15,
        DW_OP_and, 0, DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl, DW_OP_plus};
    if (expression.size != sizeof usual)
        return false;
    usual[SPLIT] = expression.data[SPLIT];
    uint8_t split = (uint8_t)((uint8_t)usual[SPLIT] - DW_OP_lit0);
    if (split > 15 || memcmp(expression.data, usual, sizeof usual) != 0)
        return false;
    *out_split = split;
    return true;
}

static bool is_kept_by_signal(const struct saved *saved, int64_t offset)
{
    int64_t found;
    return saved->how == SAVED_BY_EXPRESSION &&
           is_sum(saved->expression, DWARF_SP, nothing, &found) && found == offset;
}

/* The C library's code to which a signal handler returns describes what the kernel has put there.
 */
static bool is_linux_signal(const struct rule_row *row)
{
    int64_t cfa;
    return is_sum(row->cfa_expression, DWARF_SP, deref, &cfa) && cfa == HF_UNWIND_SIGNAL_SP &&
           is_kept_by_signal(&row->fp, HF_UNWIND_SIGNAL_FP) &&
           is_kept_by_signal(&row->pc, HF_UNWIND_SIGNAL_PC);
}

/* Offsets in units of 8 bytes, as far as a rule has room for them. */
static bool is_units(int64_t offset, int64_t min, int64_t max, int64_t *out_units)
{
    *out_units = offset / 8;
    return offset % 8 == 0 && *out_units >= min && *out_units <= max;
}

static uint32_t fp_place(const struct saved *fp)
{
    int64_t units;
    if (fp->how == SAVED_NOT)
        return HF_UNWIND_FP_SAME;
    if (fp->how == SAVED_AT && is_units(fp->offset, 1 - (int64_t)HF_UNWIND_FP_CHAINED, -1, &units))
        return (uint32_t)-units;
    if (fp->how == SAVED_BY_EXPRESSION && is_sum(fp->expression, DWARF_FP, nothing, &units) &&
        units == 0)
        return HF_UNWIND_FP_CHAINED;
    return HF_UNWIND_FP_LOST;
}

static const struct hf_unwind_rule unknown = {0};

static struct hf_unwind_rule rule_of_row(const struct rule_row *row, bool is_signal)
{
    if (is_signal)
        return is_linux_signal(row) ? hf_unwind_rule_make(HF_UNWIND_SIGNAL, 0, HF_UNWIND_FP_LOST)
                                    : unknown;
    if (row->pc.how == SAVED_NOWHERE)
        return hf_unwind_rule_make(HF_UNWIND_END, 0, 0);
    if (row->pc.how != SAVED_AT || row->pc.offset != -8 || row->sp.how != SAVED_NOT)
        return unknown;
    enum hf_unwind_kind kind;
    int64_t offset = row->cfa_offset, units;
    uint8_t split;
    if (row->cfa_expression.size == 0 && row->cfa_register == DWARF_SP)
        kind = HF_UNWIND_SP;
    else if (row->cfa_expression.size == 0 && row->cfa_register == DWARF_FP)
        kind = HF_UNWIND_FP;
    else if (is_sum(row->cfa_expression, DWARF_FP, deref, &offset))
        kind = HF_UNWIND_FP_DEREF;
    else if (is_plt(row->cfa_expression, &split))
        return hf_unwind_rule_make(HF_UNWIND_PLT, split, fp_place(&row->fp));
    else
        return unknown;
    if (!is_units(offset, INT16_MIN, INT16_MAX, &units))
        return unknown;
    return hf_unwind_rule_make(kind, (int16_t)units, fp_place(&row->fp));
}

struct hf_unwind_rule hf_unwind_rule_of(const struct hf_fde *fde, uint64_t address)
{
    struct program p;
    if (address < fde->start || address >= fde->end || fde->cie.return_register != DWARF_PC)
        return unknown;
    p.fde = fde;
    p.row_address = fde->start;
    p.state_count = 0;
    p.row = p.initial = (struct rule_row){0};
    if (!rule_run(&p, fde->cie.instructions, address))
        return unknown;
    p.initial = p.row;
    if (!rule_run(&p, fde->instructions, address))
        return unknown;
    return rule_of_row(&p.row, fde->cie.is_signal);
}

struct hf_unwind_rule hf_unwind_rule_at(const struct hf_callframes *callframes, uint64_t address)
{
    struct hf_fde fde;
    return hf_callframes_find(callframes, address, &fde) ? hf_unwind_rule_of(&fde, address)
                                                         : unknown;
}
