#include "symbol/lookup/jit_list.h"

#include "base/checksum.h"
#include "elf/symtab.h"
#include "os/file.h"
#include "os/input.h"
#include "os/path.h"
#include "os/process/map_line.h"
#include "symbol/debug_paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JIT_VERSION 1u
#define DESCRIPTOR "__jit_debug_descriptor"
#define JIT_NAME_MAX 4096u /* bytes of one name; a longer one is none of a function */

/* As the process has it. */
struct jit_entry {
    uint64_t next, previous, start, size;
};

struct jit_finding {
    uint64_t address;
};

static void jit_list_take_descriptor(
    void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    struct jit_finding *finding = context;
    (void)is_local;
    if (type == STT_OBJECT && hf_text_is(symbol->name, DESCRIPTOR))
        finding->address = symbol->address;
}

/* Of the file that a mapping shows; 0: it has none. */
static uint64_t descriptor_in(uint32_t pid, const struct hf_map_line *line)
{
    char path[PATH_MAX];
    struct hf_file_map map;
    struct hf_elf elf = {0};
    struct jit_finding finding = {0};
    uint64_t address;
    if (!hf_path_format(
            path, "/proc/%" PRIu32 "/root%.*s", pid, (int)line->path.size, line->path.data) ||
        hf_file_map_open(&map, path, NULL) != HF_OK)
        return 0;
    struct hf_text bytes = {(const char *)map.data, map.size};
    bool is_read = hf_elf_open(&elf, bytes, path, NULL) == HF_OK &&
                   hf_elf_address_of_offset(&elf, line->file_offset, &address) &&
                   hf_symtab_each(&elf, jit_list_take_descriptor, &finding, NULL) == HF_OK;
    hf_elf_close(&elf);
    hf_file_map_close(&map);
    return is_read && finding.address != 0 ? finding.address - address + line->start : 0;
}

/* Executable memory of no file, nor of the kernel's: [vdso], [vsyscall], [uprobes]. */
static bool is_made_at_run_time(const struct hf_map_line *line)
{
    return line->path.size == 0 || hf_text_starts(line->path, "[anon") ||
           hf_text_is(line->path, "[heap]") || hf_text_starts(line->path, "/memfd:");
}

/* One pass over the code that the process has mapped; false where `take` ends it. */
static bool each_code(uint32_t pid,
    bool (*take)(uint32_t pid, const struct hf_map_line *line, uint64_t *found), uint64_t *found)
{
    char path[PATH_MAX];
    struct hf_input maps;
    struct hf_text text;
    struct hf_map_line line;
    enum hf_status status = HF_OK;
    bool goes_on = true;
    if (!hf_path_format(path, "/proc/%" PRIu32 "/maps", pid) ||
        hf_input_open(&maps, path, NULL) != HF_OK)
        return true;
    while (goes_on && hf_input_next(&maps, &text, &status, NULL)) {
        if (hf_map_line_parse(text, &line) && line.is_executable)
            goes_on = take(pid, &line, found);
    }
    hf_input_close(&maps);
    return goes_on;
}

static bool goes_on_to_jit(uint32_t pid, const struct hf_map_line *line, uint64_t *found)
{
    (void)pid;
    (void)found;
    return !is_made_at_run_time(line);
}

static bool goes_on_to_descriptor(uint32_t pid, const struct hf_map_line *line, uint64_t *found)
{
    if (hf_text_starts(line->path, "/") && !line->is_deleted)
        *found = descriptor_in(pid, line);
    return *found == 0;
}

uint64_t hf_jit_list_descriptor(uint32_t pid)
{
    uint64_t found = 0;
    bool has_jit = !each_code(pid, goes_on_to_jit, &found);
    return has_jit && !each_code(pid, goes_on_to_descriptor, &found) ? found : 0;
}

static bool has_seen(const uint64_t *seen, uint32_t count, uint64_t checksum)
{
    for (uint32_t i = 0; i < count; i++) {
        if (seen[i] == checksum)
            return true;
    }
    return false;
}

/* A line of a perf map. */
static void jit_list_add_name(
    void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    struct hf_jit_list *list = context;
    size_t room = sizeof list->text - list->size;
    (void)is_local;
    if (type != STT_FUNC || symbol->size == 0 || symbol->name.size > JIT_NAME_MAX ||
        hf_text_has(symbol->name, "\n"))
        return;
    int size = snprintf(list->text + list->size, room, "%" PRIx64 " %" PRIx64 " %.*s\n",
        symbol->address, symbol->size, (int)symbol->name.size, symbol->name.data);
    if (size > 0 && (size_t)size < room)
        list->size += (uint32_t)size;
    else
        list->has_more_names = true;
}

