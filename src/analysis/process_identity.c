#include "analysis/process_identity.h"

#include "base/containers/hash.h"
#include "profile/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_BYTES 4 /* of a build-id, to name it */

static bool is_version_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "2.4.1" at the front: numbers, with dots between them. 0: none. */
static size_t version_size_of(struct hf_text text)
{
    size_t size = 0, dots = 0;
    while (size < text.size &&
           (is_version_digit(text.data[size]) ||
               (text.data[size] == '.' && size + 1 < text.size && size != 0 &&
                   is_version_digit(text.data[size - 1]) && is_version_digit(text.data[size + 1]))))
        dots += text.data[size++] == '.';
    return dots != 0 ? size : 0;
}

/* The last version in a path that stands behind one of /-_@, perhaps with a v; empty: none. */
static struct hf_text find_path_version(struct hf_text path)
{
    struct hf_text found = {path.data, 0};
    for (size_t i = 0; i < path.size; i++) {
        if (strchr("/-_@", path.data[i]) == NULL)
            continue;
        struct hf_text rest = hf_text_from(path, i + 1);
        if (hf_text_starts(rest, "v"))
            rest = hf_text_from(rest, 1);
        size_t size = version_size_of(rest);
        char after = size < rest.size ? rest.data[size] : '/';
        if (size != 0 && strchr("/-_+", after) != NULL)
            found = hf_text_first(rest, size);
    }
    return found;
}

/* Without the version at its end. */
static void keep_name(char out_name[HF_PROGRAM_MAX], struct hf_text path)
{
    struct hf_text name = hf_text_basename(path), version = find_path_version(name);
    if (version.size != 0 && version.data + version.size == name.data + name.size) {
        name.size -= version.size;
        if (name.size > 1 && name.data[name.size - 1] == 'v')
            name.size--;
        name.size--; /* what stands before a version */
    }
    (void)snprintf(out_name, HF_PROGRAM_MAX, "%.*s", (int)name.size, name.data);
}

static void keep_version(char out_version[HF_VERSION_MAX], struct hf_text path)
{
    struct hf_text version = find_path_version(path);
    if (version.size != 0)
        (void)snprintf(out_version, HF_VERSION_MAX, "%.*s", (int)version.size, version.data);
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
    command = hf_text_first(command, hf_text_find(command, ' '));
    keep_name(out->command, command);
    keep_version(out->version, command);
    keep_version(out->version, hf_profile_text(profile, capture->program));
    uint32_t program = hf_modules_program(profile);
    if (program != HF_NO_MODULE) {
        const struct hf_module *module = &profile->modules[program];
        struct hf_text build_id = hf_profile_text(profile, module->build_id);
        keep_name(out->file, hf_profile_text(profile, module->path));
        keep_version(out->version, hf_profile_text(profile, module->path));
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

static bool build_ids_differ(
    const struct hf_process_identity *a, const struct hf_process_identity *b)
{
    return a->build_id_size != 0 && b->build_id_size != 0 &&
           (a->build_id_size != b->build_id_size ||
               memcmp(a->build_id, b->build_id, a->build_id_size) != 0);
}

bool hf_process_identity_fits(
    const struct hf_process_identity *a, const struct hf_process_identity *b)
{
    bool have_numbers = a->pid != 0 && b->pid != 0;
    if ((have_numbers && a->pid != b->pid) ||
        (a->start != 0 && b->start != 0 && a->start != b->start))
        return false;
    if (names_differ(a->file, b->file) || names_differ(a->version, b->version) ||
        (!have_numbers && names_differ(a->command, b->command)))
        return false;
    return !build_ids_differ(a, b) && !are_moved(a, b);
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
    if (known->version[0] == '\0')
        memcpy(known->version, before.version, sizeof known->version);
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

void hf_process_identity_build(
    const struct hf_process_identity *identity, char out_name[HF_BUILD_NAME_MAX])
{
    const char *version = identity->version;
    memcpy(out_name, version, HF_VERSION_MAX);
    for (size_t i = 0; version[0] == '\0' && i < identity->build_id_size && i < BUILD_BYTES; i++)
        (void)snprintf(&out_name[2 * i], 3, "%02x", (unsigned char)identity->build_id[i]);
}

bool hf_process_identity_same_build(
    const struct hf_process_identity *a, const struct hf_process_identity *b)
{
    return !build_ids_differ(a, b) && strcmp(a->version, b->version) == 0;
}
