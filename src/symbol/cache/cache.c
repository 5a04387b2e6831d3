#include "symbol/cache/cache.h"

#include "base/checksum.h"
#include "base/credentials.h"
#include "base/limits.h"
#include "config.h"
#include "net/debug_servers.h"
#include "os/path.h"
#include "os/private_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THIS_PROGRAM "/proc/self/exe"
#define FOLDERS_MADE 2 /* ~/.cache/heapflame */

/* A part of the context. A relative path means another file elsewhere. */
static void put_path(struct hf_out *out, const char *path)
{
    char folder[PATH_MAX];
    if (path[0] != '/' && getcwd(folder, sizeof folder) != NULL)
        hf_out_printf(out, "%s/", folder);
    hf_out_bytes(out, path, strlen(path) + 1);
}

/* All that an answer depends on, but for files that may change. */
static void put_context(struct hf_out *out, const struct hf_elf *image, const char *path,
    const struct hf_file_stamp *stamp, const struct hf_symbol_options *options)
{
    char real[PATH_MAX];
    hf_out_string(out, "heapflame " HF_VERSION "\nbuild-id ");
    hf_out_hex_bytes(out, image->build_id);
    hf_out_printf(
        out, "\nsize %" PRIu64 ", changed %" PRId64 "\n", stamp->size, stamp->modified_ns);
    put_path(out, path);
    put_path(out, hf_path_real(path, real) ? real : path);
    for (size_t i = 0; i < options->symdir_count; i++)
        put_path(out, options->symdirs[i]);
    char *servers = strdup(hf_debug_servers_urls());
    if (servers != NULL)
        hf_credentials_hide(servers, false);
    hf_out_printf(out, "servers %s\n%s%s", servers != NULL ? servers : "?",
        options->columns ? "columns\n" : "", options->helpers ? "helpers\n" : "");
    free(servers);
}

static void note_own_files(struct hf_symbol_cache *cache, const struct hf_elf *image,
    const char *path, const struct hf_file_stamp *stamp)
{
    struct hf_file_stamp program;
    bool is_there = hf_file_stamp_of(THIS_PROGRAM, &program);
    hf_sightings_add(&cache->sightings, THIS_PROGRAM, is_there ? &program : NULL);
    if (image->build_id.size == 0)
        hf_sightings_add(&cache->sightings, path, stamp);
}

static bool open_entry(struct hf_symbol_cache *cache)
{
    struct hf_private_folder folder;
    if (!hf_private_folder_open(&folder, cache->folder, 0))
        return false;
    bool is_mapped = hf_private_folder_map(&folder, cache->name, &cache->map);
    hf_private_folder_close(&folder);
    struct hf_text bytes = {(const char *)cache->map.data, cache->map.size};
    return is_mapped && hf_cache_entry_open(&cache->entry, bytes, hf_out_view(&cache->context)) &&
           hf_cache_entry_holds(&cache->entry, &cache->sightings);
}

static void drop_entry(struct hf_symbol_cache *cache)
{
    hf_cache_entry_close(&cache->entry);
    hf_file_map_close(&cache->map);
}

void hf_symbol_cache_open(struct hf_symbol_cache *cache, const struct hf_elf *image,
    const char *path, const struct hf_file_stamp *stamp, const struct hf_symbol_options *options)
{
    *cache = (struct hf_symbol_cache){0};
    if (options->cache_folder == NULL)
        return;
    struct hf_out name = {0};
    put_context(&cache->context, image, path, stamp, options);
    hf_cache_entry_name(&name, image->build_id, hf_out_view(&cache->context));
    bool is_named = hf_out_finish(&cache->context, NULL) == HF_OK &&
                    hf_out_finish(&name, NULL) == HF_OK && name.size < sizeof cache->name;
    if (is_named) {
        memcpy(cache->name, name.data, name.size);
        cache->folder = strdup(options->cache_folder);
    }
    hf_out_done(&name);
    note_own_files(cache, image, path, stamp);
    if (cache->folder != NULL && !open_entry(cache))
        drop_entry(cache);
}

bool hf_symbol_cache_find(struct hf_symbol_cache *cache, uint64_t address, struct hf_arena *arena,
    struct hf_finding *out_finding)
{
    return hf_cache_entry_find(&cache->entry, address, arena, out_finding);
}

bool hf_symbol_cache_readable(
    struct hf_symbol_cache *cache, struct hf_text name, struct hf_text *out_readable)
{
    return hf_cache_entry_readable(&cache->entry, name, out_readable);
}

bool hf_symbol_cache_is_sound(struct hf_symbol_cache *cache)
{
    if (!cache->entry.is_damaged && hf_file_map_is_whole(&cache->map))
        return true;
    drop_entry(cache);
    return false;
}

void hf_symbol_cache_add(
    struct hf_symbol_cache *cache, uint64_t address, const struct hf_finding *finding)
{
    if (cache->folder != NULL)
        hf_cache_draft_add(&cache->fresh, address, finding);
}

void hf_symbol_cache_forget(struct hf_symbol_cache *cache)
{
    cache->fresh.is_broken = true;
}

/* Adds the answers of the entry that is there to those that are new, which it has not. */
static void cache_merge(struct hf_symbol_cache *cache)
{
    struct hf_cache_entry *old = &cache->entry;
    struct hf_arena arena = {0};
    struct hf_finding finding;
    for (size_t i = 0; i < old->answer_count && !old->is_damaged; i++) {
        uint64_t address = hf_cache_entry_address(old, i);
        if (hf_cache_entry_find(old, address, &arena, &finding))
            hf_cache_draft_add(&cache->fresh, address, &finding);
    }
    hf_arena_done(&arena);
}

void hf_symbol_cache_save(
    struct hf_symbol_cache *cache, const char *why, const struct hf_sightings *sightings)
{
    struct hf_private_folder folder;
    struct hf_out out = {0};
    if (cache->fresh.answer_count == 0)
        return;
    for (size_t i = 0; i < sightings->count; i++) {
        const struct hf_sighting *s = &sightings->items[i];
        hf_sightings_add(&cache->sightings, s->path, s->is_there ? &s->stamp : NULL);
    }
    bool is_settled = !sightings->is_incomplete && hf_sightings_unite(&cache->sightings) &&
                      hf_sightings_are_settled(&cache->sightings);
    if (!is_settled || !hf_private_folder_open(&folder, cache->folder, FOLDERS_MADE))
        return;
    if (cache->entry.answer_count != 0)
        cache_merge(cache);
    if (!cache->fresh.is_broken)
        hf_cache_draft_write(
            &cache->fresh, hf_out_view(&cache->context), hf_text_of(why), &cache->sightings, &out);
    if (!cache->fresh.is_broken && hf_file_map_is_whole(&cache->map) &&
        hf_out_finish(&out, NULL) == HF_OK && out.size != 0 &&
        hf_private_folder_put(&folder, cache->name, hf_out_view(&out)))
        hf_private_folder_trim(&folder, HF_LIMIT_CACHE_BYTES);
    hf_private_folder_close(&folder);
    hf_out_done(&out);
}

void hf_symbol_cache_close(struct hf_symbol_cache *cache)
{
    drop_entry(cache);
    hf_cache_draft_done(&cache->fresh);
    hf_sightings_done(&cache->sightings);
    hf_out_done(&cache->context);
    free(cache->folder);
    *cache = (struct hf_symbol_cache){0};
}
