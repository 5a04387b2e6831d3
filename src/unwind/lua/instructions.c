#include "unwind/lua/instructions.h"

#include "base/text.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)

enum { VALUE_BYTES = 16, UPVALUE_BYTES = 16, STRING_HEAD_BYTES = 24, MARK_BYTES = 8 };
enum { LOCAL_BYTES = 16, LOCAL_START = 8, LOCAL_END = 12 };

/* The instructions that matter. An instruction: 7 bits of these, A 8, k 1, B 8, C 8; or 25 bits of
 * a distance, from JUMP_ZERO. */
enum {
    OP_MOVE = 0,
    OP_LOADNIL = 8,
    OP_GETUPVAL = 9,
    OP_SETUPVAL = 10,
    OP_GETTABUP = 11,
    OP_GETTABLE = 12,
    OP_GETI = 13,
    OP_GETFIELD = 14,
    OP_SETTABUP = 15,
    OP_SETTABLE = 16,
    OP_SETI = 17,
    OP_SETFIELD = 18,
    OP_NEWTABLE = 19,
    OP_SELF = 20,
    OP_MMBIN = 46,
    OP_MMBINI = 47,
    OP_MMBINK = 48,
    OP_UNM = 49,
    OP_BNOT = 50,
    OP_LEN = 52,
    OP_CONCAT = 53,
    OP_CLOSE = 54,
    OP_JMP = 56,
    OP_EQ = 57,
    OP_LT = 58,
    OP_LE = 59,
    OP_LTI = 62,
    OP_LEI = 63,
    OP_GTI = 64,
    OP_GEI = 65,
    OP_TEST = 66,
    OP_CALL = 68,
    OP_TAILCALL = 69,
    OP_RETURN = 70,
    OP_RETURN1 = 72,
    OP_TFORPREP = 75,
    OP_TFORCALL = 76,
    OP_SETLIST = 78,
    OP_EXTRAARG = 82,
};
enum { EVENT_ADD = 6 }; /* TM_ADD, the first of those of two operands */
#define JUMP_ZERO ((1 << 24) - 1)

/* Code right before a call, and the call. */
struct lua_window {
    uint32_t first, count; /* number of the first instruction */
    uint32_t code[HF_LUA_BEFORE_CALL_MAX + 1];
};

struct lua_naming {
    const struct hf_interpreted_memory *memory;
    uint8_t function[HF_LUA_FUNCTION_BYTES];
    struct lua_window window;
};

static uint32_t op_of(uint32_t instruction)
{
    return instruction & 0x7f;
}

static uint32_t a_of(uint32_t instruction)
{
    return instruction >> 7 & 0xff;
}

static uint32_t b_of(uint32_t instruction)
{
    return instruction >> 16 & 0xff;
}

static uint32_t c_of(uint32_t instruction)
{
    return instruction >> 24;
}

static bool lua_copy_function(const struct hf_interpreted_memory *memory, uint64_t address,
    uint8_t out[HF_LUA_FUNCTION_BYTES])
{
    return hf_interpreted_copy(memory, address, out, HF_LUA_FUNCTION_BYTES) &&
           out[HF_LUA_TYPE] == HF_LUA_FUNCTION;
}

/* Where the text of a string is. */
static bool lua_find_text(const struct hf_interpreted_memory *memory, uint64_t string,
    uint64_t *out_at, uint64_t *out_size)
{
    uint8_t head[STRING_HEAD_BYTES];
    if (!hf_interpreted_copy(memory, string, head, sizeof head))
        return false;
    *out_at = string + HF_LUA_STRING_TEXT;
    *out_size = head[HF_LUA_TYPE] == HF_LUA_SHORT_STRING
                    ? head[HF_LUA_STRING_SHORT_SIZE]
                    : hf_interpreted_u64(head, HF_LUA_STRING_LONG_SIZE);
    return (head[HF_LUA_TYPE] == HF_LUA_SHORT_STRING || head[HF_LUA_TYPE] == HF_LUA_LONG_STRING) &&
           *out_size <= HF_LUA_STRING_MAX;
}

