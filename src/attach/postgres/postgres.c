#include "attach/postgres/postgres.h"

#include "attach/postgres/context_fields.h"
#include "base/budget.h"
#include "elf/symtab.h"
#include "os/file.h"
#include "os/input.h"
#include "os/process/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define AUXV_BYTES 4096u
#define TRIES 500 /* to understand its contexts: half a second, or somewhat more */
#define PAUSE_NS 1000000L

/* Where the program begins to run, as the kernel told it: getauxval(3), AT_ENTRY. */
static enum hf_status postgres_read_entry(uint32_t pid, uint64_t *out_entry, struct hf_error *err)
{
    char path[64];
    struct hf_input auxv;
    struct hf_text bytes;
    (void)snprintf(path, sizeof path, "/proc/%u/auxv", pid);
    enum hf_status status = hf_input_open(&auxv, path, err);
    if (status != HF_OK)
        return status;
    status = hf_input_peek(&auxv, AUXV_BYTES, &bytes, err);
    bool is_found = false;
    for (size_t i = 0; status == HF_OK && !is_found && i + 16 <= bytes.size; i += 16) {
        uint64_t pair[2];
        memcpy(pair, bytes.data + i, sizeof pair);
        is_found = pair[0] == AT_ENTRY;
        if (is_found)
            *out_entry = pair[1];
    }
    hf_input_close(&auxv);
    if (status == HF_OK && !is_found)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "cannot find where process %u has loaded its program: run as root", pid);
    return status;
}

/* The code of the program, which was moved by `bias` when it was loaded. */
static enum hf_status take_code(
    struct hf_postgres *postgres, const struct hf_elf *elf, uint64_t bias, struct hf_error *err)
{
    postgres->code = calloc(elf->segment_count + 1, sizeof *postgres->code);
    if (postgres->code == NULL)
        return hf_error_memory(err);
    postgres->source.code = postgres->code;
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *segment = &elf->segments[i];
        uint64_t start = segment->address + bias;
        if (segment->type == PT_LOAD && (segment->flags & PF_X) != 0)
            postgres->code[postgres->source.code_count++] =
                (struct hf_code_range){start, start + segment->memory_size};
    }
    return HF_OK;
}

/* Symbols as the file has them; 0 in it is no address. */
static void postgres_take_symbol(
    void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    static const char *const makers[HF_POSTGRES_MAKERS] = {"AllocSetContextCreateInternal",
        "SlabContextCreate", "GenerationContextCreate", "BumpContextCreate", "MemoryContextCreate"};
    struct hf_postgres *postgres = context;
    if (is_local)
        return;
    if (type == STT_OBJECT && hf_text_is(symbol->name, "TopMemoryContext"))
        postgres->source.top_variable = symbol->address;
    for (size_t i = 0; type == STT_FUNC && i < HF_POSTGRES_MAKERS; i++) {
        if (hf_text_is(symbol->name, makers[i]))
            postgres->makers[i] =
                (struct hf_code_range){symbol->address, symbol->address + symbol->size};
    }
}

static enum hf_status take_program(
    struct hf_postgres *postgres, const struct hf_elf *elf, struct hf_error *err)
{
    uint64_t entry = 0;
    Elf64_Ehdr header;
    memcpy(&header, elf->bytes.data, sizeof header);
    enum hf_status status = hf_symtab_each(elf, postgres_take_symbol, postgres, err);
    if (status == HF_OK && postgres->source.top_variable == 0)
        status = hf_error_set(err, HF_ERR_INPUT,
            "process %u has no TopMemoryContext: it is not a server process of PostgreSQL",
            postgres->pid);
    if (status == HF_OK)
        status = postgres_read_entry(postgres->pid, &entry, err);
    if (status != HF_OK)
        return status;
    uint64_t bias = entry - header.e_entry;
    status = hf_memory_open(postgres->pid, &postgres->memory_fd, err);
    if (status != HF_OK)
        return status;
    postgres->has_memory = true;
    postgres->source.memory = hf_memory_of_file(&postgres->memory_fd);
    postgres->source.top_variable += bias;
    for (size_t i = 0; i < HF_POSTGRES_MAKERS; i++) {
        postgres->makers[i].start += bias;
        postgres->makers[i].end += bias;
    }
    return take_code(postgres, elf, bias, err);
}

