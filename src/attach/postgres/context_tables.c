#include "attach/postgres/context_tables.h"

#include <string.h>

#define FUNCTION_BYTES 4096u /* of code that are looked at; real: below 1,000 */
#define ARRAY_WORDS 9u       /* of a table in the array, and tables there, in 16 and later */
#define ARRAY_TABLES 16u

static bool is_known(const struct hf_context_tables *tables, const uint64_t *functions)
{
    for (size_t i = 0; i < tables->count; i++) {
        if (memcmp(tables->functions[i], functions, sizeof tables->functions[i]) == 0)
            return true;
    }
    return false;
}

static void context_tables_add(
    struct hf_context_tables *tables, const struct hf_context_source *source, uint64_t address)
{
    uint64_t functions[HF_CONTEXT_SLOTS];
    if (tables->count == HF_CONTEXT_TABLES_MAX || !hf_context_is_table(source, address) ||
        !hf_memory_copy(&source->memory, address, functions, sizeof functions) ||
        is_known(tables, functions))
        return;
    tables->addresses[tables->count] = address;
    memcpy(tables->functions[tables->count++], functions, sizeof functions);
}

void hf_context_tables_add(struct hf_context_tables *tables, const struct hf_context_source *source,
    const struct hf_contexts *contexts)
{
    uint64_t before = 0;
    for (size_t i = 0; i < contexts->count; i++) {
        uint64_t address = contexts->items[i].methods;
        if (address != before)
            context_tables_add(tables, source, address);
        before = address;
    }
}

/* True if a table that is known is one of the array that starts at `address`, with one of no kind.
 */
static bool is_array(const struct hf_context_tables *tables, uint64_t address)
{
    for (size_t i = 0; i < tables->count; i++) {
        uint64_t words = (tables->addresses[i] - address) / sizeof(uint64_t);
        if (tables->addresses[i] > address && words % ARRAY_WORDS == 0 &&
            words / ARRAY_WORDS < ARRAY_TABLES)
            return true;
    }
    return false;
}

static void add_at(
    struct hf_context_tables *tables, const struct hf_context_source *source, uint64_t address)
{
    if (address % sizeof(uint64_t) != 0)
        return;
    context_tables_add(tables, source, address);
    if (hf_context_is_table(source, address) || !is_array(tables, address))
        return;
    for (uint64_t i = 0; i < ARRAY_TABLES; i++)
        context_tables_add(tables, source, address + i * ARRAY_WORDS * sizeof(uint64_t));
}

void hf_context_tables_add_named(struct hf_context_tables *tables,
    const struct hf_context_source *source, struct hf_code_range function)
{
    uint8_t code[FUNCTION_BYTES];
    size_t size = function.end - function.start < sizeof code
                      ? (size_t)(function.end - function.start)
                      : sizeof code;
    size = source->memory.read(source->memory.context, function.start, code, size);
    for (size_t i = 0; i + sizeof(uint32_t) <= size; i++) {
        uint32_t word;
        memcpy(&word, code + i, sizeof word);
        uint64_t next = function.start + i + sizeof word;
        add_at(tables, source, next + (uint64_t)(int64_t)(int32_t)word); /* a distance */
        add_at(tables, source, word);                                    /* an address */
    }
}
