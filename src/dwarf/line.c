#include "dwarf/line.h"

#include "dwarf/constants.h"
#include "dwarf/line_header.h"

/* Addresses that a row may answer without a look at the effort that is left. */
#define FREE_ADDRESSES 64

struct row {
    uint64_t address;
    uint32_t file, line;
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
    uint64_t start; /* of the sequence */

    struct row now, before; /* the row being made; the last one given out */
    uint32_t real_line;     /* last line that is not 0 in this sequence */
    bool has_before;
    bool is_dead;          /* the sequence is of a function that the linker threw away */
    size_t next;           /* in unit->queries: the first address not below before.address */
    uint64_t next_address; /* its address; UINT64_MAX at the end */

    uint64_t special_advance[256];
    int32_t special_line[256];
};

static uint64_t query_address(const struct machine *m, size_t index)
{
    return index < m->unit->query_count ? m->queries->addresses[m->unit->queries[index]]
                                        : UINT64_MAX;
}

static void find_next(struct machine *m, uint64_t address)
{
    m->next = hf_queries_from(m->queries, m->unit->queries, m->unit->query_count, address);
    m->next_address = query_address(m, m->next);
}

/* Addresses in [before, now) belong to the row before. */
static void answer(struct machine *m)
{
    size_t first = m->next;
    while (m->next_address < m->now.address) {
        struct hf_answer *a = &m->queries->answers[m->unit->queries[m->next]];
        if (!m->is_dead && a->owner == m->unit_index && !a->has_line) {
            a->file = m->before.file;
            a->line = m->before.line;
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

static inline void emit(struct machine *m)
{
    if (HF_UNLIKELY(!m->has_before || m->now.address < m->before.address)) {
        if (!m->has_before) {
            m->is_dead = hf_dwarf_is_dead(m->now.address);
            m->start = m->now.address;
        }
        find_next(m, m->now.address);
        m->has_before = true;
    } else if (HF_UNLIKELY(m->next_address < m->now.address)) {
        answer(m);
    }
    if (m->now.line != 0)
        m->real_line = m->now.line;
    m->before = m->now;
    m->before.line = m->real_line;
}

static void start_sequence(struct machine *m)
{
    m->now = (struct row){.file = 1, .line = 1};
    m->before = (struct row){0};
    m->real_line = 0;
    m->has_before = false;
    m->next_address = UINT64_MAX;
}

static void run_extended(struct machine *m)
{
    uint64_t size = hf_cursor_uleb(&m->c);
    struct hf_cursor operand = hf_cursor_sub(&m->c, size, ".debug_line");
    switch (size != 0 ? hf_cursor_u8(&operand) : 0) {
    case DW_LNE_end_sequence:
        if (m->has_before && m->now.address > m->before.address)
            answer(m);
        if (m->visit != NULL && m->has_before && !m->is_dead && m->now.address > m->start &&
            !m->visit(m->context, m->start, m->now.address))
            m->left = 0;
        start_sequence(m);
        break;
    case DW_LNE_set_address: m->now.address = hf_cursor_u64(&operand); break;
    default: break;
    }
}

static void run_standard(struct machine *m, uint8_t opcode)
{
    const struct hf_line_header *h = m->header;
    switch (opcode) {
    case DW_LNS_extended: run_extended(m); break;
    case DW_LNS_copy: emit(m); break;
    case DW_LNS_advance_pc:
        m->now.address += hf_cursor_uleb(&m->c) * h->minimum_instruction_length;
        break;
    case DW_LNS_advance_line: m->now.line += (uint32_t)hf_cursor_sleb(&m->c); break;
    case DW_LNS_set_file: m->now.file = (uint32_t)hf_cursor_uleb(&m->c); break;
    case DW_LNS_const_add_pc: m->now.address += m->special_advance[255]; break;
    case DW_LNS_fixed_advance_pc: m->now.address += hf_cursor_u16(&m->c); break;
    /* Most of all opcodes: what they say is not asked for. */
    case DW_LNS_set_column: hf_cursor_skip_leb(&m->c); break;
    case DW_LNS_negate_stmt: break;
    default:
        for (unsigned i = 0; i < h->operand_counts[opcode]; i++)
            hf_cursor_skip_leb(&m->c);
    }
}

static void prepare_special(struct machine *m)
{
    const struct hf_line_header *h = m->header;
    for (unsigned opcode = h->opcode_base; opcode < 256; opcode++) {
        unsigned adjusted = opcode - h->opcode_base;
        m->special_advance[opcode] =
            (uint64_t)(adjusted / h->line_range) * h->minimum_instruction_length;
        m->special_line[opcode] = h->line_base + (int32_t)(adjusted % h->line_range);
    }
}

static void run(struct machine *m)
{
    prepare_special(m);
    start_sequence(m);
    uint8_t opcode_base = m->header->opcode_base;
    while (m->left != 0 && hf_cursor_left(&m->c) != 0) {
        uint8_t opcode = hf_cursor_u8(&m->c);
        if (opcode >= opcode_base) {
            m->now.address += m->special_advance[opcode];
            m->now.line += (uint32_t)m->special_line[opcode];
            emit(m);
        } else {
            run_standard(m, opcode);
        }
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
    run(m);
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
