#include "unwind/ruby/labels.h"

#include "base/mix.h"
#include "unwind/ruby/objects.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)
#define HASHED 32u        /* bytes of a text */
#define COUNTED_WORDS 54u /* at the start of the code, which have a count each */
#define COUNTS_IN_WORD 9u
#define BLOCK_WORDS 512u
#define VARIABLES_AT_ONCE 16u

/* succ_dict_block */
enum { BLOCK_RANK = 0, BLOCK_RANKS = 8, BLOCK_BITS = 16, BLOCK_BYTES = 80 };
enum { ENTRY_HASH = 0, ENTRY_KEY = 8, ENTRY_VALUE = 16 };

struct ruby_text {
    uint64_t at; /* the first byte */
    uint32_t size;
};

/* The string at `value`. False: there is none. */
static bool ruby_find_text(const struct hf_ruby_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t value, struct ruby_text *out_text)
{
    uint8_t object[HF_RUBY_OBJECT_BYTES];
    if (!hf_ruby_copy_object(memory, value, HF_RUBY_STRING, object))
        return false;
    uint64_t flags = hf_interpreted_u64(object, HF_RUBY_FLAGS);
    uint64_t size = (flags & HF_RUBY_STRING_SIZE_MASK) >> HF_RUBY_STRING_SIZE_SHIFT;
    uint64_t at = value + layout->string_bytes;
    if ((flags & HF_RUBY_IS_APART) != 0) {
        size = hf_interpreted_u64(object, layout->string_length);
        at = hf_interpreted_u64(object, layout->string_pointer);
    } else if (layout->string_bytes + size > HF_RUBY_OBJECT_BYTES) {
        return false;
    }
    *out_text = (struct ruby_text){at, (uint32_t)size};
    return size <= HF_RUBY_STRING_MAX;
}

/* The path of a piece of code: a string, or a pair of that and the real one, which may be nil. */
static bool ruby_find_path(const struct hf_ruby_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t value, struct ruby_text *out_text)
{
    uint8_t object[HF_RUBY_OBJECT_BYTES];
    if (ruby_find_text(layout, memory, value, out_text))
        return true;
    if (!hf_ruby_copy_object(memory, value, HF_RUBY_ARRAY, object) ||
        (hf_interpreted_u64(object, HF_RUBY_FLAGS) & HF_RUBY_IS_WITHIN) == 0)
        return false;
    uint64_t real = hf_interpreted_u64(object, layout->array_items + 8u);
    return ruby_find_text(layout, memory,
        real != HF_RUBY_NIL ? real : hf_interpreted_u64(object, layout->array_items), out_text);
}

/* Writes at most HF_RUBY_TEXT_MAX bytes of the end. */
static size_t ruby_write_text(
    const struct hf_interpreted_memory *memory, const struct ruby_text *text, char *out)
{
    uint32_t size = text->size < HF_RUBY_TEXT_MAX ? text->size : HF_RUBY_TEXT_MAX;
    if (size == 0 || !hf_interpreted_copy(memory, text->at + text->size - size, out, size))
        return 0;
    const char *nul = memchr(out, '\0', size);
    return nul != NULL ? (size_t)(nul - out) : size;
}

static bool ruby_hash_text(
    const struct hf_interpreted_memory *memory, const struct ruby_text *text, uint64_t *hash)
{
    uint8_t bytes[HASHED] = {0};
    uint32_t size = text->size < HASHED ? text->size : HASHED;
    if (size != 0 && !hf_interpreted_copy(memory, text->at + text->size - size, bytes, size))
        return false;
    *hash = hf_mix(*hash ^ text->size, PRIME);
    for (uint32_t i = 0; i < HASHED; i += 16)
        *hash =
            hf_mix(*hash ^ hf_interpreted_u64(bytes, i), PRIME ^ hf_interpreted_u64(bytes, i + 8));
    return true;
}

bool hf_ruby_code_hash(const struct hf_ruby_layout *layout,
    const struct hf_interpreted_memory *memory, const uint8_t code[HF_RUBY_CODE_BYTES],
    uint64_t *hash)
{
    struct ruby_text label, path;
    *hash = hf_mix(*hash ^ hf_interpreted_u64(code, layout->code_first_line) ^
                       (uint64_t)hf_interpreted_u32(code, layout->code_line_count) << 32,
        PRIME);
    return ruby_find_text(layout, memory, hf_interpreted_u64(code, layout->code_label), &label) &&
           ruby_find_path(layout, memory, hf_interpreted_u64(code, layout->code_path), &path) &&
           ruby_hash_text(memory, &label, hash) && ruby_hash_text(memory, &path, hash);
}

/* Which of the variables of a class is looked for. */
struct ruby_wish {
    uint64_t of; /* the class */
    /* Says if it is that one. */
    bool (*is_it)(const struct ruby_wish *wish, const struct hf_ruby *ruby,
        const struct hf_interpreted_memory *memory, const uint8_t *entry);
    uint64_t key; /* of which is_it knows */
};

