#include "analysis/process_identity.h"

#include "base/containers/hash.h"
#include "profile/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_name(char out_name[HF_PROGRAM_MAX], struct hf_text path)
{
    struct hf_text name = hf_text_basename(path);
    (void)snprintf(out_name, HF_PROGRAM_MAX, "%.*s", (int)name.size, name.data);
}

static int compare_places(const void *a, const void *b)
{
    const struct hf_module_place *x = a, *y = b;
    return (x->path > y->path) - (x->path < y->path);
}

/* Of files; what the kernel maps beside them moves as it likes. */
static enum hf_status find_module_places(
    const struct hf_profile *profile, struct hf_process_identity *out, struct hf_error *err)
{
    out->places = calloc(profile->module_count + 1, sizeof *out->places);
    if (out->places == NULL)
        return hf_error_memory(err);
    for (size_t i = 1; i < profile->module_count; i++) {
        const struct hf_module *module = &profile->modules[i];
        struct hf_text path = hf_profile_text(profile, module->path);
        if (module->segment_count != 0 && hf_text_starts(path, "/"))
            out->places[out->place_count++] = (struct hf_module_place){
                hf_hash_bytes(path.data, path.size), module->segments[0].start};
    }
    qsort(out->places, out->place_count, sizeof *out->places, compare_places);
    return HF_OK;
}

enum hf_status hf_process_identity_of(
    const struct hf_profile *profile, struct hf_process_identity *out, struct hf_error *err)
{
    const struct hf_capture_facts *capture = &profile->capture;
    *out =
        (struct hf_process_identity){.pid = capture->process_id, .start = capture->process_start};
    struct hf_text command = hf_profile_text(profile, capture->command);
    keep_name(out->command, hf_text_first(command, hf_text_find(command, ' ')));
    uint32_t program = hf_modules_program(profile);
    if (program != HF_NO_MODULE) {
        const struct hf_module *module = &profile->modules[program];
        struct hf_text build_id = hf_profile_text(profile, module->build_id);
        keep_name(out->file, hf_profile_text(profile, module->path));
        if (build_id.size != 0 && build_id.size <= sizeof out->build_id) {
            memcpy(out->build_id, build_id.data, build_id.size);
            out->build_id_size = build_id.size;
        }
    }
    return find_module_places(profile, out, err);
}

void hf_process_identity_done(struct hf_process_identity *identity)
{
    free(identity->places);
    *identity = (struct hf_process_identity){0};
}

/* Most of the files that both have mapped lie elsewhere. */
static bool are_moved(const struct hf_process_identity *a, const struct hf_process_identity *b)
{
    size_t common = 0, moved = 0;
    for (size_t i = 0, j = 0; i < a->place_count && j < b->place_count;) {
        const struct hf_module_place *x = &a->places[i], *y = &b->places[j];
        common += x->path == y->path;
        moved += x->path == y->path && x->start != y->start;
        i += x->path <= y->path;
        j += x->path >= y->path;
    }
    return moved * 2 >= common && common != 0;
}

static bool names_differ(const char *a, const char *b)
{
    return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

bool hf_process_identity_fits(
    const struct hf_process_identity *a, const struct hf_process_identity *b)
{
    bool have_numbers = a->pid != 0 && b->pid != 0;
    if ((have_numbers && a->pid != b->pid) ||
        (a->start != 0 && b->start != 0 && a->start != b->start))
        return false;
    if (names_differ(a->file, b->file) || (!have_numbers && names_differ(a->command, b->command)))
        return false;
    if (a->build_id_size != 0 && b->build_id_size != 0 &&
        (a->build_id_size != b->build_id_size ||
            memcmp(a->build_id, b->build_id, a->build_id_size) != 0))
        return false;
    return !are_moved(a, b);
}

void hf_process_identity_learn(struct hf_process_identity *known, struct hf_process_identity *later)
{
    struct hf_process_identity before = *known;
    *known = *later;
    *later = (struct hf_process_identity){0};
    if (known->pid == 0)
        known->pid = before.pid;
    if (known->start == 0)
        known->start = before.start;
    if (known->command[0] == '\0')
        memcpy(known->command, before.command, sizeof known->command);
    if (known->file[0] == '\0')
        memcpy(known->file, before.file, sizeof known->file);
    if (known->build_id_size == 0) {
        memcpy(known->build_id, before.build_id, sizeof known->build_id);
        known->build_id_size = before.build_id_size;
    }
    if (known->place_count == 0) {
        free(known->places);
        known->places = before.places;
        known->place_count = before.place_count;
    } else {
        free(before.places);
    }
}

const char *hf_process_identity_program(const struct hf_process_identity *identity)
{
    return identity->command[0] != '\0' ? identity->command : identity->file;
}
