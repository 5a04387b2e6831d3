#include "os/input.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "os/broker_line.h"
#include "os/file.h"
#include "os/path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)256 << 10)
#define STEPS_A_BYTE 8 /* of what comes: to copy it, and to look at it once */
#define LINE_STEPS 150 /* of text: to find out what it is */
#define STEPS_A_LINE_BYTE 5
#define STAT_BLOCK_BYTES 512

/* What of a file was given: not its holes. Where no blocks are counted, what begins as no hole. */
static void input_look_at(struct hf_input *input, const struct stat *info)
{
    if (!S_ISREG(info->st_mode))
        return;
    uint64_t blocks = (uint64_t)info->st_blocks;
    input->size_bytes = (uint64_t)info->st_size;
    input->has_holes = blocks < input->size_bytes / STAT_BLOCK_BYTES;
    input->solid_bytes = blocks * STAT_BLOCK_BYTES;
    if (blocks == 0) {
        input->has_holes = lseek(input->fd, 0, SEEK_DATA) != 0;
        (void)lseek(input->fd, 0, SEEK_SET);
    }
}

uint64_t hf_input_solid_bytes(const struct hf_input *input)
{
    return input->has_holes ? input->solid_bytes : input->size_bytes;
}

enum hf_status hf_input_open(struct hf_input *input, const char *path, struct hf_error *err)
{
    *input = (struct hf_input){.name = path, .fd = -1};
    if (strcmp(path, "-") == 0) {
        input->name = "standard input";
        hf_broker_trace()->has_input = true;
        input->fd = STDIN_FILENO;
        return HF_OK;
    }
    hf_broker_reading(path);
    input->fd = hf_path_open(path, O_NOCTTY);
    if (input->fd < 0)
        return hf_error_system(err, errno, "cannot open %s", path);
    input->owns_fd = true;
    struct stat info;
    if (fstat(input->fd, &info) != 0)
        return HF_OK;
    if (S_ISDIR(info.st_mode)) {
        hf_input_close(input);
        return hf_error_set(err, HF_ERR_SYSTEM, "%s is a folder, not a profile", path);
    }
    input_look_at(input, &info);
    return HF_OK;
}

enum hf_status hf_input_open_regular(struct hf_input *input, const char *path, struct hf_error *err)
{
    int fd;
    *input = (struct hf_input){.name = path, .fd = -1};
    enum hf_status status = hf_file_open_regular(path, &fd, err);
    if (status != HF_OK)
        return status;
    hf_input_open_descriptor(input, fd, path);
    input->owns_fd = true;
    return HF_OK;
}

/* Looks at what was opened, not at the path, which may lead elsewhere meanwhile. */
enum hf_status hf_input_open_trusted(struct hf_input *input, const char *path, struct hf_error *err)
{
    struct stat info;
    int fd;
    *input = (struct hf_input){.name = path, .fd = -1};
    enum hf_status status = hf_file_open_regular_itself(path, &fd, err);
    if (status != HF_OK)
        return status;
    hf_input_open_descriptor(input, fd, path);
    input->owns_fd = true;
    if (fstat(fd, &info) != 0)
        return hf_error_system(err, errno, "cannot look at %s", path);
    if (info.st_uid != 0 && info.st_uid != hf_broker_user())
        return hf_error_set(err, HF_ERR_SYSTEM,
            "%s belongs neither to you nor to root, so another user may have written it", path);
    return HF_OK;
}

void hf_input_open_descriptor(struct hf_input *input, int fd, const char *name)
{
    struct stat info;
    *input = (struct hf_input){.name = name, .fd = fd};
    (void)lseek(fd, 0, SEEK_SET);
    if (fstat(fd, &info) == 0)
        input_look_at(input, &info);
}

void hf_input_open_memory(struct hf_input *input, struct hf_text bytes, const char *name)
{
    *input = (struct hf_input){
        .name = name,
        .fd = -1,
        .is_at_end = true,
        /* Only read: capacity 0 says "borrowed". */
        .buffer = (char *)(uintptr_t)(bytes.size != 0 ? bytes.data : ""),
        .to = bytes.size,
    };
}

void hf_input_open_source(struct hf_input *input, struct hf_input_source source, const char *name)
{
    *input = (struct hf_input){.name = name, .fd = -1, .source = source};
}

void hf_input_close(struct hf_input *input)
{
    if (input->owns_fd)
        close(input->fd);
    if (input->capacity != 0)
        free(input->buffer);
    *input = (struct hf_input){.fd = -1};
}

