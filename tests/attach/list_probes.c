/*
 * list_probes.c: what attach would probe in a process, for tests/e2e/resolve.py.
 *
 *     list-probes PID all|any SPEC...      SPEC: a preset, or a file
 *
 * Prints "spec NAME" for each that was taken, a line for each probe, and "note TEXT"; or "error
 * TEXT", and ends with 3.
 */
#include "attach/session/probe_resolver.h"
#include "base/strings/num.h"
#include "os/file.h"
#include "profile/notes.h"
#include "spec/presets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SPECS_MAX 8

static enum hf_status read_spec(const char *name, struct hf_specs *specs, struct hf_error *err)
{
    struct hf_text text;
    if (hf_spec_preset(hf_text_of(name), &text))
        return hf_specs_parse(specs, text, name, err);
    struct hf_file_map map;
    enum hf_status status = hf_file_map_open(&map, name, err);
    if (status != HF_OK)
        return status;
    text = (struct hf_text){(const char *)map.data, map.size};
    status = hf_specs_parse(specs, text, name, err);
    hf_file_map_close(&map);
    return status;
}

static void print(const struct hf_probes *probes, const struct hf_notes *notes)
{
    for (size_t i = 0; i < probes->spec_count; i++)
        printf("spec %.*s\n", (int)probes->specs[i]->name.size, probes->specs[i]->name.data);
    for (size_t i = 0; i < probes->count; i++) {
        const struct hf_probe *p = &probes->items[i];
        printf("probe\t%s\t%s\t%s\t%s\t%#" PRIx64 "\t%" PRIu64 "\t%#" PRIx64 "\t%u\t%d\t%s\n",
            hf_role_name(p->entry->role), p->function, p->file, p->path, p->entry_offset,
            p->offset - p->entry_offset, p->address, hf_spec_entry_arguments(p->entry), p->returns,
            p->why_stepped != NULL ? p->why_stepped : "-");
    }
    for (size_t i = 0; i < notes->count; i++)
        printf("note %s\n", notes->items[i].text);
}

int main(int argc, char **argv)
{
    struct hf_specs specs[SPECS_MAX] = {{0}};
    struct hf_probes probes = {0};
    struct hf_notes notes = {0};
    struct hf_error err;
    uint64_t pid = 0;
    size_t count = 0;
    enum hf_status status = HF_OK;
    if (argc < 4 || argc > 3 + SPECS_MAX || !hf_num_u64(hf_text_of(argv[1]), &pid))
        return 2;
    for (; status == HF_OK && count + 3 < (size_t)argc; count++)
        status = read_spec(argv[count + 3], &specs[count], &err);
    if (status == HF_OK)
        status = hf_probes_resolve(
            &probes, (uint32_t)pid, specs, count, strcmp(argv[2], "any") == 0, &notes, &err);
    if (status == HF_OK)
        print(&probes, &notes);
    else
        printf("error %s\n", err.text);
    hf_probes_done(&probes);
    hf_notes_done(&notes);
    for (size_t i = 0; i < count; i++)
        hf_specs_done(&specs[i]);
    return status == HF_OK ? 0 : 3;
}
