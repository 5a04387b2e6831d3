#include "unwind/java/methods.h"

#include "base/text.h"
#include "unwind/java/packed.h"

/* From the pool's length back to the number of the file's name, and the tag of a text. */
enum { FILE_BEFORE_LENGTH = 6, POOL_IS_TEXT = 1, TAGS_DATA = 4 };
enum { LINES_BYTES_MAX = 1 << 18, LINES_END = 0, LINES_WIDE = 0xff };

bool hf_java_method_read(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    uint64_t method, struct hf_java_method *out_method)
{
    struct hf_java_method m = {.method = method};
    if (method % 8 != 0 || !hf_java_u64(memory, method, java->method_const, &m.constant) ||
        m.constant % 8 != 0 || !hf_java_u64(memory, m.constant, java->const_pool, &m.pool) ||
        !hf_java_u16(memory, m.constant, java->const_code_bytes, &m.code_bytes) ||
        !hf_java_u16(memory, m.constant, java->const_name, &m.name) ||
        !hf_java_u16(memory, m.constant, java->const_flags, &m.flags) || m.pool % 8 != 0)
        return false;
    m.code = m.constant + (uint64_t)(int64_t)java->const_bytes;
    *out_method = m;
    return true;
}

/* Copies a Symbol's end, as much as there is room for; returns its bytes. */
static size_t java_symbol_copy(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t symbol, char *out, size_t room)
{
    uint16_t length;
    if (!hf_java_u16(memory, symbol, java->symbol_length, &length))
        return 0;
    size_t size = length < room ? length : room;
    uint64_t at = symbol + (uint64_t)(int64_t)java->symbol_body + (length - size);
    return size != 0 && hf_interpreted_copy(memory, at, out, size) ? size : 0;
}

/* The text number `i` of a pool; 0: there is none. */
static uint64_t java_pool_text(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t pool, uint32_t i)
{
    int32_t length;
    uint64_t tags, symbol;
    uint8_t tag;
    if (i == 0 || !hf_java_i32(memory, pool, java->pool_length, &length) || length <= 0 ||
        i >= (uint32_t)length || !hf_java_u64(memory, pool, java->pool_tags, &tags) ||
        !hf_interpreted_copy(memory, tags + TAGS_DATA + i, &tag, 1) || tag != POOL_IS_TEXT ||
        !hf_java_u64(memory, pool + (uint64_t)(int64_t)java->pool_bytes, (int32_t)(8 * i), &symbol))
        return 0;
    return symbol;
}

/* Where a word begins; `size`: it is not there. */
static size_t java_find_word(const char *text, size_t size, struct hf_text word)
{
    for (size_t i = 0; i + word.size <= size; i++) {
        if (memcmp(text + i, word.data, word.size) == 0)
            return i;
    }
    return size;
}

/* The name of the class, "org/acme/Feed"; of a hidden one without its number. */
static size_t java_class_write(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t pool, char *out, size_t room)
{
    uint64_t class, symbol;
    if (!hf_java_u64(memory, pool, java->pool_holder, &class) ||
        !hf_java_u64(memory, class, java->class_name, &symbol))
        return 0;
    size_t size = java_symbol_copy(java, memory, symbol, out, room);
    const struct hf_text lambda = HF_TEXT("$$Lambda");
    size = java_find_word(out, size, HF_TEXT("+0x"));
    size_t at = java_find_word(out, size, lambda);
    return at < size ? at + lambda.size : size;
}

size_t hf_java_name_write(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    const struct hf_java_method *method, char out[HF_JAVA_NAME_BYTES])
{
    const size_t half = HF_JAVA_NAME_BYTES / 2;
    size_t size = java_class_write(java, memory, method->pool, out, half - 1);
    for (size_t i = 0; i < size; i++)
        out[i] = out[i] == '/' ? '.' : out[i];
    uint64_t name = java_pool_text(java, memory, method->pool, method->name);
    if (size == 0 || name == 0)
        return 0;
    out[size++] = '.';
    size_t added = java_symbol_copy(java, memory, name, out + size, half);
    return added != 0 ? size + added : 0;
}

static bool java_is_source(struct hf_text name)
{
    static const char *const endings[] = {".java", ".kt", ".scala", ".groovy", ".clj"};
    for (size_t i = 0; i < HF_COUNT(endings); i++) {
        if (hf_text_ends(name, endings[i]))
            return true;
    }
    return false;
}

size_t hf_java_file_write(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    const struct hf_java_method *method, char out[HF_JAVA_NAME_BYTES])
{
    const size_t half = HF_JAVA_NAME_BYTES / 2;
    uint16_t number;
    if (!hf_java_u16(memory, method->pool, java->pool_length - FILE_BEFORE_LENGTH, &number))
        return 0;
    uint64_t file = java_pool_text(java, memory, method->pool, number);
    size_t size = java_class_write(java, memory, method->pool, out, half);
    size_t folder = hf_text_find_last((struct hf_text){out, size}, '/');
    size = folder < size ? folder + 1 : 0;
    size_t added = file != 0 ? java_symbol_copy(java, memory, file, out + size, half) : 0;
    return java_is_source((struct hf_text){out + size, added}) ? size + added : 0;
}

uint32_t hf_java_line(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    const struct hf_java_method *method, uint32_t bytecode)
{
    struct hf_java_packed lines =
        hf_java_packed_at(memory, method->code + method->code_bytes, LINES_BYTES_MAX);
    int64_t at = 0, line = 0, best_at = -1, best = 0;
    if ((method->flags & java->has_lines) == 0)
        return 0;
    while (!lines.is_cut) {
        uint8_t step = hf_java_packed_u8(&lines);
        if (step == LINES_END)
            break;
        at += step == LINES_WIDE ? hf_java_packed_i32(&lines) : step >> 3;
        line += step == LINES_WIDE ? hf_java_packed_i32(&lines) : step & 7;
        if (at <= (int64_t)bytecode && at >= best_at) {
            best_at = at;
            best = line;
        }
        if (at == (int64_t)bytecode)
            break;
    }
    return best > 0 && best <= UINT16_MAX ? (uint32_t)best : 0;
}
