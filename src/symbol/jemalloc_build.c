#include "symbol/jemalloc_build.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "elf/dynamic.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/library_path.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __aarch64__
#define HF_HOST_MACHINE EM_AARCH64
#else
#define HF_HOST_MACHINE EM_X86_64
#endif

/* The program and the libraries it needs, in the order in which symbols are looked up. */
struct jemalloc_build_files {
    struct hf_jemalloc_build *build;
    char **paths;
    size_t count, capacity;
};

static struct hf_text find_bytes(struct hf_text bytes, const char *needle)
{
    size_t size = strlen(needle);
    const char *at = bytes.size != 0 ? memmem(bytes.data, bytes.size, needle, size) : NULL;
    return at != NULL ? hf_text_from(bytes, (size_t)(at - bytes.data)) : (struct hf_text){NULL, 0};
}

static bool is_constants(const struct hf_elf_section *section)
{
    return hf_text_starts(section->name, ".rodata") || hf_text_starts(section->name, ".lrodata");
}

/* The `index`-th section of constants. *out_has_any: there is one at all. */
static bool constant_section(
    const struct hf_elf *elf, size_t index, struct hf_text *out_bytes, bool *out_has_any)
{
    *out_has_any = false;
    for (size_t i = 0; i < elf->section_count; i++) {
        if (!is_constants(&elf->sections[i]))
            continue;
        *out_has_any = true;
        if (index-- != 0)
            continue;
        *out_bytes = hf_elf_section_bytes(elf, &elf->sections[i]);
        return true;
    }
    return false;
}

/*
 * The `index`-th part of the file with constants, or, where no section says which that are, that is
 * loaded and never written; false if there are fewer. Code and tables of a large library are many
 * times its constants.
 */
static bool constant_bytes(const struct hf_elf *elf, size_t index, struct hf_text *out_bytes)
{
    bool has_any, is_there = constant_section(elf, index, out_bytes, &has_any);
    if (has_any)
        return is_there;
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type != PT_LOAD || (s->flags & PF_W) != 0 || index-- != 0)
            continue;
        *out_bytes = hf_text_first(hf_text_from(elf->bytes, s->offset), (size_t)s->file_size);
        return true;
    }
    return false;
}

static bool has_constant(const struct hf_elf *elf, const char *needle)
{
    struct hf_text bytes;
    for (size_t i = 0; constant_bytes(elf, i, &bytes); i++) {
        if (find_bytes(bytes, needle).data != NULL)
            return true;
    }
    return false;
}

/*
 * "<jemalloc>: Error in "; in two parts, so that this program is not taken for one that has it. The
 * ">" is looked for: of all bytes of the text it is the rarest, and libraries are large.
 */
static bool is_jemalloc(const struct hf_elf *elf)
{
    static const char before[] = "<jemalloc", after[] = ": Error in ";
    size_t size = sizeof before - 1;
    struct hf_text bytes;
    for (size_t i = 0; constant_bytes(elf, i, &bytes); i++) {
        for (size_t at = size; at < bytes.size; at++) {
            struct hf_text rest = hf_text_from(bytes, at);
            at += hf_text_find(rest, '>');
            if (at < bytes.size && hf_text_starts(hf_text_from(bytes, at + 1), after) &&
                memcmp(bytes.data + at - size, before, size) == 0)
                return true;
        }
    }
    return false;
}

/* The number at the start of `text`, up to `end`, which is skipped. */
static bool jemalloc_build_take_number(struct hf_text *text, char end, uint64_t *out_number)
{
    struct hf_text digits = hf_text_first(*text, hf_text_find(*text, end));
    *text = hf_text_from(*text, digits.size + 1);
    return digits.size <= 3 && hf_num_u64(digits, out_number) && *out_number <= 255;
}

/* "5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c" */
static bool jemalloc_build_read_version(
    struct hf_text text, uint32_t *out_number, bool *out_is_snapshot)
{
    uint64_t major, minor, patch, commits, hash;
    if (!jemalloc_build_take_number(&text, '.', &major) ||
        !jemalloc_build_take_number(&text, '.', &minor) ||
        !jemalloc_build_take_number(&text, '-', &patch))
        return false;
    struct hf_text since = hf_text_first(text, hf_text_find(text, '-'));
    text = hf_text_from(text, since.size + 1);
    if (!hf_num_u64(since, &commits) || !hf_text_starts(text, "g") || text.size < 8 ||
        !hf_num_hex(hf_text_first(hf_text_from(text, 1), 7), &hash))
        return false;
    *out_is_snapshot = commits != 0;
    *out_number = (uint32_t)(major << 16 | minor << 8 | patch);
    return true;
}