/* The end of a text; what follows a NUL in it is not there. */
static size_t lua_write_end(
    const struct hf_interpreted_memory *memory, uint64_t at, uint64_t size, char *out)
{
    uint64_t kept = size < HF_LUA_TEXT_MAX ? size : HF_LUA_TEXT_MAX;
    if (kept == 0 || !hf_interpreted_copy(memory, at + size - kept, out, (size_t)kept))
        return 0;
    const char *nul = memchr(out, '\0', (size_t)kept);
    return nul != NULL ? (size_t)(nul - out) : (size_t)kept;
}

static size_t lua_write_string(
    const struct hf_interpreted_memory *memory, uint64_t string, char out[HF_LUA_TEXT_MAX])
{
    uint64_t at, size;
    return lua_find_text(memory, string, &at, &size) ? lua_write_end(memory, at, size, out) : 0;
}

static size_t lua_write_word(const char *word, char *out)
{
    size_t size = strlen(word);
    memcpy(out, word, size);
    return size;
}

bool hf_lua_function_hash(const struct hf_interpreted_memory *memory,
    const uint8_t function[HF_LUA_FUNCTION_BYTES], uint64_t *hash)
{
    uint64_t source = hf_interpreted_u64(function, HF_LUA_FUNCTION_SOURCE), at, size;
    uint64_t words[4] = {0};
    if (source != 0) {
        if (!lua_find_text(memory, source, &at, &size))
            return false;
        uint64_t kept = size < sizeof words ? size : sizeof words;
        if (kept != 0 && !hf_interpreted_copy(memory, at + size - kept, words, (size_t)kept))
            return false;
        *hash = hf_mix(*hash ^ size, PRIME);
    }
    for (size_t i = 0; i < HF_COUNT(words); i++)
        *hash = hf_mix(*hash ^ words[i], PRIME);
    /* How many there are of all that it has, and its lines: several functions may be in one line.
     */
    for (uint32_t at_word = HF_LUA_FUNCTION_UPVALUE_COUNT; at_word < HF_LUA_FUNCTION_LAST_LINE;
         at_word += 8)
        *hash = hf_mix(*hash ^ hf_interpreted_u64(function, at_word), PRIME);
    uint32_t parameters = hf_interpreted_u32(function, HF_LUA_FUNCTION_PARAMETERS);
    *hash = hf_mix(*hash ^ hf_interpreted_u32(function, HF_LUA_FUNCTION_LAST_LINE), PRIME);
    *hash = hf_mix(*hash ^ (parameters & 0xff), PRIME);
    return true;
}

/* "@FILE" is a file, "=NAME" a name, and all else is the code itself. */
size_t hf_lua_file_write(const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_LUA_TEXT_MAX])
{
    uint64_t at, size;
    char kind;
    if (frame->file == 0)
        return lua_write_word("?", out);
    if (!lua_find_text(memory, frame->file, &at, &size))
        return 0;
    if (size < 2 || !hf_interpreted_copy(memory, at, &kind, 1) || (kind != '@' && kind != '='))
        return lua_write_word("(eval)", out);
    return lua_write_end(memory, at + 1, size - 1, out);
}

/* Number `i` of the places where the line itself is said. */
static bool lua_mark(const struct hf_interpreted_memory *memory, const uint8_t *function,
    uint32_t i, uint32_t out[2])
{
    uint64_t marks = hf_interpreted_u64(function, HF_LUA_FUNCTION_MARKS);
    return hf_interpreted_copy(memory, marks + (uint64_t)i * MARK_BYTES, out, MARK_BYTES);
}

/* The last mark at or before an instruction; that before all others is where the function begins.
 * False: they are not there. */
