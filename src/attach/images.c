#include "attach/images.h"

#include "base/budget.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "os/input.h"
#include "os/process/map_line.h"
#include "os/process/proc.h"
#include "profile/modules.h"

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
#define SHORT_PAUSE_NS UINT64_C(2000000)
#define VDSO_BYTES_MAX (UINT64_C(1) << 20)

static uint64_t images_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void image_done(struct hf_code_image *image)
{
    hf_callframes_close(&image->callframes);
    hf_elf_close(&image->elf);
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
    hf_callframes_close(&image->callframes);
    hf_elf_close(&image->elf);
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

static bool is_same_segment(const struct hf_code_segment *a, const struct hf_code_segment *b)
{
    return a->start == b->start && a->end == b->end && a->file_offset == b->file_offset &&
           a->image == b->image;
}

/* The old segments, to see whether one was there before. */
static bool was_told(const struct hf_code_segment *segments, size_t count,
    const struct hf_code_segment *segment, bool *out_is_told)
{
    for (size_t i = 0; i < count; i++) {
        const struct hf_code_segment *old = &segments[i];
        if (is_same_segment(old, segment)) {
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
    bool is_changed, is_replaced;
};

/* True if other code was where `segment` is now. */
static bool was_other(
    const struct hf_code_segment *segments, size_t count, const struct hf_code_segment *segment)
{
    for (size_t i = 0; i < count; i++) {
        if (segments[i].start < segment->end && segment->start < segments[i].end &&
            !is_same_segment(&segments[i], segment))
            return true;
    }
    return false;
}

/* The first that ends at or behind the address. */
static size_t jit_from(const struct hf_images *images, uint64_t address)
{
    return HF_FIRST_FROM(images->jits, images->jit_count, end, address);
}

/* Joins it with those that it overlaps or touches. */
static enum hf_status add_jit(
    struct hf_images *images, const struct hf_map_line *line, struct hf_error *err)
{
    struct hf_jit_range jit = {line->start, line->end};
    size_t first = jit_from(images, jit.start), end = first;
    for (; end < images->jit_count && images->jits[end].start <= jit.end; end++) {
        if (images->jits[end].start < jit.start)
            jit.start = images->jits[end].start;
        if (images->jits[end].end > jit.end)
            jit.end = images->jits[end].end;
    }
    if (first == end && images->jit_count == HF_IMAGES_JITS)
        return HF_OK;
    if (!hf_vec_reserve(
            &images->jits, &images->jit_capacity, images->jit_count + 1, sizeof *images->jits))
        return hf_error_memory(err);
    memmove(&images->jits[first + 1], &images->jits[end],
        (images->jit_count - end) * sizeof *images->jits);
    images->jits[first] = jit;
    images->jit_count = images->jit_count - (end - first) + 1;
    return HF_OK;
}

static enum hf_status images_read_line(
    struct images_reading *r, const struct hf_map_line *line, struct hf_error *err)
{
    struct hf_images *images = r->images;
    if (hf_text_is(line->path, "[uprobes]")) {
        images->trampoline = line->start;
        images->trampoline_end = line->end;
    }
    if (line->is_executable && (line->path.size == 0 || hf_text_starts(line->path, "[anon:")))
        return add_jit(images, line, err);
    if (!line->is_executable || !(hf_text_starts(line->path, "/") || hf_text_is(line->path, VDSO)))
        return HF_OK;
    struct hf_code_segment segment = {line->start, line->end, line->file_offset, 0, false};
    enum hf_status status = images_image_of(images, line, &segment.image, err);
    if (status != HF_OK)
        return status;
    if (!was_told(images->segments, images->segment_count, &segment, &segment.is_told)) {
        r->is_changed = true;
        r->is_replaced |= was_other(images->segments, images->segment_count, &segment) ||
                          was_other(images->gone, images->gone_count, &segment);
    }
    if (!hf_vec_reserve(&r->segments, &r->capacity, r->count + 1, sizeof *r->segments))
        return hf_error_memory(err);
    r->segments[r->count++] = segment;
    return HF_OK;
}

/* Without memory it is forgotten. */
static void images_keep_gone(struct hf_images *images, const struct hf_code_segment *segment)
{
    size_t kept = 0;
    for (size_t i = images->gone_count == HF_IMAGES_GONE; i < images->gone_count; i++) {
        if (!is_same_segment(&images->gone[i], segment))
            images->gone[kept++] = images->gone[i];
    }
    images->gone_count = kept;
    if (hf_vec_reserve(&images->gone, &images->gone_capacity, kept + 1, sizeof *images->gone))
        images->gone[images->gone_count++] = *segment;
}

/* Of the segments before, those that `r` does not have. */
static void keep_all_gone(struct hf_images *images, const struct images_reading *r)
{
    bool is_told;
    for (size_t i = 0; i < images->segment_count; i++) {
        if (!was_told(r->segments, r->count, &images->segments[i], &is_told))
            images_keep_gone(images, &images->segments[i]);
    }
}

enum hf_status hf_images_add(
    struct hf_images *images, const struct hf_map_line *line, struct hf_error *err)
{
    struct hf_code_segment segment = {line->start, line->end, line->file_offset, 0, false};
    if (hf_text_is(line->path, "//anon")) /* as perf calls it */
        return add_jit(images, line, err);
    if (!hf_text_starts(line->path, "/") || hf_text_starts(line->path, "//"))
        return HF_OK;
    enum hf_status status = images_image_of(images, line, &segment.image, err);
    if (status != HF_OK ||
        was_told(images->segments, images->segment_count, &segment, &segment.is_told))
        return status;
    (void)!was_told(images->gone, images->gone_count, &segment, &segment.is_told);
    if (!hf_vec_reserve(&images->segments, &images->segment_capacity, images->segment_count + 1,
            sizeof *images->segments))
        return hf_error_memory(err);
    size_t kept = 0, before = 0;
    for (size_t i = 0; i < images->segment_count; i++) {
        const struct hf_code_segment old = images->segments[i];
        if (old.start < segment.end && segment.start < old.end) {
            images_keep_gone(images, &old);
            continue;
        }
        before += old.start < segment.start;
        images->segments[kept++] = old;
    }
    memmove(&images->segments[before + 1], &images->segments[before],
        (kept - before) * sizeof *images->segments);
    images->segments[before] = segment;
    images->segment_count = kept + 1;
    hf_unwind_cache_clear(images->cache);
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
    /* One that ends has no mappings, or some are left: stacks of before are still walked. */
    bool is_ending = r.count < images->segment_count && hf_proc_is_ending(images->pid);
    if (status != HF_OK || is_ending) {
        free(r.segments);
        return status;
    }
    if (r.is_changed || r.count != images->segment_count)
        hf_unwind_cache_clear(images->cache);
    images->replaced_count += r.is_replaced;
    keep_all_gone(images, &r);
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
        hf_images_close(images);
    return status;
}

void hf_images_close(struct hf_images *images)
{
    for (size_t i = 0; i < images->image_count; i++)
        image_done(&images->images[i]);
    free(images->images);
    free(images->segments);
    free(images->gone);
    free(images->jits);
    free(images->cache);
    if (images->pid != 0 && images->memory_fd >= 0)
        close(images->memory_fd);
    *images = (struct hf_images){0};
}

static struct hf_code_segment *segment_of_now(const struct hf_images *images, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(images->segments, images->segment_count, end, address);
    bool is_found = i < images->segment_count && images->segments[i].start <= address;
    return is_found ? &images->segments[i] : NULL;
}

bool hf_images_is_jit(const struct hf_images *images, uint64_t address)
{
    size_t at = jit_from(images, address + 1);
    return at < images->jit_count && images->jits[at].start <= address;
}

static struct hf_code_segment *segment_of_before(const struct hf_images *images, uint64_t address)
{
    for (size_t i = images->gone_count; i-- != 0;) {
        if (address - images->gone[i].start < images->gone[i].end - images->gone[i].start)
            return &images->gone[i];
    }
    return NULL;
}

struct hf_code_segment *hf_images_at(const struct hf_images *images, uint64_t address)
{
    struct hf_code_segment *segment = segment_of_now(images, address);
    return segment != NULL ? segment : segment_of_before(images, address);
}

/*
 * Before it is said to be of a file that went, it is seen that nothing else has come there; and
 * what is in a stack, `is_frame`, was there a moment ago.
 */
static struct hf_code_segment *images_look_up(
    struct hf_images *images, uint64_t address, bool is_frame)
{
    struct hf_code_segment *segment = segment_of_now(images, address);
    bool is_new = is_frame && !hf_images_is_jit(images, address);
    bool is_due = is_new || segment_of_before(images, address) != NULL;
    uint64_t pause_ns = is_due ? SHORT_PAUSE_NS : HF_IMAGES_PAUSE_NS;
    if (segment == NULL && images_now_ns() - images->read_ns >= pause_ns)
        (void)!hf_images_refresh(images, NULL);
    return hf_images_at(images, address);
}

const struct hf_code_segment *hf_images_find(struct hf_images *images, uint64_t address)
{
    return images_look_up(images, address, false);
}

/* The image that has the byte at `address`, which is *out_in_image of its own; NULL: none. */
static const struct hf_code_image *image_at(
    struct hf_images *images, uint64_t address, uint64_t *out_in_image)
{
    const struct hf_code_segment *segment = images_look_up(images, address, false);
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

/* Its table, with a budget like what else is read of a file; NULL if it is not Go's. */
static struct hf_go_table *go_table_of(struct hf_code_image *image)
{
    if (!image->is_go_known) {
        struct hf_budget budget = {0};
        struct hf_budget_scope before = hf_budget_enter(&budget);
        image->is_go_known = true;
        image->has_go = hf_go_table_read(&image->go, &image->elf);
        hf_budget_leave(before);
    }
    image->go.elf = &image->elf; /* which moves with the image */
    image->go.steps = 0;
    return image->has_go && hf_code_image_is_whole(image) ? &image->go : NULL;
}

bool hf_images_have_go(struct hf_images *images)
{
    for (size_t i = 0; i < images->image_count; i++) {
        if (go_table_of(&images->images[i]) != NULL)
            return true;
    }
    return false;
}

struct hf_text hf_images_go_function(struct hf_images *images, uint64_t pc)
{
    uint64_t address;
    const struct hf_code_segment *segment = hf_images_at(images, pc - 1);
    struct hf_code_image *image = segment != NULL ? &images->images[segment->image] : NULL;
    struct hf_go_table *table = image != NULL ? go_table_of(image) : NULL;
    if (table == NULL || !hf_elf_address_of_offset(
                             &image->elf, pc - 1 - segment->start + segment->file_offset, &address))
        return HF_TEXT("");
    struct hf_text name = hf_go_table_function(table, address);
    return hf_code_image_is_whole(image) ? name : HF_TEXT("");
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

static uint32_t jit_module(struct hf_images *images, struct hf_live_table *table)
{
    if (images->jit_module == 0) {
        uint32_t number = hf_live_add_module(table, HF_JIT, strlen(HF_JIT), NULL, 0, 0, 0);
        images->jit_module = number == HF_LIVE_NONE ? 0 : number + 1;
    }
    return images->jit_module;
}

uint64_t hf_images_frame(struct hf_images *images, struct hf_live_table *table, uint64_t pc)
{
    uint64_t address = pc - 1;
    struct hf_code_segment *segment = images_look_up(images, address, true);
    uint32_t module =
        segment != NULL ? images_module_of(&images->images[segment->image], table) : 0;
    if (segment == NULL && hf_images_is_jit(images, address))
        return hf_live_frame(jit_module(images, table), address);
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