static void jit_list_add_object(struct hf_jit_list *list, struct hf_text bytes)
{
    struct hf_elf elf = {0};
    if (hf_elf_open(&elf, bytes, "code of a JIT", NULL) == HF_OK)
        (void)!(hf_symtab_each(&elf, jit_list_add_name, list, NULL) == HF_OK);
    hf_elf_close(&elf);
}

/* Reads one object; `seen`: those of the last look. False: it is not there. */
static bool jit_list_read_object(struct hf_jit_list *list, const struct hf_memory *memory,
    const struct jit_entry *entry, const uint64_t *seen, uint32_t seen_count)
{
    char *bytes = malloc(entry->size + 1);
    bool is_there = bytes != NULL && hf_memory_copy(memory, entry->start, bytes, entry->size);
    if (is_there) {
        uint64_t checksum = hf_mix(hf_checksum(bytes, entry->size), entry->start | 1);
        list->seen[list->count++] = checksum;
        if (!has_seen(seen, seen_count, checksum))
            jit_list_add_object(list, (struct hf_text){bytes, entry->size});
    }
    free(bytes);
    return is_there;
}

static void read_entries(struct hf_jit_list *list, const struct hf_memory *memory, uint64_t at,
    const uint64_t *seen, uint32_t seen_count)
{
    struct jit_entry entry;
    uint64_t left = HF_LIMIT_JIT_OBJECT_BYTES;
    for (list->count = 0; at != 0; at = entry.next) {
        if (list->count == HF_LIMIT_JIT_OBJECTS) {
            list->has_more_objects = true;
            return;
        }
        if (!hf_memory_copy(memory, at, &entry, sizeof entry))
            return;
        if (entry.size > left) {
            list->has_larger_objects = true;
            return;
        }
        left -= entry.size;
        if (!jit_list_read_object(list, memory, &entry, seen, seen_count))
            return;
    }
}

void hf_jit_list_look(struct hf_jit_list *list, const struct hf_memory *memory)
{
    uint64_t head[3];
    if (list->descriptor == 0 || list->count > HF_LIMIT_JIT_OBJECTS ||
        list->size > sizeof list->text)
        return;
    if (!hf_memory_copy(memory, list->descriptor, head, sizeof head) ||
        (uint32_t)head[0] != JIT_VERSION) {
        list->descriptor = 0; /* it became another program, or closed the library */
        return;
    }
    if (memcmp(head, list->head, sizeof head) == 0)
        return;
    uint64_t *seen = malloc(sizeof list->seen);
    if (seen == NULL)
        return;
    uint32_t count = list->count;
    memcpy(seen, list->seen, count * sizeof *seen);
    memcpy(list->head, head, sizeof head);
    read_entries(list, memory, head[2], seen, count);
    free(seen);
}

struct hf_text hf_jit_list_names(const struct hf_jit_list *list)
{
    uint32_t size = list->size;
    return (struct hf_text){list->text, size <= sizeof list->text ? size : 0};
}

void hf_jit_list_note(const struct hf_jit_list *list, struct hf_notes *notes)
{
    static const char missing[] = "names of code from a JIT are missing: its list for GDB";
    if (list->has_more_objects)
        hf_notes_add(notes, HF_NOTE_INFO, "%s has more than %u objects (HF_LIMIT_JIT_OBJECTS)",
            missing, HF_LIMIT_JIT_OBJECTS);
    if (list->has_larger_objects)
        hf_notes_add(notes, HF_NOTE_INFO, "%s has more than %u bytes (HF_LIMIT_JIT_OBJECT_BYTES)",
            missing, HF_LIMIT_JIT_OBJECT_BYTES);
    if (list->has_more_names)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s has more than %u bytes of names (HF_LIMIT_JIT_NAME_BYTES)", missing,
            HF_LIMIT_JIT_NAME_BYTES);
}

enum hf_status hf_jit_list_of(uint32_t pid, struct hf_jit_list **out_list, struct hf_error *err)
{
    int fd;
    *out_list = NULL;
    uint64_t descriptor = hf_jit_list_descriptor(pid);
    if (descriptor == 0 || hf_memory_open(pid, &fd, NULL) != HF_OK)
        return HF_OK;
    struct hf_jit_list *list = calloc(1, sizeof *list);
    if (list != NULL) {
        struct hf_memory memory = hf_memory_of_file(&fd);
        list->descriptor = descriptor;
        hf_jit_list_look(list, &memory);
    }
    close(fd);
    *out_list = list;
    return list != NULL ? HF_OK : hf_error_memory(err);
}