static void find_version(struct hf_jemalloc_build *build, const struct hf_elf *elf)
{
    struct hf_text bytes;
    for (size_t i = 0; constant_bytes(elf, i, &bytes); i++) {
        /* Each string that begins behind a NUL. */
        for (size_t nul; (nul = hf_text_find(bytes, '\0')) < bytes.size;) {
            bytes = hf_text_from(bytes, nul + 1);
            if (bytes.size == 0 || bytes.data[0] < '0' || bytes.data[0] > '9')
                continue;
            struct hf_text text = hf_text_first(bytes, HF_JEMALLOC_NAME_MAX - 1);
            text = hf_text_first(text, hf_text_find(text, '\0'));
            if (!jemalloc_build_read_version(text, &build->version_number, &build->is_snapshot))
                continue;
            memcpy(build->version, text.data, text.size);
            build->version[text.size] = '\0';
            return;
        }
    }
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* The letters between "/etc/" and "malloc.conf"; false if this is another path. */
static bool jemalloc_build_read_prefix(struct hf_text path, struct hf_text *out_prefix)
{
    static const char name[] = "malloc.conf";
    struct hf_text rest = hf_text_from(path, strlen("/etc/"));
    rest = hf_text_first(rest, HF_JEMALLOC_NAME_MAX - 32);
    rest = hf_text_first(rest, hf_text_find(rest, '\0'));
    for (size_t i = 0; i < rest.size; i++) {
        if (rest.data[i] != '_' && (upper(rest.data[i]) < 'A' || upper(rest.data[i]) > 'Z') &&
            rest.data[i] != '.' && (rest.data[i] < '0' || rest.data[i] > '9'))
            return false;
    }
    if (!hf_text_ends(rest, name))
        return false;
    *out_prefix = hf_text_first(rest, rest.size - strlen(name));
    return true;
}

/* "_rjem_" of "/etc/_rjem_malloc.conf". A sentence for people names the plain path as well. */
static struct hf_text jemalloc_build_find_prefix(const struct hf_elf *elf)
{
    struct hf_text bytes, prefix = {NULL, 0};
    for (size_t i = 0; constant_bytes(elf, i, &bytes); i++) {
        for (struct hf_text at = bytes; (at = find_bytes(at, "/etc/")).size != 0;
             at = hf_text_from(at, 1)) {
            if (jemalloc_build_read_prefix(at, &prefix) && prefix.size != 0)
                return prefix;
        }
    }
    return (struct hf_text){NULL, 0};
}

static void jemalloc_build_describe(struct hf_jemalloc_build *build, const struct hf_elf *elf,
    const char *path, struct hf_text prefix, bool is_program)
{
    build->place = is_program ? HF_JEMALLOC_INSIDE : HF_JEMALLOC_LIBRARY;
    build->has_profiling = has_constant(elf, "heap_v2/%");
    (void)snprintf(build->path, sizeof build->path, "%s", path);
    (void)snprintf(
        build->link, sizeof build->link, "/etc/%.*smalloc.conf", (int)prefix.size, prefix.data);
    (void)snprintf(
        build->variable, sizeof build->variable, "%.*sMALLOC_CONF", (int)prefix.size, prefix.data);
    for (size_t i = 0; i < prefix.size; i++)
        build->variable[i] = upper(build->variable[i]);
    find_version(build, elf);
}

static enum hf_status jemalloc_build_add_file(
    struct jemalloc_build_files *files, const char *path, struct hf_error *err)
{
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->paths[i], path) == 0)
            return HF_OK;
    }
    if (files->count == HF_LIMIT_LIBRARIES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the program needs more than %u libraries (HF_LIMIT_LIBRARIES)", HF_LIMIT_LIBRARIES);
    if (!hf_vec_reserve(&files->paths, &files->capacity, files->count + 1, sizeof *files->paths))
        return hf_error_memory(err);
    char *copy = strdup(path);
    if (copy == NULL)
        return hf_error_memory(err);
    files->paths[files->count++] = copy;
    return HF_OK;
}