static bool lua_find_mark(const struct hf_interpreted_memory *memory, const uint8_t *function,
    uint32_t instruction, uint32_t out[2])
{
    uint32_t low = 0, high = hf_interpreted_u32(function, HF_LUA_FUNCTION_MARK_COUNT), mark[2];
    out[0] = HF_LUA_BEFORE_CODE;
    out[1] = hf_interpreted_u32(function, HF_LUA_FUNCTION_FIRST_LINE);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (!lua_mark(memory, function, middle, mark))
            return false;
        if (mark[0] > instruction) {
            high = middle;
            continue;
        }
        memcpy(out, mark, sizeof mark);
        low = middle + 1;
    }
    return true;
}

uint32_t hf_lua_line(
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    uint8_t function[HF_LUA_FUNCTION_BYTES];
    int8_t steps[HF_LUA_MARK_DISTANCE_MAX];
    uint32_t mark[2];
    if (!lua_copy_function(memory, frame->name, function))
        return 0;
    if (frame->offset == HF_LUA_BEFORE_CODE)
        return hf_interpreted_u32(function, HF_LUA_FUNCTION_FIRST_LINE);
    uint64_t lines = hf_interpreted_u64(function, HF_LUA_FUNCTION_LINES);
    if (frame->offset >= hf_interpreted_u32(function, HF_LUA_FUNCTION_LINE_COUNT) ||
        !lua_find_mark(memory, function, frame->offset, mark))
        return 0;
    uint32_t first = mark[0] + 1, count = frame->offset + 1 - first;
    if (count > sizeof steps ||
        (count != 0 && !hf_interpreted_copy(memory, lines + first, steps, count)))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        mark[1] = (uint32_t)((int64_t)mark[1] + steps[i]);
    return mark[1];
}

bool hf_lua_is_after_table(const struct hf_interpreted_memory *memory, uint64_t code, uint32_t next)
{
    uint32_t before[2];
    return next >= 2 &&
           hf_interpreted_copy(memory, code + (next - 2) * UINT64_C(4), before, sizeof before) &&
           op_of(before[0]) == OP_NEWTABLE && op_of(before[1]) == OP_EXTRAARG;
}

/* The name of the `number`th local variable, from 0, that there is at an instruction. */
static size_t lua_write_local(
    const struct lua_naming *n, uint32_t number, uint32_t instruction, char *out)
{
    uint64_t at = hf_interpreted_u64(n->function, HF_LUA_FUNCTION_LOCALS);
    uint32_t count = hf_interpreted_u32(n->function, HF_LUA_FUNCTION_LOCAL_COUNT);
    uint8_t local[LOCAL_BYTES];
    for (uint32_t i = 0; i < count && i < HF_LUA_LOCALS_MAX; i++, at += LOCAL_BYTES) {
        if (!hf_interpreted_copy(n->memory, at, local, sizeof local) ||
            hf_interpreted_u32(local, LOCAL_START) > instruction)
            return 0;
        if (hf_interpreted_u32(local, LOCAL_END) > instruction && number-- == 0)
            return lua_write_string(n->memory, hf_interpreted_u64(local, 0), out);
    }
    return 0;
}

static size_t lua_write_upvalue(const struct lua_naming *n, uint32_t number, char *out)
{
    uint64_t at = hf_interpreted_u64(n->function, HF_LUA_FUNCTION_UPVALUES), name;
    if (number >= hf_interpreted_u32(n->function, HF_LUA_FUNCTION_UPVALUE_COUNT) ||
        !hf_interpreted_copy(n->memory, at + (uint64_t)number * UPVALUE_BYTES, &name, sizeof name))
        return 0;
    return lua_write_string(n->memory, name, out);
}

