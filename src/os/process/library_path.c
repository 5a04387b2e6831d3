#include "os/process/library_path.h"

#include "base/cursor.h"
#include "os/file.h"

#include <elf.h>
#include <stdio.h>

#define CACHE "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_HEADER 48 /* magic, count, size of the strings, flags, extension, 3 unused words */

/* The flags of glibc's cache for a 64-bit library of this machine (dl-cache.h). */
static uint32_t cache_flags(uint16_t machine)
{
    return machine == EM_AARCH64 ? 0x0a03 : 0x0303;
}

bool hf_library_cache_find(
    struct hf_text cache, struct hf_text name, uint16_t machine, struct hf_text *out_path)
{
    /* The cache may stand behind one of the old format; its offsets count from its own start. */
    const char *start = cache.size != 0
                            ? memmem(cache.data, cache.size, CACHE_MAGIC, sizeof CACHE_MAGIC - 1)
                            : NULL;
    if (start == NULL)
        return false;
    cache = hf_text_from(cache, (size_t)(start - cache.data));
    struct hf_cursor c = hf_cursor_of(cache.data, cache.size, CACHE);
    hf_cursor_skip(&c, sizeof CACHE_MAGIC - 1);
    uint32_t count = hf_cursor_u32(&c);
    hf_cursor_seek(&c, CACHE_HEADER);
    for (uint32_t i = 0; i < count && !hf_cursor_failed(&c); i++) {
        uint32_t flags = hf_cursor_u32(&c);
        uint32_t key = hf_cursor_u32(&c), value = hf_cursor_u32(&c);
        hf_cursor_skip(&c, 12); /* version of the system, hardware capabilities */
        struct hf_text found = hf_text_from(cache, key), path = hf_text_from(cache, value);
        found = hf_text_first(found, hf_text_find(found, '\0'));
        path = hf_text_first(path, hf_text_find(path, '\0'));
        if (hf_cursor_failed(&c) || flags != cache_flags(machine) || !hf_text_equal(found, name))
            continue;
        *out_path = path;
        return true;
    }
    return false;
}

static bool is_there(char path[PATH_MAX], int size)
{
    return size > 0 && size < PATH_MAX && hf_file_is_readable(path);
}

/* One folder of a run path, where $ORIGIN is the folder of the file that has it. */
static bool library_path_find_in(
    struct hf_text folder, struct hf_text name, const char *needed_by, char out_path[PATH_MAX])
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
    for (size_t i = 0; i < HF_COUNT(origins); i++) {
        if (!hf_text_starts(folder, origins[i]))
            continue;
        struct hf_text rest = hf_text_from(folder, strlen(origins[i]));
        struct hf_text file = hf_text_of(needed_by);
        size_t slash = hf_text_find_last(file, '/');
        struct hf_text origin = slash < file.size ? hf_text_first(file, slash) : HF_TEXT(".");
        return is_there(
            out_path, snprintf(out_path, PATH_MAX, "%.*s%.*s/%.*s", (int)origin.size, origin.data,
                          (int)rest.size, rest.data, (int)name.size, name.data));
    }
    return is_there(out_path, snprintf(out_path, PATH_MAX, "%.*s/%.*s", (int)folder.size,
                                  folder.data, (int)name.size, name.data));
}

static bool find_in_folders(
    struct hf_text folders, struct hf_text name, const char *needed_by, char out_path[PATH_MAX])
{
    while (folders.size != 0) {
        struct hf_text folder = hf_text_first(folders, hf_text_find(folders, ':'));
        folders = hf_text_from(folders, folder.size + 1);
        if (folder.size != 0 && library_path_find_in(folder, name, needed_by, out_path))
            return true;
    }
    return false;
}

static bool find_in_cache(struct hf_text name, uint16_t machine, char out_path[PATH_MAX])
{
    struct hf_file_map map;
    struct hf_text path;
    if (hf_file_map_open(&map, CACHE, NULL) != HF_OK)
        return false;
    struct hf_text cache = {(const char *)map.data, map.size};
    bool is_found =
        hf_library_cache_find(cache, name, machine, &path) &&
        is_there(out_path, snprintf(out_path, PATH_MAX, "%.*s", (int)path.size, path.data)) &&
        hf_file_map_is_whole(&map);
    hf_file_map_close(&map);
    return is_found;
}

bool hf_library_path_find(struct hf_text name, uint16_t machine, struct hf_text run_path,
    const char *needed_by, char out_path[PATH_MAX])
{
    struct hf_text usual =
        machine == EM_AARCH64
            ? HF_TEXT("/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:"
                      "/usr/lib:/usr/local/lib")
            : HF_TEXT("/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:"
                      "/usr/lib:/usr/local/lib");
    if (name.size >= PATH_MAX || run_path.size > 64 * (size_t)PATH_MAX)
        return false;
    if (hf_text_find(name, '/') < name.size)
        return is_there(out_path, snprintf(out_path, PATH_MAX, "%.*s", (int)name.size, name.data));
    return find_in_folders(run_path, name, needed_by, out_path) ||
           find_in_cache(name, machine, out_path) ||
           find_in_folders(usual, name, needed_by, out_path);
}
