#include "dwarf/lookup/line.h"

#include "base/containers/vec.h"
#include "dwarf/constants.h"
#include "dwarf/lookup/line_header.h"

#include <stdlib.h>

/* Addresses that a row may answer without a look at the effort that is left. */
#define FREE_ADDRESSES 64

/* Of an opcode with its operand, in run_common. */
#define COMMON_BYTES_MAX 3

struct line_row {
    uint64_t address;
    uint32_t file, line, column;
    bool is_near;
};

struct machine {
    const struct hf_unit *unit;
    const struct hf_dwarf_sections *sections;
    uint32_t unit_index;
    const struct hf_line_header *header;
    struct hf_queries *queries;
    struct hf_cursor c;
    size_t left;       /* addresses without a row */
    hf_range_fn visit; /* gets the range of each sequence; NULL: they are not asked for */
    void *context;
    uint64_t start;            /* of the sequence */
    struct hf_line_list *list; /* gets every row; NULL: queries are answered */
    bool is_list_full;         /* for want of memory, or an address does not fit */

    struct line_row now;    /* the row being made */
    struct line_row before; /* the last one given out; its line is the last in the sequence but 0 */
    bool has_before;
    bool is_dead;          /* the sequence is of a function that the linker threw away */
    size_t next;           /* in unit->queries: the first address not below before.address */
    uint64_t next_address; /* its address; UINT64_MAX at the end */

    struct {
        uint64_t advance;
        uint32_t line;
    } special[256]; /* by opcode */
};

/* As it is kept: one that is too large is unknown. */
static inline uint16_t kept_column(uint32_t column)
{
    return column <= UINT16_MAX ? (uint16_t)column : 0;
}

static uint64_t query_address(const struct machine *m, size_t index)
{
    return index < m->unit->query_count ? m->queries->addresses[m->unit->queries[index]]
                                        : UINT64_MAX;
}

static void line_find_next(struct machine *m, uint64_t address)
{
    m->next = hf_queries_from(m->queries, m->unit->queries, m->unit->query_count, address);
    m->next_address = query_address(m, m->next);
}

/* Addresses in [before, now) belong to the row before. */
static void line_answer(struct machine *m)
{
    size_t first = m->next;
    while (m->next_address < m->now.address) {
        struct hf_answer *a = &m->queries->answers[m->unit->queries[m->next]];
        if (!m->is_dead && a->owner == m->unit_index && !a->has_line) {
            a->file = m->before.file;
            a->line = m->before.line;
            a->column = kept_column(m->before.column);
            a->is_near = m->before.is_near;
            a->has_line = true;
            m->left--;
        }
        m->next++;
        m->next_address = query_address(m, m->next);
    }
    /* Sequences of a few bytes, each over all addresses. */
    if (m->next - first > FREE_ADDRESSES && !hf_dwarf_spend(m->sections, m->next - first, NULL))
        m->left = 0;
}

/* Ends the run of rows whose addresses ascend, at `end`. */
static void end_run(struct machine *m, uint64_t end)
{
    struct hf_line_list *list = m->list;
    if (!m->has_before)
        return;
    struct hf_line_run *run = &list->runs[list->run_count];
    run->count = list->row_count - run->first;
    run->end = end;
    if (m->is_dead || run->count == 0)
        list->row_count = run->first;
    else
        list->run_count++;
}

static void begin_run(struct machine *m)
{
    struct hf_line_list *list = m->list;
    if (!hf_vec_reserve(
            &list->runs, &list->run_capacity, list->run_count + 1, sizeof *list->runs)) {
        m->is_list_full = true;
        m->left = 0;
        return;
    }
    list->runs[list->run_count] =
        (struct hf_line_run){.start = m->now.address, .first = list->row_count};
}

/* Lists the row before, unless the one before that says the same. False: there is no room. */
static inline bool list_row(struct hf_line_list *list, const struct line_row *before)
{
    const struct hf_line_run *run = &list->runs[list->run_count];
    if (list->row_count != run->first) {
        const struct hf_line_row *last = &list->rows[list->row_count - 1];
        if (last->file == before->file && last->line == before->line &&
            last->is_near == before->is_near &&
            (!list->has_columns ||
                list->columns[list->row_count - 1] == kept_column(before->column)))
            return true;
    }
    if (before->address - run->start > UINT32_MAX ||
        !hf_vec_reserve(
            &list->rows, &list->row_capacity, list->row_count + 1, sizeof *list->rows) ||
        (list->has_columns && !hf_vec_reserve(&list->columns, &list->column_capacity,
                                  list->row_count + 1, sizeof *list->columns)))
        return false;
    if (list->has_columns)
        list->columns[list->row_count] = kept_column(before->column);
    list->rows[list->row_count++] = (struct hf_line_row){(uint32_t)(before->address - run->start),
        before->file, before->line & INT32_MAX, before->is_near};
    return true;
}