/* Up to `room` bytes of the file or the source; none at the end. */
static enum hf_status read_some(
    struct hf_input *input, char *out, size_t room, size_t *out_got, struct hf_error *err)
{
    if (input->source.read != NULL)
        return input->source.read(input->source.context, out, room, out_got, err);
    ssize_t got;
    do
        got = read(input->fd, out, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return hf_error_system(err, errno, "cannot read %s", input->name);
    *out_got = (size_t)got;
    return HF_OK;
}

/* What was read counts for its budget, holes apart. */
static void input_give(const struct hf_input *input, size_t got)
{
    uint64_t left = got;
    if (input->has_holes)
        left = input->solid_bytes > input->read_bytes ? input->solid_bytes - input->read_bytes : 0;
    hf_budget_give(left < got ? left : got);
}

/* Reads one more block behind what is there. */
static enum hf_status input_fill(struct hf_input *input, struct hf_error *err)
{
    if (input->from != 0) {
        memmove(input->buffer, input->buffer + input->from, input->to - input->from);
        input->to -= input->from;
        input->from = 0;
    }
    if (!hf_vec_reserve(&input->buffer, &input->capacity, input->to + BLOCK_BYTES, 1))
        return hf_error_memory(err);
    size_t got;
    enum hf_status status = read_some(input, input->buffer + input->to, BLOCK_BYTES, &got, err);
    if (status != HF_OK)
        return status;
    if (input->source.read == NULL)
        input_give(input, got);
    input->is_at_end = got == 0;
    input->to += got;
    input->read_bytes += got;
    if (!hf_budget_step(got * STEPS_A_BYTE) && input->source.read == NULL)
        return hf_budget_refuse(err);
    hf_watch_update(&input->watch, input->read_bytes, input->size_bytes);
    return HF_OK;
}

static struct hf_text pending(const struct hf_input *input)
{
    if (input->to == input->from)
        return (struct hf_text){NULL, 0};
    return (struct hf_text){input->buffer + input->from, input->to - input->from};
}

enum hf_status hf_input_peek(
    struct hf_input *input, size_t size, struct hf_text *out_bytes, struct hf_error *err)
{
    while (input->to - input->from < size && !input->is_at_end) {
        enum hf_status status = input_fill(input, err);
        if (status != HF_OK)
            return status;
    }
    *out_bytes = hf_text_first(pending(input), size);
    return HF_OK;
}

void hf_input_skip(struct hf_input *input, size_t size)
{
    input->from += size;
}

enum hf_status hf_input_refuse_line(struct hf_error *err)
{
    return hf_error_set(
        err, HF_ERR_LIMIT, "longer than %u bytes (HF_LIMIT_LINE_BYTES)", HF_LIMIT_LINE_BYTES);
}

enum hf_status hf_input_line(
    struct hf_input *input, struct hf_text *out_line, bool *out_has_line, struct hf_error *err)
{
    size_t searched = 0;
    for (;;) {
        struct hf_text rest = pending(input);
        size_t end = searched + hf_text_find(hf_text_from(rest, searched), '\n');
        if (end < rest.size || (input->is_at_end && rest.size != 0)) {
            input->last_line_is_cut = end >= rest.size;
            input->from += input->last_line_is_cut ? end : end + 1;
            input->line++;
            if (end != 0 && rest.data[end - 1] == '\r')
                end--;
            *out_line = hf_text_first(rest, end);
            *out_has_line = true;
            return hf_budget_step(LINE_STEPS + STEPS_A_LINE_BYTE * end) ? HF_OK
                                                                        : hf_budget_refuse(err);
        }
        if (input->is_at_end) {
            *out_line = (struct hf_text){NULL, 0};
            *out_has_line = false;
            return HF_OK;
        }
        if (rest.size > HF_LIMIT_LINE_BYTES) {
            hf_input_refuse_line(err);
            hf_error_at_line(err, input->name, input->line + 1);
            return HF_ERR_LIMIT;
        }
        searched = rest.size;
        enum hf_status status = input_fill(input, err);
        if (status != HF_OK)
            return status;
    }
}

/* Gives the first `size` bytes away with the buffer, and goes on in that of `lines`. */
static enum hf_status hand_over(
    struct hf_input *input, struct hf_input_lines *lines, size_t size, struct hf_error *err)
{
    struct hf_text rest = pending(input), tail = hf_text_from(rest, size);
    lines->bytes = hf_text_first(rest, size);
    if (input->capacity == 0) {
        input->from += size;
        return HF_OK;
    }
    if (!hf_vec_reserve(&lines->buffer, &lines->capacity, tail.size + 1, 1))
        return hf_error_memory(err);
    if (tail.size != 0)
        memcpy(lines->buffer, tail.data, tail.size);
    struct hf_input_lines given = {lines->bytes, input->buffer, input->capacity};
    input->buffer = lines->buffer;
    input->capacity = lines->capacity;
    input->from = 0;
    input->to = tail.size;
    *lines = given;
    return HF_OK;
}

enum hf_status hf_input_take_lines(
    struct hf_input *input, struct hf_input_lines *lines, struct hf_error *err)
{
    size_t searched = 0;
    for (;;) {
        struct hf_text rest = pending(input);
        if (rest.size >= searched + BLOCK_BYTES || input->is_at_end) {
            /* Borrowed memory is there as a whole: no more of it than of a file at a time. */
            size_t size = input->capacity == 0 ? searched + BLOCK_BYTES : rest.size;
            struct hf_text seen = hf_text_first(rest, size), more = hf_text_from(seen, searched);
            size_t last = hf_text_find_last(more, '\n');
            if (last < more.size)
                return hand_over(input, lines, searched + last + 1, err);
            if (input->is_at_end && seen.size == rest.size)
                return hand_over(input, lines, rest.size, err);
            if (seen.size > HF_LIMIT_LINE_BYTES)
                return hf_input_refuse_line(err);
            searched = seen.size;
        } else {
            enum hf_status status = input_fill(input, err);
            if (status != HF_OK)
                return status;
        }
    }
}

void hf_input_lines_done(struct hf_input_lines *lines)
{
    free(lines->buffer);
    *lines = (struct hf_input_lines){0};
}

bool hf_input_line_is_ready(struct hf_input *input)
{
    struct pollfd wait = {.fd = input->fd, .events = POLLIN};
    size_t searched = 0;
    while (!input->is_at_end && input->source.read == NULL) {
        struct hf_text rest = pending(input);
        size_t end = searched + hf_text_find(hf_text_from(rest, searched), '\n');
        if (end < rest.size || rest.size > HF_LIMIT_LINE_BYTES)
            return true;
        if (poll(&wait, 1, 0) == 0)
            return false;
        searched = rest.size;
        if (input_fill(input, NULL) != HF_OK)
            return true; /* hf_input_line says why */
    }
    return true;
}