static bool ruby_is_word_string(const struct ruby_wish *wish, const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, const uint8_t *entry)
{
    static const char word[] = "String";
    struct ruby_text text;
    char bytes[sizeof word - 1];
    (void)wish;
    return ruby_find_text(ruby->layout, memory, hf_interpreted_u64(entry, ENTRY_VALUE), &text) &&
           text.size == sizeof bytes && hf_interpreted_copy(memory, text.at, bytes, sizeof bytes) &&
           memcmp(bytes, word, sizeof bytes) == 0;
}

static bool ruby_is_key(const struct ruby_wish *wish, const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, const uint8_t *entry)
{
    (void)ruby;
    (void)memory;
    return hf_interpreted_u64(entry, ENTRY_KEY) == wish->key;
}

/* A class or module whose own class is that which is looked at. */
static bool ruby_is_only_object(const struct ruby_wish *wish, const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, const uint8_t *entry)
{
    uint8_t object[HF_RUBY_OBJECT_BYTES];
    uint64_t value = hf_interpreted_u64(entry, ENTRY_VALUE);
    (void)ruby;
    return (hf_ruby_copy_object(memory, value, HF_RUBY_CLASS, object) ||
               hf_ruby_copy_object(memory, value, HF_RUBY_MODULE, object)) &&
           hf_interpreted_u64(object, HF_RUBY_CLASS_OF) == wish->of;
}

/* Looks through the variables of a class; *out_entry is the one that is wished for. */
static bool ruby_find_variable(const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, const struct ruby_wish *wish,
    uint8_t out_entry[HF_RUBY_ENTRY_BYTES])
{
    const struct hf_ruby_layout *layout = ruby->layout;
    uint8_t object[HF_RUBY_OBJECT_BYTES], table[HF_RUBY_TABLE_BYTES];
    uint8_t entries[VARIABLES_AT_ONCE * HF_RUBY_ENTRY_BYTES];
    uint64_t variables;
    if ((!hf_ruby_copy_object(memory, wish->of, HF_RUBY_CLASS, object) &&
            !hf_ruby_copy_object(memory, wish->of, HF_RUBY_MODULE, object)) ||
        !hf_interpreted_copy(memory,
            hf_interpreted_u64(object, layout->class_more) + layout->more_variables, &variables,
            sizeof variables) ||
        !hf_interpreted_copy(memory, variables, table, sizeof table))
        return false;
    uint64_t at = hf_interpreted_u64(table, layout->table_start);
    uint64_t end = hf_interpreted_u64(table, layout->table_bound);
    uint64_t first = hf_interpreted_u64(table, layout->table_entries);
    if (at > end || end > HF_RUBY_VARIABLES_MAX)
        return false;
    for (size_t count; at < end; at += count) {
        count = end - at < VARIABLES_AT_ONCE ? (size_t)(end - at) : VARIABLES_AT_ONCE;
        if (!hf_interpreted_copy(
                memory, first + at * HF_RUBY_ENTRY_BYTES, entries, count * HF_RUBY_ENTRY_BYTES))
            return false;
        for (size_t i = 0; i < count; i++) {
            const uint8_t *entry = entries + i * HF_RUBY_ENTRY_BYTES;
            if (hf_interpreted_u64(entry, ENTRY_HASH) == UINT64_MAX || /* it was removed */
                !wish->is_it(wish, ruby, memory, entry))
                continue;
            memcpy(out_entry, entry, HF_RUBY_ENTRY_BYTES);
            return true;
        }
    }
    return false;
}

/* The name of a class or module. */
static size_t ruby_write_class(const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, uint64_t class, char out[HF_RUBY_TEXT_MAX])
{
    uint8_t entry[HF_RUBY_ENTRY_BYTES];
    struct ruby_wish wish = {.is_it = ruby_is_word_string};
    struct ruby_text text;
    if (!hf_interpreted_copy(memory, ruby->string, &wish.of, sizeof wish.of) ||
        !ruby_find_variable(ruby, memory, &wish, entry))
        return 0;
    wish = (struct ruby_wish){class, ruby_is_key, hf_interpreted_u64(entry, ENTRY_KEY)};
    return ruby_find_variable(ruby, memory, &wish, entry) &&
                   ruby_find_text(
                       ruby->layout, memory, hf_interpreted_u64(entry, ENTRY_VALUE), &text)
               ? ruby_write_text(memory, &text, out)
               : 0;
}