static enum hf_status add_needed(struct jemalloc_build_files *files, const struct hf_elf *elf,
    const char *path, struct hf_error *err)
{
    struct hf_text name, run_path = {NULL, 0};
    char found[PATH_MAX];
    struct hf_dynamic_strings needed = hf_dynamic_strings_of(elf, DT_NEEDED);
    struct hf_dynamic_strings new_paths = hf_dynamic_strings_of(elf, DT_RUNPATH);
    struct hf_dynamic_strings old_paths = hf_dynamic_strings_of(elf, DT_RPATH);
    if (!hf_dynamic_string_next(&new_paths, &run_path) &&
        !hf_dynamic_string_next(&old_paths, &run_path))
        run_path.size = 0;
    for (size_t i = 0; i < HF_LIMIT_LIBRARIES && hf_dynamic_string_next(&needed, &name); i++) {
        enum hf_status status = HF_OK;
        if (hf_library_path_find(name, elf->machine, run_path, path, found))
            status = jemalloc_build_add_file(files, found, err);
        else if (files->build->missing[0] == '\0')
            (void)snprintf(files->build->missing, sizeof files->build->missing, "%.*s",
                (int)(name.size < 100 ? name.size : 100), name.data);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

/* Calls for one file of the list: adds what it needs, looks for jemalloc in it. */
static enum hf_status look_into(
    struct jemalloc_build_files *files, size_t index, struct hf_error *err)
{
    struct hf_file_map map;
    struct hf_elf elf;
    const char *path = files->paths[index];
    enum hf_status status = hf_file_map_open(&map, path, err);
    if (status != HF_OK)
        return status;
    struct hf_text bytes = {(const char *)map.data, map.size};
    status = hf_elf_open(&elf, bytes, path, err);
    if (status == HF_OK) {
        if (is_jemalloc(&elf) && files->build->place == HF_JEMALLOC_NOWHERE)
            jemalloc_build_describe(
                files->build, &elf, path, jemalloc_build_find_prefix(&elf), index == 0);
        status = add_needed(files, &elf, path, err);
        hf_elf_close(&elf);
    }
    status = hf_file_map_check(&map, path, status, err);
    hf_file_map_close(&map);
    return status;
}

static enum hf_status read_link(struct hf_jemalloc_build *build, struct hf_error *err)
{
    char target[PATH_MAX];
    if (build->place == HF_JEMALLOC_NOWHERE || !hf_path_link(build->link, target))
        return HF_OK;
    build->linked = strdup(target);
    return build->linked != NULL ? HF_OK : hf_error_memory(err);
}

/* The options that are compiled into a file: the text of the variable malloc_conf, if it has one.
 */
static enum hf_status read_built_in(
    struct hf_jemalloc_build *build, const char *path, struct hf_error *err)
{
    struct hf_file_map map;
    struct hf_elf elf;
    struct hf_text name = hf_text_from(hf_text_of(build->link), strlen("/etc/")), text;
    char variable[HF_JEMALLOC_NAME_MAX];
    (void)snprintf(variable, sizeof variable, "%s", name.data);
    variable[name.size - strlen(".conf")] = '_'; /* malloc.conf, malloc_conf */
    if (hf_file_map_open(&map, path, NULL) != HF_OK)
        return HF_OK;
    enum hf_status status = HF_OK;
    struct hf_text bytes = {(const char *)map.data, map.size};
    if (hf_elf_open(&elf, bytes, path, NULL) == HF_OK) {
        if (hf_dynamic_pointed_text(&elf, hf_text_of(variable), &text) && text.size != 0) {
            text = hf_text_first(text, HF_LIMIT_CONF_BYTES);
            build->built_in = strndup(text.data, text.size);
            status = build->built_in != NULL ? HF_OK : hf_error_memory(err);
        }
        hf_elf_close(&elf);
    }
    if (status == HF_OK)
        status = hf_file_map_check(&map, path, status, err);
    hf_file_map_close(&map);
    return status;
}

enum hf_status hf_jemalloc_build_find(
    struct hf_jemalloc_build *build, const char *program, struct hf_error *err)
{
    *build = (struct hf_jemalloc_build){0};
    struct jemalloc_build_files files = {.build = build};
    enum hf_status status = jemalloc_build_add_file(&files, program, err);
    for (size_t i = 0; status == HF_OK && i < files.count; i++) {
        status = look_into(&files, i, err);
        /* A library that cannot be read is not the one; a program must be. */
        if (i != 0 && (status == HF_ERR_INPUT || status == HF_ERR_SYSTEM))
            status = HF_OK;
    }
    /* The variable of the program overrides the weak one of a library, so the first one counts. */
    for (size_t i = 0; status == HF_OK && build->place != HF_JEMALLOC_NOWHERE && i < files.count &&
                       build->built_in == NULL;
         i++)
        status = read_built_in(build, files.paths[i], err);
    if (status == HF_OK)
        status = read_link(build, err);
    if (status == HF_OK && build->place == HF_JEMALLOC_NOWHERE &&
        !hf_library_path_find(
            HF_TEXT("libjemalloc.so.2"), HF_HOST_MACHINE, HF_TEXT(""), program, build->path))
        build->path[0] = '\0';
    for (size_t i = 0; i < files.count; i++)
        free(files.paths[i]);
    free(files.paths);
    if (status != HF_OK)
        hf_jemalloc_build_done(build);
    if (status == HF_ERR_INPUT && err != NULL)
        status = err->status = HF_ERR_SYSTEM; /* the file that was named is no program */
    return status;
}

void hf_jemalloc_build_done(struct hf_jemalloc_build *build)
{
    free(build->built_in);
    free(build->linked);
    *build = (struct hf_jemalloc_build){0};
}