static void list_before(struct machine *m)
{
    if (!list_row(m->list, &m->before)) {
        m->is_list_full = true;
        m->left = 0;
    }
}

/* What becomes of the rows before, now that there is another. */
static void list_next(struct machine *m)
{
    if (!m->has_before || m->now.address < m->before.address) {
        if (m->has_before)
            end_run(m, m->before.address);
        begin_run(m);
    } else if (m->now.address > m->before.address) {
        list_before(m);
    }
}

/* A row that is given out; without a line, that of the row before stands in. */
static inline struct line_row row_after(const struct line_row *before, const struct line_row *now)
{
    struct line_row row = *now; /* which is never near */
    if (now->line == 0) {
        row.is_near = before->line != 0;
        row.line = before->line;
    }
    return row;
}

static void emit(struct machine *m)
{
    if (m->list != NULL)
        list_next(m);
    if (!m->has_before || m->now.address < m->before.address) {
        if (!m->has_before) {
            m->is_dead = hf_dwarf_is_dead(m->now.address);
            m->start = m->now.address;
        }
        line_find_next(m, m->now.address);
        m->has_before = true;
    } else if (m->next_address < m->now.address) {
        line_answer(m);
    }
    m->before = row_after(&m->before, &m->now);
}

static void start_sequence(struct machine *m)
{
    m->now = (struct line_row){.file = 1, .line = 1};
    m->before = (struct line_row){0};
    m->has_before = false;
    m->next_address = UINT64_MAX;
}

static void run_extended(struct machine *m)
{
    uint64_t size = hf_cursor_uleb(&m->c);
    struct hf_cursor operand = hf_cursor_sub(&m->c, size, ".debug_line");
    switch (size != 0 ? hf_cursor_u8(&operand) : 0) {
    case DW_LNE_end_sequence:
        if (m->list != NULL && m->has_before) {
            if (m->now.address > m->before.address)
                list_before(m);
            end_run(m, m->now.address > m->before.address ? m->now.address : m->before.address);
        }
        if (m->has_before && m->now.address > m->before.address)
            line_answer(m);
        if (m->visit != NULL && m->has_before && !m->is_dead && m->now.address > m->start &&
            !m->visit(m->context, m->start, m->now.address))
            m->left = 0;
        start_sequence(m);
        break;
    case DW_LNE_set_address: m->now.address = hf_cursor_u64(&operand); break;
    default: break;
    }
}

static void run_opcode(struct machine *m)
{
    const struct hf_line_header *h = m->header;
    uint8_t opcode = hf_cursor_u8(&m->c);
    if (opcode >= h->opcode_base) {
        m->now.address += m->special[opcode].advance;
        m->now.line += m->special[opcode].line;
        emit(m);
        return;
    }
    switch (opcode) {
    case DW_LNS_extended: run_extended(m); break;
    case DW_LNS_copy: emit(m); break;
    case DW_LNS_advance_pc:
        m->now.address += hf_cursor_uleb(&m->c) * h->minimum_instruction_length;
        break;
    case DW_LNS_advance_line: m->now.line += (uint32_t)hf_cursor_sleb(&m->c); break;
    case DW_LNS_set_file: m->now.file = (uint32_t)hf_cursor_uleb(&m->c); break;
    case DW_LNS_set_column: m->now.column = (uint32_t)hf_cursor_uleb(&m->c); break;
    case DW_LNS_const_add_pc: m->now.address += m->special[255].advance; break;
    case DW_LNS_fixed_advance_pc: m->now.address += hf_cursor_u16(&m->c); break;
    default: /* what they say is not asked for */
        for (unsigned i = 0; i < h->operand_counts[opcode]; i++)
            hf_cursor_skip_leb(&m->c);
    }
}

/* Reads a signed LEB128 of at most two bytes, which most advances are; false: it is longer. */
static inline bool read_short(struct hf_cursor *c, uint32_t *out_value)
{
    uint32_t value = hf_cursor_u8(c);
    if (value < 0x80) {
        *out_value = (value ^ 0x40) - 0x40;
        return true;
    }
    value = (value & 0x7f) | (uint32_t)hf_cursor_u8(c) << 7;
    *out_value = (value ^ 0x2000) - 0x2000;
    return value < 0x4000;
}

/*
 * Runs the opcodes that are nearly all of a program, as long as operands are short and rows answer
 * nothing. It works on variables that stay in registers, and stops before the first opcode that
 * is something else: that one has had no effect yet.
 */
