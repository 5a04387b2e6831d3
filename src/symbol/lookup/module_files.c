#include "symbol/lookup/module_files.h"
#include "profile/modules.h"

#include "base/containers/vec.h"
#include "compress/xz.h"
#include "elf/links.h"
#include "net/debug_servers.h"
#include "os/path.h"
#include "symbol/debug_paths.h"
#include "symbol/files/debuginfod.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define PAGE_MASK UINT64_C(0xfff)

static void module_files_explain(struct hf_module_files *files, const struct hf_error *err)
{
    hf_error_format(err, files->why, sizeof files->why);
}

/*
 * True if the executable mappings are what the kernel makes of the executable segments: whole
 * pages, none outside a segment, and the last one ending where its segment ends. (Programs that
 * move their code to huge pages cut mappings, but keep the ends.)
 */
static bool module_files_fits(const struct hf_elf *elf, const struct hf_module *module)
{
    size_t placed = 0, executable = 0;
    for (size_t i = 0; i < module->segment_count; i++)
        executable += module->segments[i].is_executable;
    for (size_t s = 0; s < elf->segment_count; s++) {
        const struct hf_elf_segment *segment = &elf->segments[s];
        if (segment->type != PT_LOAD || (segment->flags & PF_X) == 0)
            continue;
        uint64_t start = segment->offset & ~PAGE_MASK;
        uint64_t end = (segment->offset + segment->file_size + PAGE_MASK) & ~PAGE_MASK;
        uint64_t last_end = 0;
        for (size_t i = 0; i < module->segment_count; i++) {
            const struct hf_segment *m = &module->segments[i];
            uint64_t mapping_end = m->file_offset + (m->end - m->start);
            if (!m->is_executable || m->file_offset < start || mapping_end > end)
                continue;
            placed++;
            if (mapping_end > last_end)
                last_end = mapping_end;
        }
        if (last_end != 0 && last_end != end)
            return false;
    }
    return placed == executable;
}

static enum hf_status open_image(
    struct hf_module_files *files, struct hf_text bytes, struct hf_error *err)
{
    enum hf_status status = hf_elf_open(&files->image, bytes, files->path, err);
    struct hf_text *id = &files->image.build_id;
    if (status == HF_OK && id->size != 0) {
        files->build_id = malloc(id->size);
        if (files->build_id == NULL)
            return hf_error_memory(err);
        id->data = memcpy(files->build_id, id->data, id->size);
    }
    return status == HF_OK ? hf_callframes_open(&files->callframes, &files->image, err) : status;
}