/* A constant, if it is a string. */
static size_t lua_write_constant(const struct lua_naming *n, uint32_t number, char *out)
{
    uint64_t at = hf_interpreted_u64(n->function, HF_LUA_FUNCTION_CONSTANTS);
    uint8_t value[VALUE_BYTES];
    if (number >= hf_interpreted_u32(n->function, HF_LUA_FUNCTION_CONSTANT_COUNT) ||
        !hf_interpreted_copy(n->memory, at + (uint64_t)number * VALUE_BYTES, value, sizeof value) ||
        (value[HF_LUA_TYPE] & HF_LUA_IS_OBJECT) == 0)
        return 0;
    return lua_write_string(n->memory, hf_interpreted_u64(value, 0), out);
}

/* True if an instruction puts something into a register. */
static bool lua_sets(uint32_t instruction, uint32_t reg)
{
    uint32_t op = op_of(instruction), a = a_of(instruction);
    switch (op) {
    case OP_LOADNIL: return a <= reg && reg <= a + b_of(instruction);
    case OP_TFORCALL: return reg >= a + 2;
    case OP_CALL:
    case OP_TAILCALL: return reg >= a;
    case OP_SELF: return reg == a || reg == a + 1;
    case OP_SETUPVAL:
    case OP_TFORPREP:
    case OP_SETLIST:
    case OP_EXTRAARG: return false;
    default:
        return reg == a && !(op >= OP_SETTABUP && op <= OP_SETFIELD) &&
               !(op >= OP_MMBIN && op <= OP_MMBINK) && !(op >= OP_CLOSE && op <= OP_TEST) &&
               !(op >= OP_RETURN && op <= OP_RETURN1);
    }
}

/* True if a jump from before an instruction leads behind it, so that it need not be what was done
 * last. */
static bool lua_is_jumped_over(const struct lua_window *w, uint32_t at, uint32_t end)
{
    for (uint32_t i = 0; i < at; i++) {
        int64_t target = (int64_t)i + 1 + (int64_t)(w->code[i] >> 7) - JUMP_ZERO;
        if (op_of(w->code[i]) == OP_JMP && target > at && target <= end)
            return true;
    }
    return false;
}

/* The last instruction before `end` that put something into a register; UINT32_MAX: it is not
 * known. All count from the window's first. */
static uint32_t lua_find_setter(const struct lua_window *w, uint32_t reg, uint32_t end)
{
    for (uint32_t i = end; i-- > 0;) {
        if (lua_sets(w->code[i], reg))
            return lua_is_jumped_over(w, i, end) ? UINT32_MAX : i;
    }
    return UINT32_MAX;
}

/* The name of what is in a register, where the instruction `end` of the window is. */
static size_t lua_write_register(
    const struct lua_naming *n, uint32_t reg, uint32_t end, char out[HF_LUA_TEXT_MAX])
{
    const struct lua_window *w = &n->window;
    for (;;) {
        size_t size = lua_write_local(n, reg, w->first + end, out);
        uint32_t at = size == 0 ? lua_find_setter(w, reg, end) : UINT32_MAX;
        if (at == UINT32_MAX)
            return size;
        uint32_t instruction = w->code[at];
        if (op_of(instruction) != OP_MOVE || b_of(instruction) >= a_of(instruction)) {
            end = at;
            break;
        }
        reg = b_of(instruction);
        end = at;
    }
    uint32_t setter = w->code[end];
    switch (op_of(setter)) {
    case OP_GETUPVAL: return lua_write_upvalue(n, b_of(setter), out);
    case OP_GETTABUP:
    case OP_GETFIELD: return lua_write_constant(n, c_of(setter), out);
    case OP_SELF: return (setter & 1u << 15) != 0 ? lua_write_constant(n, c_of(setter), out) : 0;
    default: return 0;
    }
}

