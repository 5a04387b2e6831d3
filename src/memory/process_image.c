#include "memory/process_image.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/out.h"
#include "os/process/map_line.h"
#include "os/process/page_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096u
#define IS_THERE (UINT64_C(3) << 62) /* in memory, or swapped out */
#define IS_RESIDENT (UINT64_C(1) << 63)
#define SHADOW_MIN (UINT64_C(1) << 40)

static const char no_path[] = "";

static enum hf_status add_mapping(
    struct hf_process_image *image, const struct hf_map_line *line, struct hf_error *err)
{
    if (image->count == HF_LIMIT_MAPPINGS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the process has more than %u mappings (HF_LIMIT_MAPPINGS)", HF_LIMIT_MAPPINGS);
    if (!hf_vec_reserve(
            &image->mappings, &image->capacity, image->count + 1, sizeof *image->mappings))
        return hf_error_memory(err);
    const char *path = line->path.size != 0 ? strndup(line->path.data, line->path.size) : no_path;
    if (path == NULL)
        return hf_error_memory(err);
    image->mappings[image->count++] = (struct hf_process_mapping){.start = line->start,
        .end = line->end,
        .file_offset = line->file_offset,
        .device = line->device,
        .inode = line->inode,
        .is_writable = line->is_writable,
        .is_executable = line->is_executable,
        .is_shared = line->is_shared,
        .path = path};
    return HF_OK;
}

const char *hf_process_image_maps_file(void)
{
    return hf_page_map_can_skip() ? "maps" : "smaps";
}

static void remove_last(struct hf_process_image *image)
{
    struct hf_process_mapping *last = &image->mappings[--image->count];
    if (last->path != no_path)
        free((void *)(uintptr_t)last->path);
}

/* "VmFlags: rd wr mr mw me nr dd nh", of the mapping that is listed before. */
static bool is_shadow(const struct hf_process_image *image, struct hf_text flags)
{
    bool is_left_out = false;
    if (image->count == 0 || !hf_text_take(&flags, "VmFlags:"))
        return false;
    const struct hf_process_mapping *last = &image->mappings[image->count - 1];
    if (last->end - last->start < SHADOW_MIN)
        return false;
    while (flags.size >= 3 && !is_left_out) {
        is_left_out = hf_text_starts(flags, " dd");
        flags = hf_text_from(flags, 3);
    }
    return is_left_out;
}

/* The kernel lists mappings in the order of their addresses; a line that is not one, or is out of
 * order, is left out. */
enum hf_status hf_process_image_add_maps(
    struct hf_process_image *image, struct hf_text maps, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    while (maps.size != 0 && status == HF_OK) {
        struct hf_map_line line;
        size_t end = hf_text_find(maps, '\n');
        struct hf_text text = hf_text_first(maps, end);
        uint64_t last = image->count != 0 ? image->mappings[image->count - 1].end : 0;
        if (is_shadow(image, text))
            remove_last(image);
        else if (hf_map_line_parse(text, &line) && line.start >= last)
            status = add_mapping(image, &line, err);
        maps = hf_text_from(maps, end + 1);
    }
    return status;
}

enum hf_status hf_process_image_read_maps(
    struct hf_process_image *image, int maps, struct hf_error *err)
{
    struct hf_out text = {0};
    char bytes[4096];
    ssize_t got;
    while ((got = read(maps, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0)
            hf_out_bytes(&text, bytes, (size_t)got);
    }
    enum hf_status status = hf_out_finish(&text, err);
    if (status == HF_OK)
        status = hf_process_image_add_maps(image, hf_out_view(&text), err);
    hf_out_done(&text);
    return status;
}

enum hf_status hf_process_image_of_snapshot(
    struct hf_process_image *image, const struct hf_snapshot *snapshot, struct hf_error *err)
{
    *image = (struct hf_process_image){.memory = hf_memory_of_file(&snapshot->memory),
        .pages = &snapshot->pages,
        .threads = snapshot->threads,
        .thread_count = snapshot->thread_count};
    return hf_process_image_read_maps(image, snapshot->maps, err);
}

void hf_process_image_done(struct hf_process_image *image)
{
    while (image->count != 0)
        remove_last(image);
    free(image->mappings);
    *image = (struct hf_process_image){0};
}

const struct hf_process_mapping *hf_process_image_find(
    const struct hf_process_image *image, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(image->mappings, image->count, end, address);
    bool is_in = i < image->count && image->mappings[i].start <= address;
    return is_in ? &image->mappings[i] : NULL;
}

/* A reader that goes on behind the last bytes will want more than a page. */
static void image_fill(struct hf_process_reader *reader, uint64_t address)
{
    const struct hf_memory *memory = &reader->image->memory;
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    bool goes_on = page >= reader->start && page - reader->start <= sizeof reader->bytes;
    reader->start = page;
    reader->size = memory->read == NULL ? 0
                                        : memory->read(memory->context, page, reader->bytes,
                                              goes_on ? sizeof reader->bytes : PAGE);
}

/* Reads the words of pagemap from a page on; false: they are not known. */
static bool fill_pages(struct hf_process_reader *reader, uint64_t page)
{
    if (reader->image->pages == NULL)
        return false;
    ssize_t got = pread(*reader->image->pages, reader->pages, sizeof reader->pages,
        (off_t)(page * sizeof *reader->pages));
    reader->first_page = page;
    reader->page_count = got > 0 ? (size_t)got / sizeof *reader->pages : 0;
    return reader->page_count != 0;
}

static bool has_page_word(struct hf_process_reader *reader, uint64_t page)
{
    return page - reader->first_page < reader->page_count || fill_pages(reader, page);
}

bool hf_process_page_is_resident(struct hf_process_reader *reader, uint64_t address)
{
    uint64_t page = address / PAGE;
    return !has_page_word(reader, page) ||
           (reader->pages[page - reader->first_page] & IS_RESIDENT) != 0;
}

uint64_t hf_process_skip(const struct hf_process_image *image, uint64_t address, uint64_t end)
{
    uint64_t last = (end + PAGE - 1) / PAGE * PAGE;
    if (image->pages == NULL || address >= end)
        return address;
    uint64_t next = hf_page_map_next(*image->pages, address / PAGE * PAGE, last);
    return next > address ? next : address;
}

uint64_t hf_process_next_page(struct hf_process_reader *reader, uint64_t address, uint64_t end)
{
    for (uint64_t page = address / PAGE; page * PAGE < end; page++) {
        if (page - reader->first_page >= reader->page_count) {
            page = hf_process_skip(reader->image, page * PAGE, end) / PAGE;
            if (page * PAGE >= end)
                break;
        }
        if (!has_page_word(reader, page))
            return page * PAGE > address ? page * PAGE : address;
        if ((reader->pages[page - reader->first_page] & IS_THERE) != 0)
            return page * PAGE > address ? page * PAGE : address;
    }
    return end;
}

bool hf_process_next_word(
    struct hf_process_reader *reader, uint64_t *address, uint64_t end, uint64_t *out_word)
{
    uint64_t at = *address;
    while (at < end && end - at >= sizeof *out_word) {
        if (at % PAGE == 0)
            at = hf_process_next_page(reader, at, end);
        *address = at;
        if (at < end && hf_process_word(reader, at, out_word))
            return true;
        at = (at | (PAGE - 1)) + 1;
    }
    return false;
}

struct hf_process_reader *hf_process_reader_new(const struct hf_process_image *image)
{
    struct hf_process_reader *reader = calloc(1, sizeof *reader);
    if (reader != NULL)
        reader->image = image;
    return reader;
}

bool hf_process_copy(struct hf_process_reader *reader, uint64_t address, void *out, size_t size)
{
    for (size_t done = 0; done != size;) {
        uint64_t at = address + done;
        if (at < address)
            return false;
        if (at < reader->start || at - reader->start >= reader->size)
            image_fill(reader, at);
        if (at - reader->start >= reader->size)
            return false;
        size_t offset = (size_t)(at - reader->start);
        size_t part = reader->size - offset < size - done ? reader->size - offset : size - done;
        memcpy((uint8_t *)out + done, reader->bytes + offset, part);
        done += part;
    }
    return true;
}