static enum hf_status open_program(struct hf_postgres *postgres, struct hf_error *err)
{
    char path[64];
    struct hf_file_map map;
    struct hf_elf elf;
    (void)snprintf(path, sizeof path, "/proc/%u/exe", postgres->pid);
    struct hf_budget budget = {0};
    enum hf_status status = hf_file_map_open(&map, path, err);
    if (status != HF_OK)
        return status;
    struct hf_budget_scope before = hf_budget_enter(&budget);
    hf_budget_give(map.size);
    status = hf_elf_open(&elf, (struct hf_text){(const char *)map.data, map.size}, path, err);
    if (status == HF_OK)
        status = take_program(postgres, &elf, err);
    hf_elf_close(&elf);
    hf_budget_leave(before);
    status = hf_file_map_check(&map, path, status, err);
    hf_file_map_close(&map);
    return status;
}

static enum hf_status look_for_layout(
    const struct hf_context_source *source, struct hf_context_layout *out, struct hf_error *err)
{
    struct hf_contexts contexts;
    enum hf_status status = hf_context_layout_find(source, out, err);
    if (status != HF_OK)
        return status;
    status = hf_contexts_read(&contexts, source, out, err);
    if (status == HF_OK)
        hf_context_fields_find(out, source, &contexts);
    hf_contexts_done(&contexts);
    return status;
}

/*
 * What changes while it is looked at, as the lists of a busy backend, may look like something else,
 * but not twice the same; or like nothing.
 */
static enum hf_status find_layout(struct hf_postgres *postgres, struct hf_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct hf_context_layout found;
    enum hf_status status = HF_OK;
    bool is_known = false;
    for (int i = 0; i < TRIES; i++) {
        status = look_for_layout(&postgres->source, &found, err);
        if (status != HF_OK && status != HF_ERR_INPUT)
            return status;
        if (status == HF_OK && is_known && memcmp(&postgres->layout, &found, sizeof found) == 0)
            return HF_OK;
        if (status == HF_OK)
            postgres->layout = found;
        is_known |= status == HF_OK;
        nanosleep(&pause, NULL);
    }
    if (!is_known)
        return status;
    return hf_error_set(err, HF_ERR_INPUT,
        "the memory contexts of process %u changed while they were read, each time: try again",
        postgres->pid);
}

enum hf_status hf_postgres_open(struct hf_postgres *postgres, uint32_t pid, struct hf_error *err)
{
    uint64_t started;
    *postgres = (struct hf_postgres){.pid = pid};
    if (!hf_proc_start_ticks(pid, &started))
        return hf_error_set(err, HF_ERR_SYSTEM, "there is no process %u", pid);
    enum hf_status status = open_program(postgres, err);
    return status == HF_OK ? find_layout(postgres, err) : status;
}

enum hf_status hf_postgres_tables(
    const struct hf_postgres *postgres, struct hf_context_tables *out_tables, struct hf_error *err)
{
    struct hf_contexts contexts;
    enum hf_status status = hf_contexts_read(&contexts, &postgres->source, &postgres->layout, err);
    out_tables->count = 0;
    if (status == HF_OK)
        hf_context_tables_add(out_tables, &postgres->source, &contexts);
    for (size_t i = 0; status == HF_OK && i < HF_POSTGRES_MAKERS; i++)
        hf_context_tables_add_named(out_tables, &postgres->source, postgres->makers[i]);
    hf_contexts_done(&contexts);
    return status;
}

void hf_postgres_close(struct hf_postgres *postgres)
{
    if (postgres->has_memory)
        close(postgres->memory_fd);
    free(postgres->code);
    *postgres = (struct hf_postgres){0};
}
