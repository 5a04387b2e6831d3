#include "attach/images.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "os/input.h"
#include "os/process/map_line.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define VDSO "[vdso]"
#define VDSO_BYTES_MAX (UINT64_C(1) << 20)

static uint64_t images_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void image_done(struct hf_code_image *image)
{
    hf_callframes_done(&image->callframes);
    hf_elf_done(&image->elf);
    hf_file_map_close(&image->file);
    free(image->copy);
    free(image->build_id);
    free(image->path);
}

/* The very mapping, or the file that is at its path as the process sees it and is the same one. */
static bool images_open_file(uint32_t pid, const struct hf_map_line *line, struct hf_file_map *file)
{
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid,
        line->start, line->end);
    if (hf_file_map_open(file, path, NULL) == HF_OK)
        return true;
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%.*s", pid, (int)line->path.size,
        line->path.data);
    if (hf_file_map_open(file, path, NULL) != HF_OK)
        return false;
    if (file->stamp.inode == line->inode && file->stamp.device == line->device)
        return true;
    hf_file_map_close(file);
    return false;
}

/* An image that only memory has. */
static struct hf_text copy_image(
    const struct hf_memory *memory, const struct hf_map_line *line, char **out_copy)
{
    uint64_t size = line->end - line->start;
    if (size > VDSO_BYTES_MAX)
        return (struct hf_text){0};
    *out_copy = malloc(size);
    if (*out_copy == NULL || !hf_memory_copy(memory, line->start, *out_copy, size))
        return (struct hf_text){0};
    return (struct hf_text){*out_copy, size};
}

/* What cannot be read of a file is not known of it, no error. */
static enum hf_status read_within(struct hf_code_image *image, const struct hf_images *images,
    const struct hf_map_line *line, struct hf_error *err)
{
    struct hf_text bytes = {0};
    if (hf_text_is(line->path, VDSO))
        bytes = copy_image(&images->memory, line, &image->copy);
    else if (images_open_file(images->pid, line, &image->file))
        bytes = (struct hf_text){(const char *)image->file.data, image->file.size};
    enum hf_status status = hf_elf_open(&image->elf, bytes, image->path, err);
    if (status == HF_OK)
        status = hf_callframes_open(&image->callframes, &image->elf, err);
    struct hf_text id = image->elf.build_id; /* the table gets it when it may be cut already */
    if (status == HF_OK && id.size != 0) {
        image->build_id = malloc(id.size);
        if (image->build_id == NULL)
            return hf_error_memory(err);
        memcpy(image->build_id, id.data, id.size);
    }
    if ((status == HF_OK && hf_code_image_is_whole(image)) || status == HF_ERR_MEMORY)
        return status;
    hf_callframes_done(&image->callframes);
    hf_elf_done(&image->elf);
    image->elf = (struct hf_elf){0};
    return HF_OK;
}

/* Each file has a budget; one that needs more is as one that cannot be read. */
static enum hf_status read_image(struct hf_code_image *image, const struct hf_images *images,
    const struct hf_map_line *line, struct hf_error *err)
{
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    enum hf_status status = read_within(image, images, line, err);
    hf_budget_leave(before);
    return status;
}

bool hf_code_image_is_whole(const struct hf_code_image *image)
{
    return hf_file_map_is_whole(&image->file);
}

static enum hf_status images_image_of(struct hf_images *images, const struct hf_map_line *line,
    uint32_t *out_number, struct hf_error *err)
{
    for (size_t i = images->image_count; i-- != 0;) {
        const struct hf_code_image *known = &images->images[i];
        if (known->inode == line->inode && known->device == line->device &&
            hf_text_is(line->path, known->path)) {
            *out_number = (uint32_t)i;
            return HF_OK;
        }
    }
    if (!hf_vec_reserve(&images->images, &images->image_capacity, images->image_count + 1,
            sizeof *images->images))
        return hf_error_memory(err);
    struct hf_code_image *image = &images->images[images->image_count];
    *image = (struct hf_code_image){.device = line->device, .inode = line->inode};
    image->path = strndup(line->path.data, line->path.size);
    enum hf_status status =
        image->path != NULL ? read_image(image, images, line, err) : hf_error_memory(err);
    if (status != HF_OK)
        image_done(image);
    else
        *out_number = (uint32_t)images->image_count++;
    return status;
}

/* The old segments, to see whether one was there before. */
static bool was_told(const struct hf_code_segment *segments, size_t count,
    const struct hf_code_segment *segment, bool *out_is_told)
{
    for (size_t i = 0; i < count; i++) {
        const struct hf_code_segment *old = &segments[i];
        if (old->start == segment->start && old->end == segment->end &&
            old->file_offset == segment->file_offset && old->image == segment->image) {
            *out_is_told = old->is_told;
            return true;
        }
    }
    return false;
}

/* The next list of segments in the making. */
struct images_reading {
    struct hf_images *images;
    struct hf_code_segment *segments;
    size_t count, capacity;
    bool is_changed;
};

static enum hf_status images_read_line(
    struct images_reading *r, const struct hf_map_line *line, struct hf_error *err)
{
    struct hf_images *images = r->images;
    if (hf_text_is(line->path, "[uprobes]")) {
        images->trampoline = line->start;
        images->trampoline_end = line->end;
    }
    if (!line->is_executable || !(hf_text_starts(line->path, "/") || hf_text_is(line->path, VDSO)))
        return HF_OK;
    struct hf_code_segment segment = {line->start, line->end, line->file_offset, 0, false};
    enum hf_status status = images_image_of(images, line, &segment.image, err);
    if (status != HF_OK)
        return status;
    if (!was_told(images->segments, images->segment_count, &segment, &segment.is_told))
        r->is_changed = true;
    if (!hf_vec_reserve(&r->segments, &r->capacity, r->count + 1, sizeof *r->segments))
        return hf_error_memory(err);
    r->segments[r->count++] = segment;
    return HF_OK;
}