static HF_ALWAYS_INLINE void run_common(struct machine *m, struct hf_line_list *list)
{
    struct hf_cursor c = m->c;
    struct line_row now = m->now, before = m->before;
    const unsigned opcode_base = m->header->opcode_base;
    const uint64_t next_address = m->next_address;
    const uint8_t *start = c.at; /* of the opcode that runs */
    bool is_common = m->has_before;
    while (is_common && hf_cursor_left(&c) >= COMMON_BYTES_MAX) {
        start = c.at;
        uint32_t operand = 0;
        unsigned opcode = hf_cursor_u8(&c);
        if (opcode >= opcode_base || opcode == DW_LNS_copy) {
            uint64_t address = now.address;
            uint32_t line = now.line;
            if (opcode >= opcode_base) {
                address += m->special[opcode].advance;
                line += m->special[opcode].line;
            }
            is_common = address >= before.address && address <= next_address &&
                        (list == NULL || address == before.address || list_row(list, &before));
            if (is_common) {
                now.address = address;
                now.line = line;
                before = row_after(&before, &now);
            }
        } else if (opcode == DW_LNS_set_column) {
            operand = hf_cursor_u8(&c);
            is_common = operand < 0x80;
            now.column = is_common ? operand : now.column;
        } else if (opcode == DW_LNS_advance_line) {
            is_common = read_short(&c, &operand);
            now.line += is_common ? operand : 0;
        } else if (opcode == DW_LNS_set_file) {
            operand = hf_cursor_u8(&c);
            is_common = operand < 0x80;
            now.file = is_common ? operand : now.file;
        } else {
            is_common = opcode == DW_LNS_negate_stmt;
        }
    }
    if (!is_common)
        c.at = start;
    m->c = c;
    m->now = now;
    m->before = before;
}

static void prepare_special(struct machine *m)
{
    const struct hf_line_header *h = m->header;
    for (unsigned opcode = h->opcode_base; opcode < 256; opcode++) {
        unsigned adjusted = opcode - h->opcode_base;
        m->special[opcode].advance =
            (uint64_t)(adjusted / h->line_range) * h->minimum_instruction_length;
        m->special[opcode].line = (uint32_t)h->line_base + adjusted % h->line_range;
    }
}

static void line_run(struct machine *m)
{
    prepare_special(m);
    start_sequence(m);
    while (m->left != 0 && hf_cursor_left(&m->c) != 0) {
        if (m->list == NULL)
            run_common(m, NULL);
        else
            run_common(m, m->list);
        if (hf_cursor_left(&m->c) != 0)
            run_opcode(m);
    }
}

/* Runs the program of the unit as long as something is left to find. */
static enum hf_status run_program(struct machine *m, struct hf_error *err)
{
    if (!m->unit->has_line)
        return HF_OK;
    struct hf_line_header header;
    enum hf_status status = hf_line_header_read(&header, m->unit, m->sections, err);
    if (status != HF_OK)
        return status;
    if (!hf_dwarf_spend(m->sections, header.end - header.program_offset, err))
        return HF_ERR_LIMIT;
    m->header = &header;
    m->c = hf_cursor_of(m->sections->line.data, (size_t)header.end, ".debug_line");
    hf_cursor_seek(&m->c, header.program_offset);
    line_run(m);
    return hf_cursor_check(&m->c, "a line program", err);
}

enum hf_status hf_unit_find_lines(const struct hf_unit *unit, uint32_t unit_index,
    const struct hf_dwarf_sections *sections, struct hf_queries *queries, struct hf_error *err)
{
    struct machine m = {
        .unit = unit, .sections = sections, .unit_index = unit_index, .queries = queries};
    for (size_t i = 0; i < unit->query_count; i++)
        m.left += queries->answers[unit->queries[i]].owner == unit_index;
    return run_program(&m, err);
}

enum hf_status hf_unit_line_ranges(const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, hf_range_fn visit, void *context,
    struct hf_error *err)
{
    struct hf_unit without_queries = *unit; /* so that no row is compared with any */
    without_queries.query_count = 0;
    struct machine m = {.unit = &without_queries,
        .sections = sections,
        .left = 1,
        .visit = visit,
        .context = context};
    return run_program(&m, err);
}

enum hf_status hf_unit_list_lines(const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, struct hf_line_list *list, struct hf_error *err)
{
    struct hf_unit without_queries = *unit;
    without_queries.query_count = 0;
    struct machine m = {.unit = &without_queries, .sections = sections, .left = 1, .list = list};
    enum hf_status status = run_program(&m, err);
    if (m.has_before && !m.is_list_full)
        end_run(&m, m.before.address); /* the program ends before its sequence */
    return status == HF_OK && m.is_list_full ? hf_error_memory(err) : status;
}

void hf_line_list_done(struct hf_line_list *list)
{
    free(list->rows);
    free(list->runs);
    free(list->columns);
    *list = (struct hf_line_list){0};
}