enum hf_status hf_module_files_open_any(
    struct hf_module_files *files, const char *path, struct hf_error *err)
{
    *files = (struct hf_module_files){.path = strdup(path)};
    if (files->path == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_file_map_open(&files->image_map, path, err);
    if (status != HF_OK)
        return status;
    struct hf_text bytes = {(const char *)files->image_map.data, files->image_map.size};
    status = open_image(files, bytes, err);
    return hf_file_map_check(&files->image_map, path, status, err);
}

enum hf_status hf_module_files_open_memory(
    struct hf_module_files *files, const char *path, struct hf_text bytes, struct hf_error *err)
{
    *files = (struct hf_module_files){.path = strdup(path)};
    return files->path != NULL ? open_image(files, bytes, err) : hf_error_memory(err);
}

bool hf_module_files_open(struct hf_module_files *files, const char *path)
{
    struct hf_error err = {0};
    if (hf_module_files_open_any(files, path, &err) == HF_OK)
        return true;
    module_files_explain(files, &err);
    return false;
}

bool hf_module_files_fit(struct hf_module_files *files, const struct hf_module *module)
{
    if (module_files_fits(&files->image, module))
        return true;
    (void)snprintf(files->why, sizeof files->why,
        "%s is not the file that was profiled: its code is not where the profile mapped it (it "
        "was replaced, or is another build); give the right one with --exe or --symdir",
        files->path);
    return false;
}

/* The CRC-32 of .gnu_debuglink is zlib's. */
static uint32_t crc_of(struct hf_text bytes)
{
    uLong crc = crc32(0, NULL, 0);
    for (size_t at = 0; at < bytes.size;) {
        uInt part = bytes.size - at > (1u << 30) ? 1u << 30 : (uInt)(bytes.size - at);
        crc = crc32(crc, (const Bytef *)bytes.data + at, part);
        at += part;
    }
    return (uint32_t)crc;
}

/* Takes what is mapped as debug file if it belongs to the image; else closes it. */
static bool take_debug_map(
    struct hf_module_files *files, struct hf_file_map *map, const char *path, const uint32_t *crc)
{
    struct hf_elf elf = {0};
    struct hf_text bytes = {(const char *)map->data, map->size};
    struct hf_error err;
    bool is_good = !hf_file_stamp_equal(&map->stamp, &files->image_map.stamp);
    char *own_path = is_good ? strdup(path) : NULL;
    is_good = own_path != NULL && hf_elf_open(&elf, bytes, own_path, NULL) == HF_OK;
    if (is_good) {
        bool has_ids = elf.build_id.size != 0 && files->image.build_id.size != 0;
        is_good = has_ids ? hf_text_equal(elf.build_id, files->image.build_id)
                          : crc != NULL && crc_of(bytes) == *crc;
    }
    if (hf_file_map_check(map, path, HF_OK, &err) != HF_OK) {
        module_files_explain(files, &err);
        files->sightings.is_incomplete = true;
        is_good = false;
    }
    if (!is_good) {
        hf_elf_close(&elf);
        hf_file_map_close(map);
        free(own_path);
        return false;
    }
    files->debug_map = *map;
    files->debug = elf;
    files->debug_path = own_path;
    return true;
}

/* The same for a file, if it exists. */
static bool take_debug_file(struct hf_module_files *files, const char *path, const uint32_t *crc)
{
    struct hf_file_map map;
    if (!hf_file_is_readable(path) || hf_file_map_open(&map, path, NULL) != HF_OK) {
        hf_sightings_add(&files->sightings, path, NULL);
        return false;
    }
    hf_sightings_add(&files->sightings, path, &map.stamp);
    return take_debug_map(files, &map, path, crc);
}

static void tried(struct hf_module_files *files, const char *path, enum hf_debug_verdict verdict)
{
    char *own_path = strdup(path);
    if (own_path == NULL || !hf_vec_reserve(&files->tried, &files->tried_capacity,
                                files->tried_count + 1, sizeof *files->tried)) {
        free(own_path);
        return;
    }
    files->tried[files->tried_count++] =
        (struct hf_debug_place){.path = own_path, .verdict = verdict};
}

/* The same, and remembers that it was tried. */
static bool try_debug_file(struct hf_module_files *files, const char *path, const uint32_t *crc)
{
    bool is_taken = take_debug_file(files, path, crc);
    tried(files, path,
        is_taken                    ? HF_DEBUG_TAKEN
        : hf_file_is_readable(path) ? HF_DEBUG_ANOTHER
                                    : HF_DEBUG_MISSING);
    return is_taken;
}

static bool find_by_build_id(struct hf_module_files *files, const struct hf_symbol_options *options)
{
    char path[PATH_MAX];
    for (size_t i = 0; i <= options->symdir_count; i++) {
        const char *folder = i < options->symdir_count ? options->symdirs[i] : HF_DEBUG_FOLDER;
        if (hf_build_id_path(files->image.build_id, folder, path) &&
            try_debug_file(files, path, NULL))
            return true;
    }
    return false;
}

static bool find_by_link(struct hf_module_files *files, const struct hf_symbol_options *options)
{
    struct hf_text link;
    uint32_t crc;
    if (!hf_elf_debuglink(&files->image, &link, &crc))
        return false;
    char folder[PATH_MAX], path[PATH_MAX];
    if (!hf_folder_of(files->path, folder))
        return false;
    int size = (int)link.size;
    if ((hf_path_format(path, "%s/%.*s", folder, size, link.data) &&
            try_debug_file(files, path, &crc)) ||
        (hf_path_format(path, "%s/.debug/%.*s", folder, size, link.data) &&
            try_debug_file(files, path, &crc)) ||
        (hf_path_format(path, "%s%s/%.*s", HF_DEBUG_FOLDER, folder, size, link.data) &&
            try_debug_file(files, path, &crc)))
        return true;
    for (size_t i = 0; i < options->symdir_count; i++) {
        if (hf_path_format(path, "%s/%.*s", options->symdirs[i], size, link.data) &&
            try_debug_file(files, path, &crc))
            return true;
    }
    return false;
}

static void tell_unfetched(struct hf_module_files *files, const char *why)
{
    (void)snprintf(files->unfetched, sizeof files->unfetched, "%s", why);
}

/* What the servers sent, in the cache or, where there is none, from memory. */
static bool take_fetched(struct hf_module_files *files, const struct hf_debuginfod_file *file)
{
    char path[PATH_MAX];
    struct hf_file_map map;
    struct hf_error err;
    bool is_there = hf_debuginfod_path(files->image.build_id, file->name, path);
    if (is_there && file->is_kept)
        return try_debug_file(files, path, NULL);
    files->sightings.is_incomplete = true;
    (void)snprintf(files->unfetched, sizeof files->unfetched,
        "its debug file came from a server and cannot be cached: cannot write %.700s",
        is_there ? path : "the cache of debuginfod");
    return hf_file_map_descriptor(&map, file->fd, file->name, &err) == HF_OK &&
           take_debug_map(files, &map, is_there ? path : file->name, NULL);
}

static bool ask_servers(struct hf_module_files *files, const char *path, struct hf_error *err)
{
    struct hf_debuginfod_file file;
    bool is_absent, is_taken = false;
    files->sightings.is_incomplete = true; /* next time it may be there */
    if (hf_debuginfod_is_missed(path)) {
        hf_error_set(
            err, HF_ERR_NETWORK, "the servers in DEBUGINFOD_URLS did not have it a moment ago");
        return false;
    }
    enum hf_status status = hf_debuginfod_fetch(&files->image, path, &file, &is_absent, err);
    if (status == HF_OK) {
        files->sightings.is_incomplete = false;
        is_taken = take_fetched(files, &file);
        close(file.fd);
    }
    if (status != HF_OK && !is_absent)
        tell_unfetched(files, err->text);
    else if (status == HF_OK && file.why[0] != '\0')
        tell_unfetched(files, file.why);
    return is_taken;
}

/* In the cache of debuginfod; or its servers are asked, if there are any, and what they say kept.
 */
static bool find_by_server(struct hf_module_files *files, struct hf_error *err)
{
    char path[PATH_MAX], parts[PATH_MAX];
    struct hf_text id = files->image.build_id;
    bool asks = hf_debug_servers_urls()[0] != '\0';
    if (!hf_debuginfod_path(id, HF_DEBUGINFOD_NAME, path) ||
        !hf_debuginfod_path(id, HF_DEBUGINFOD_PARTS, parts))
        return false;
    struct hf_file_stamp stamp;
    bool is_there = hf_file_stamp_of(path, &stamp) && stamp.size != 0;
    if (is_there && try_debug_file(files, path, NULL))
        return true;
    bool may_be_parts = !asks || hf_debug_servers_has_most_bytes();
    if (may_be_parts && hf_file_is_readable(parts) && try_debug_file(files, parts, NULL))
        return true;
    if (!is_there && asks)
        tried(files, path, HF_DEBUG_MISSING);
    if (!is_there)
        hf_sightings_add(&files->sightings, path, NULL);
    return asks && ask_servers(files, path, err);
}

/* Takes the image in .gnu_debugdata as debug file: symbols of what was stripped, and no more. */
static void open_embedded(struct hf_module_files *files)
{
    const struct hf_elf *image = &files->image;
    const struct hf_elf_section *section = hf_elf_section(image, ".gnu_debugdata");
    if (section == NULL || hf_elf_section(image, ".symtab") != NULL)
        return;
    struct hf_error err = {0};
    struct hf_text bytes;
    enum hf_status status = hf_xz_unpack(hf_elf_section_bytes(image, section), &bytes, &err);
    if (status == HF_OK) {
        files->inflated.blocks[files->inflated.count++] = (char *)(uintptr_t)bytes.data;
        status = hf_elf_open(&files->debug, bytes, files->path, &err);
    }
    if (status != HF_OK) {
        hf_error_context(&err, ".gnu_debugdata");
        hf_error_in(&err, image->name);
        module_files_explain(files, &err);
    }
}

/* `fetch`: what the server said, if one was asked. */
static void explain_missing(struct hf_module_files *files, const struct hf_error *fetch)
{
    char path[PATH_MAX];
    struct hf_error err;
    if (files->why[0] != '\0')
        return; /* there is one, and why it does not do is known */
    bool has_id = hf_build_id_path(files->image.build_id, HF_DEBUG_FOLDER, path);
    hf_error_set(&err, HF_ERR_INPUT,
        HF_WHY_NO_DEBUG ", and none was found%s%s; install its " HF_WHY_INSTALL,
        has_id ? " as " : "", has_id ? path : "");
    module_files_explain(files, &err);
    size_t size = strlen(files->why);
    if (fetch->status == HF_OK || size + 2 >= sizeof files->why)
        return;
    memcpy(files->why + size, "; ", sizeof "; ");
    hf_error_format(fetch, files->why + size + 2, sizeof files->why - size - 2);
}

/* Reads the debug information of the file at `path`, and what it shares with other files. */
static void module_files_load(struct hf_module_files *files, const struct hf_elf *elf,
    const char *path, const struct hf_symbol_options *options)
{
    struct hf_error err = {0};
    if (hf_debug_sections_load(&files->sections, &files->inflated, elf, "", &err) != HF_OK)
        module_files_explain(files, &err);
    if (!hf_supplement_find(&files->supplement, elf, path, options, &files->sightings, &err))
        module_files_explain(files, &err);
    else if (files->supplement.path != NULL)
        files->sections.supplement = &files->supplement.sections;
    hf_split_files_init(&files->split, files->path, files->debug_path, options, &files->sightings);
    files->sections.split = &files->split.source;
    files->sections.callframes = &files->callframes;
}

void hf_module_files_find_debug(
    struct hf_module_files *files, const struct hf_symbol_options *options)
{
    if (files->is_searched)
        return;
    files->is_searched = true;
    if (hf_elf_has_dwarf(&files->image)) {
        module_files_load(files, &files->image, files->path, options);
        return;
    }
    struct hf_error fetch = {0};
    bool is_found = find_by_build_id(files, options) || find_by_link(files, options) ||
                    find_by_server(files, &fetch);
    if (is_found && hf_elf_has_dwarf(&files->debug)) {
        module_files_load(files, &files->debug, files->debug_path, options);
        return;
    }
    explain_missing(files, &fetch);
    if (!is_found)
        open_embedded(files);
}

static bool is_sound(struct hf_module_files *files, const struct hf_file_map *map, const char *path)
{
    struct hf_error err;
    if (path == NULL || hf_file_map_check(map, path, HF_OK, &err) == HF_OK)
        return true;
    module_files_explain(files, &err);
    files->sightings.is_incomplete = true;
    return false;
}

bool hf_module_files_are_sound(struct hf_module_files *files)
{
    struct hf_error err;
    if (hf_split_files_check(&files->split, &err) != HF_OK) {
        module_files_explain(files, &err);
        files->sightings.is_incomplete = true;
        return false;
    }
    return is_sound(files, &files->image_map, files->path) &&
           is_sound(files, &files->debug_map, files->debug_path) &&
           is_sound(files, &files->supplement.map, files->supplement.path) &&
           hf_file_map_is_whole(&files->cache.map);
}

void hf_module_files_open_cache(
    struct hf_module_files *files, const struct hf_symbol_options *options)
{
    if (!files->has_cache)
        hf_symbol_cache_open(
            &files->cache, &files->image, files->path, &files->image_map.stamp, options);
    files->has_cache = true;
}

void hf_module_files_close_cache(struct hf_module_files *files)
{
    hf_symbol_cache_save(&files->cache, files->why, &files->sightings);
    hf_symbol_cache_close(&files->cache);
    files->has_cache = false;
}

void hf_module_files_close(struct hf_module_files *files)
{
    hf_module_files_close_cache(files);
    hf_sightings_done(&files->sightings);
    hf_resolver_free(files->resolver);
    hf_helpers_done(&files->helpers);
    hf_symbol_index_done(&files->image_symbols);
    hf_symbol_index_done(&files->debug_symbols);
    hf_intern_done(&files->symbol_names);
    hf_inflated_done(&files->inflated);
    hf_debug_file_close(&files->supplement);
    hf_split_files_done(&files->split);
    hf_callframes_close(&files->callframes);
    hf_elf_close(&files->image);
    hf_elf_close(&files->debug);
    hf_file_map_close(&files->image_map);
    hf_file_map_close(&files->debug_map);
    free(files->path);
    free(files->debug_path);
    free(files->build_id);
    for (size_t i = 0; i < files->tried_count; i++)
        free(files->tried[i].path);
    free(files->tried);
    *files = (struct hf_module_files){0};
}