enum hf_status hf_images_refresh(struct hf_images *images, struct hf_error *err)
{
    struct images_reading r = {.images = images};
    struct hf_input input;
    struct hf_text text;
    char path[64];
    bool got = true;
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", images->pid);
    enum hf_status status = hf_input_open(&input, path, err);
    if (status != HF_OK)
        return status;
    images->read_ns = images_now_ns();
    while (status == HF_OK && (status = hf_input_line(&input, &text, &got, err)) == HF_OK && got) {
        struct hf_map_line line;
        if (hf_map_line_parse(text, &line))
            status = images_read_line(&r, &line, err);
    }
    hf_input_close(&input);
    if (status != HF_OK) {
        free(r.segments);
        return status;
    }
    if (r.is_changed || r.count != images->segment_count)
        hf_unwind_cache_clear(images->cache);
    free(images->segments);
    images->segments = r.segments;
    images->segment_count = r.count;
    images->segment_capacity = r.capacity;
    return HF_OK;
}

enum hf_status hf_images_open(struct hf_images *images, uint32_t pid, struct hf_error *err)
{
    *images =
        (struct hf_images){.pid = pid, .memory_fd = -1, .cache = calloc(1, sizeof *images->cache)};
    if (hf_memory_open(pid, &images->memory_fd, NULL) != HF_OK)
        images->memory_fd = -1;
    images->memory = hf_memory_of_file(&images->memory_fd);
    enum hf_status status =
        images->cache != NULL ? hf_images_refresh(images, err) : hf_error_memory(err);
    if (status != HF_OK)
        hf_images_done(images);
    return status;
}

void hf_images_done(struct hf_images *images)
{
    for (size_t i = 0; i < images->image_count; i++)
        image_done(&images->images[i]);
    free(images->images);
    free(images->segments);
    free(images->cache);
    if (images->pid != 0 && images->memory_fd >= 0)
        close(images->memory_fd);
    *images = (struct hf_images){0};
}

struct hf_code_segment *hf_images_at(const struct hf_images *images, uint64_t address)
{
    size_t low = 0, high = images->segment_count; /* the first that ends behind the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (images->segments[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < images->segment_count && images->segments[low].start <= address;
    return is_found ? &images->segments[low] : NULL;
}

static struct hf_code_segment *images_look_up(struct hf_images *images, uint64_t address)
{
    struct hf_code_segment *segment = hf_images_at(images, address);
    if (segment != NULL || images_now_ns() - images->read_ns < HF_IMAGES_PAUSE_NS ||
        hf_images_refresh(images, NULL) != HF_OK)
        return segment;
    return hf_images_at(images, address);
}

const struct hf_code_segment *hf_images_find(struct hf_images *images, uint64_t address)
{
    return images_look_up(images, address);
}

/* The image that has the byte at `address`, which is *out_in_image of its own; NULL: none. */
static const struct hf_code_image *image_at(
    struct hf_images *images, uint64_t address, uint64_t *out_in_image)
{
    const struct hf_code_segment *segment = images_look_up(images, address);
    if (segment == NULL)
        return NULL;
    const struct hf_code_image *image = &images->images[segment->image];
    uint64_t offset = address - segment->start + segment->file_offset;
    bool is_known = hf_code_image_is_whole(image) &&
                    hf_elf_address_of_offset(&image->elf, offset, out_in_image);
    return is_known ? image : NULL;
}

struct hf_unwind_rule hf_images_rule(void *images, uint64_t address, bool is_guess)
{
    (void)is_guess; /* files stay */
    uint64_t in_image;
    const struct hf_code_image *image = image_at(images, address, &in_image);
    struct hf_unwind_rule rule = {HF_UNWIND_UNKNOWN};
    if (image != NULL)
        rule = hf_unwind_rule_at(&image->callframes, in_image);
    /* Only now is it known what that was read from. */
    return image == NULL || hf_code_image_is_whole(image)
               ? rule
               : (struct hf_unwind_rule){HF_UNWIND_UNKNOWN};
}

uint64_t hf_images_function(struct hf_images *images, uint64_t pc)
{
    uint64_t in_image;
    struct hf_fde fde;
    const struct hf_code_image *image = image_at(images, pc - 1, &in_image);
    bool is_known = image != NULL && hf_callframes_find(&image->callframes, in_image, &fde) &&
                    hf_code_image_is_whole(image);
    return is_known ? pc - 1 - (in_image - fde.start) : 0;
}

static uint32_t images_module_of(struct hf_code_image *image, struct hf_live_table *table)
{
    if (image->module == 0) {
        uint32_t number = hf_live_add_module(table, image->path, strlen(image->path),
            (const uint8_t *)image->build_id, image->elf.build_id.size, image->device,
            image->inode);
        image->module = number == HF_LIVE_NONE ? 0 : number + 1;
    }
    return image->module;
}

uint64_t hf_images_frame(struct hf_images *images, struct hf_live_table *table, uint64_t pc)
{
    uint64_t address = pc - 1;
    struct hf_code_segment *segment = images_look_up(images, address);
    uint32_t module =
        segment != NULL ? images_module_of(&images->images[segment->image], table) : 0;
    if (module == 0)
        return hf_live_frame(0, address);
    if (!segment->is_told) {
        segment->is_told = true;
        (void)hf_live_add_segment(table, &(struct hf_live_segment){
                                             .start = segment->start,
                                             .end = segment->end,
                                             .file_offset = segment->file_offset,
                                             .module = module - 1,
                                             .is_executable = 1,
                                         });
    }
    return hf_live_frame(module, address - segment->start + segment->file_offset);
}