/* What Lua calls a function that this instruction calls by itself. */
static const char *lua_event(uint32_t instruction)
{
    static const char *const binary[] = {"__add", "__sub", "__mul", "__mod", "__pow", "__div",
        "__idiv", "__band", "__bor", "__bxor", "__shl", "__shr"};
    uint32_t op = op_of(instruction), event = c_of(instruction) - EVENT_ADD;
    switch (op) {
    case OP_TFORCALL: return "for iterator";
    case OP_SELF:
    case OP_GETTABUP:
    case OP_GETTABLE:
    case OP_GETI:
    case OP_GETFIELD: return "__index";
    case OP_SETTABUP:
    case OP_SETTABLE:
    case OP_SETI:
    case OP_SETFIELD: return "__newindex";
    case OP_MMBIN:
    case OP_MMBINI:
    case OP_MMBINK: return event < HF_COUNT(binary) ? binary[event] : "";
    case OP_UNM: return "__unm";
    case OP_BNOT: return "__bnot";
    case OP_LEN: return "__len";
    case OP_CONCAT: return "__concat";
    case OP_EQ: return "__eq";
    case OP_LT:
    case OP_LTI:
    case OP_GTI: return "__lt";
    case OP_LE:
    case OP_LEI:
    case OP_GEI: return "__le";
    case OP_CLOSE:
    case OP_RETURN: return "__close";
    default: return "";
    }
}

/* The name that the frame's caller has for its function. */
static size_t lua_write_called(const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_LUA_TEXT_MAX])
{
    struct lua_naming n = {.memory = memory};
    struct lua_window *w = &n.window;
    if (!lua_copy_function(memory, frame->scope, n.function) ||
        frame->line >= hf_interpreted_u32(n.function, HF_LUA_FUNCTION_CODE_COUNT))
        return 0;
    w->count = frame->line < HF_LUA_BEFORE_CALL_MAX ? frame->line : HF_LUA_BEFORE_CALL_MAX;
    w->first = frame->line - w->count;
    uint64_t code = hf_interpreted_u64(n.function, HF_LUA_FUNCTION_CODE);
    if (!hf_interpreted_copy(
            memory, code + w->first * UINT64_C(4), w->code, (w->count + 1) * sizeof w->code[0]))
        return 0;
    uint32_t call = w->code[w->count];
    if (op_of(call) == OP_CALL || op_of(call) == OP_TAILCALL)
        return lua_write_register(&n, a_of(call), w->count, out);
    return lua_write_word(lua_event(call), out);
}

static size_t lua_write_number(uint32_t number, char *out)
{
    char digits[10];
    size_t count = 0, size = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count != 0)
        out[size++] = digits[--count];
    return size;
}

static const char place[] = "function <";
enum { PLACE_BYTES = sizeof place - 1 };

/* function <FILE:LINE>, the file without its folders. */
static size_t lua_write_place(const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, uint32_t line, char out[HF_LUA_NAME_BYTES])
{
    char path[HF_LUA_TEXT_MAX];
    size_t path_size = hf_lua_file_write(memory, frame, path), start = path_size;
    while (start > 0 && path[start - 1] != '/')
        start--;
    size_t size = lua_write_word(place, out);
    memcpy(out + size, path + start, path_size - start);
    size += path_size - start;
    out[size++] = ':';
    size += lua_write_number(line, out + size);
    out[size++] = '>';
    return size;
}

bool hf_lua_is_name(const char *name, size_t size)
{
    return size != 0 && (size < PLACE_BYTES || memcmp(name, place, PLACE_BYTES) != 0);
}

size_t hf_lua_name_write(const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_LUA_NAME_BYTES])
{
    uint8_t function[HF_LUA_FUNCTION_BYTES];
    if (!lua_copy_function(memory, frame->name, function))
        return 0;
    if (frame->scope == HF_LUA_BY_COLLECTOR)
        return lua_write_word("__gc", out);
    size_t size = frame->scope != 0 ? lua_write_called(memory, frame, out) : 0;
    if (size != 0)
        return size;
    uint32_t line = hf_interpreted_u32(function, HF_LUA_FUNCTION_FIRST_LINE);
    return line == 0 ? lua_write_word("<main>", out) : lua_write_place(memory, frame, line, out);
}