/* "Class#" of the methods of a class, "Class." of those of the class itself; 0: it has no name. */
static size_t ruby_write_owner(const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, uint64_t class, char *out)
{
    uint8_t object[HF_RUBY_OBJECT_BYTES], entry[HF_RUBY_ENTRY_BYTES];
    bool is_singleton = hf_ruby_copy_object(memory, class, HF_RUBY_CLASS, object) &&
                        (hf_interpreted_u64(object, HF_RUBY_FLAGS) & HF_RUBY_IS_SINGLETON) != 0;
    struct ruby_wish wish = {.of = class, .is_it = ruby_is_only_object};
    if (is_singleton && !ruby_find_variable(ruby, memory, &wish, entry))
        return 0;
    size_t size = ruby_write_class(
        ruby, memory, is_singleton ? hf_interpreted_u64(entry, ENTRY_VALUE) : class, out);
    if (size != 0)
        out[size++] = is_singleton ? '.' : '#';
    return size;
}

/* True if the code is a method's, or of a block in one. */
static bool ruby_is_of_method(
    const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory, const uint8_t *code)
{
    const struct hf_ruby_layout *layout = ruby->layout;
    uint64_t sequence = hf_interpreted_u64(code, layout->code_local), at;
    uint8_t kind;
    return hf_interpreted_copy(memory, sequence + layout->sequence_code, &at, sizeof at) &&
           hf_interpreted_copy(memory, at + layout->code_kind, &kind, sizeof kind) &&
           kind == layout->code_kind_method;
}

size_t hf_ruby_name_write(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_RUBY_NAME_BYTES])
{
    const struct hf_ruby_layout *layout = ruby->layout;
    uint8_t code[HF_RUBY_CODE_BYTES];
    char label[HF_RUBY_TEXT_MAX], base[HF_RUBY_TEXT_MAX];
    struct ruby_text text;
    if (!hf_interpreted_copy(memory, frame->name, code, sizeof code) ||
        !ruby_find_text(layout, memory, hf_interpreted_u64(code, layout->code_label), &text))
        return 0;
    size_t size = ruby_write_text(memory, &text, label), base_size = 0;
    if (frame->scope != 0 && ruby_is_of_method(ruby, memory, code) &&
        ruby_find_text(layout, memory, hf_interpreted_u64(code, layout->code_base_label), &text))
        base_size = ruby_write_text(memory, &text, base);
    size_t before = base_size <= size ? size - base_size : 0;
    memcpy(out, label, before);
    size_t written = before;
    if (base_size != 0 && before + base_size == size &&
        memcmp(label + before, base, base_size) == 0)
        written += ruby_write_owner(ruby, memory, frame->scope, out + before);
    memcpy(out + written, label + before, size - before);
    return written + size - before;
}

size_t hf_ruby_file_write(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_RUBY_TEXT_MAX])
{
    struct ruby_text text;
    return ruby_find_path(ruby->layout, memory, frame->file, &text)
               ? ruby_write_text(memory, &text, out)
               : 0;
}

/* How many places where the line changes are at or before a word of the code. */
static bool ruby_count_lines(
    const struct hf_interpreted_memory *memory, uint64_t index, uint32_t word, uint32_t *out_count)
{
    uint64_t counts;
    uint8_t block[BLOCK_BYTES];
    if (word < COUNTED_WORDS) {
        if (!hf_interpreted_copy(
                memory, index + word / COUNTS_IN_WORD * 8u, &counts, sizeof counts))
            return false;
        *out_count = counts >> (word % COUNTS_IN_WORD * 7) & 0x7f;
        return true;
    }
    uint32_t place = word - COUNTED_WORDS;
    uint64_t at =
        index + COUNTED_WORDS / COUNTS_IN_WORD * 8u + (uint64_t)(place / BLOCK_WORDS) * BLOCK_BYTES;
    if (!hf_interpreted_copy(memory, at, block, sizeof block))
        return false;
    uint32_t bit = place % BLOCK_WORDS, part = bit / 64;
    uint64_t ranks = part != 0 ? hf_interpreted_u64(block, BLOCK_RANKS) >> ((part - 1) * 9) : 0;
    uint64_t bits = hf_interpreted_u64(block, BLOCK_BITS + part * 8u) << (63 - bit % 64);
    *out_count = hf_interpreted_u32(block, BLOCK_RANK) + (uint32_t)(ranks & 0x1ff) +
                 (uint32_t)__builtin_popcountll(bits);
    return true;
}

uint32_t hf_ruby_line(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame)
{
    const struct hf_ruby_layout *layout = ruby->layout;
    uint8_t code[HF_RUBY_CODE_BYTES];
    uint32_t number = 1, line;
    if (!hf_interpreted_copy(memory, frame->lines, code, sizeof code))
        return 0;
    uint32_t count = hf_interpreted_u32(code, layout->code_line_count);
    uint64_t index = hf_interpreted_u64(code, layout->code_line_index);
    if (count > 1 && !ruby_count_lines(memory, index, frame->offset, &number))
        return 0;
    uint64_t at =
        hf_interpreted_u64(code, layout->code_lines) + (uint64_t)(number - 1) * layout->line_bytes;
    return number != 0 && number <= count && hf_interpreted_copy(memory, at, &line, sizeof line)
               ? line
               : 0;
}
