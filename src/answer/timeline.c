#include "answer/timeline.h"

#include "answer/loader.h"
#include "answer/operand.h"
#include "base/containers/vec.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "base/strings/units.h"
#include "os/file.h"
#include "os/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RANDOM_DIGITS 16 /* and more of them, with a letter: no time */

/* Takes `digits` of them off the text, as a number. */
static bool take_digits(struct hf_text *text, size_t digits, int *out_number)
{
    uint64_t number;
    if (text->size < digits || !hf_num_u64(hf_text_first(*text, digits), &number))
        return false;
    *out_number = (int)number;
    *text = hf_text_from(*text, digits);
    return true;
}

static void take_one_of(struct hf_text *text, const char *characters)
{
    if (text->size != 0 && strchr(characters, text->data[0]) != NULL)
        *text = hf_text_from(*text, 1);
}

/* A date and a time of day at the front of the text. */
static bool take_time(struct hf_text text, int64_t *out_ms)
{
    struct tm tm = {0};
    if (!take_digits(&text, 4, &tm.tm_year))
        return false;
    take_one_of(&text, "-");
    if (!take_digits(&text, 2, &tm.tm_mon))
        return false;
    take_one_of(&text, "-");
    if (!take_digits(&text, 2, &tm.tm_mday))
        return false;
    take_one_of(&text, "-_T.");
    if (!take_digits(&text, 2, &tm.tm_hour))
        return false;
    take_one_of(&text, ":-");
    if (!take_digits(&text, 2, &tm.tm_min))
        return false;
    take_one_of(&text, ":-");
    if (!take_digits(&text, 2, &tm.tm_sec) || tm.tm_year < 1980 || tm.tm_year > 2200 ||
        tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour > 23 ||
        tm.tm_min > 59 || tm.tm_sec > 60)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    *out_ms = (int64_t)timegm(&tm) * 1000;
    return true;
}

static bool timeline_is_digit(struct hf_text text, size_t at)
{
    return at < text.size && text.data[at] >= '0' && text.data[at] <= '9';
}

static bool is_hexadecimal(struct hf_text text, size_t at)
{
    return timeline_is_digit(text, at) ||
           (at < text.size && text.data[at] >= 'a' && text.data[at] <= 'f');
}

/* In a word of hexadecimal digits, as of the name of a live table: that is drawn at random. */
static bool is_random(struct hf_text name, size_t at)
{
    size_t from = at, to;
    bool has_letter = false;
    while (from != 0 && is_hexadecimal(name, from - 1))
        from--;
    for (to = from; is_hexadecimal(name, to); to++)
        has_letter = has_letter || !timeline_is_digit(name, to);
    return has_letter && to - from >= RANDOM_DIGITS;
}

bool hf_timeline_time_in(struct hf_text name, int64_t *out_ms)
{
    for (size_t i = 0; i < name.size; i++) {
        if (!timeline_is_digit(name, i) || (i != 0 && timeline_is_digit(name, i - 1)) ||
            is_random(name, i))
            continue;
        struct hf_text rest = hf_text_from(name, i);
        uint64_t seconds;
        if (take_time(rest, out_ms))
            return true;
        if (rest.size >= 10 && !timeline_is_digit(rest, 10) &&
            hf_num_u64(hf_text_first(rest, 10), &seconds) && seconds >= 1000000000) {
            *out_ms = (int64_t)seconds * 1000;
            return true;
        }
    }
    return false;
}

int64_t hf_timeline_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t hf_timeline_time_of(const char *name)
{
    struct hf_file_stamp stamp;
    uint32_t pid;
    int64_t time_ms = INT64_MIN;
    if (hf_operand_is_url(name) || strcmp(name, "-") == 0 || hf_operand_is_process(name, &pid))
        time_ms = hf_timeline_now();
    else if (!hf_timeline_time_in(hf_text_basename(hf_text_of(name)), &time_ms) &&
             hf_file_stamp_of(name, &stamp))
        time_ms = stamp.modified_ns / 1000000;
    return time_ms;
}

static enum hf_status timeline_add(
    struct hf_timeline *timeline, const char *name, struct hf_error *err)
{
    if (!hf_vec_reserve(
            &timeline->items, &timeline->capacity, timeline->count + 1, sizeof *timeline->items))
        return hf_error_memory(err);
    timeline->items[timeline->count++] = (struct hf_dated_profile){name, hf_timeline_time_of(name)};
    return HF_OK;
}

/* What begins with a dot is somebody's half-written one. */
static bool is_profile_name(struct hf_text name)
{
    return !hf_text_starts(name, ".") && !hf_text_ends(name, HF_TIMELINE_RUN_ENDING);
}

/* The files of a folder, but for the document that `run --follow-fork` puts beside them. */
static enum hf_status add_folder(
    struct hf_timeline *timeline, const char *folder, DIR *open, struct hf_error *err)
{
    char path[PATH_MAX];
    struct hf_file_stamp ignored;
    enum hf_status status = HF_OK;
    for (struct dirent *entry; status == HF_OK && (entry = readdir(open)) != NULL;) {
        int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!is_profile_name(hf_text_of(entry->d_name)) || size >= (int)sizeof path ||
            !hf_file_stamp_of(path, &ignored))
            continue;
        const char *name = hf_arena_copy(&timeline->names, path, (size_t)size);
        status = name != NULL ? timeline_add(timeline, name, err) : hf_error_memory(err);
    }
    return status;
}

/* "0,60s,2m", or "60s" */
static enum hf_status set_times(struct hf_timeline *timeline, const char *at, struct hf_error *err)
{
    struct hf_text rest = hf_text_of(at);
    uint64_t ns = 0;
    size_t i = 0;
    for (; rest.size != 0; i++) {
        struct hf_text part = hf_text_first(rest, hf_text_find(rest, ','));
        rest = hf_text_from(rest, part.size + 1);
        if (!hf_units_parse_time(part, &ns))
            return hf_error_set(err, HF_ERR_USAGE,
                "--at: expected times, e.g. '0,60s,2m', or the time between two profiles, found "
                "'%s'",
                at);
        if (i < timeline->count)
            timeline->items[i].time_ms = (int64_t)(ns / 1000000);
    }
    if (i != 1 && i != timeline->count)
        return hf_error_set(err, HF_ERR_USAGE,
            "--at: expected one time, or one for each of %zu %s; found %zu", timeline->count,
            hf_plural(timeline->count, "profile", "profiles"), i);
    for (size_t p = 0; i == 1 && p < timeline->count; p++)
        timeline->items[p].time_ms = (int64_t)(p * (ns / 1000000));
    return HF_OK;
}

static int timeline_compare(const void *a, const void *b)
{
    const struct hf_dated_profile *x = a, *y = b;
    if (x->time_ms != y->time_ms)
        return x->time_ms < y->time_ms ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum hf_status add_operand(
    struct hf_timeline *timeline, const char *name, struct hf_error *err)
{
    int fd = hf_path_open(name, O_DIRECTORY | O_NONBLOCK);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        if (fd >= 0)
            close(fd);
        return timeline_add(timeline, name, err);
    }
    size_t first = timeline->count;
    enum hf_status status = add_folder(timeline, name, folder, err);
    closedir(folder);
    if (timeline->count > first)
        qsort(&timeline->items[first], timeline->count - first, sizeof *timeline->items,
            timeline_compare);
    return status;
}

/* Leaves out what was taken so soon after the first. */
static void timeline_leave_out(struct hf_timeline *timeline, uint64_t skip_ns)
{
    size_t kept = 0;
    int64_t start_ms =
        timeline->count != 0 ? timeline->items[0].time_ms + (int64_t)(skip_ns / 1000000) : 0;
    for (size_t i = 0; i < timeline->count; i++) {
        if (timeline->items[i].time_ms >= start_ms)
            timeline->items[kept++] = timeline->items[i];
    }
    timeline->count = kept;
}

enum hf_status hf_timeline_find(struct hf_timeline *timeline, const char *const *operands,
    size_t count, const struct hf_timeline_options *how, struct hf_error *err)
{
    *timeline = (struct hf_timeline){0};
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < count; i++)
        status = add_operand(timeline, operands[i], err);
    if (status == HF_OK && how->at != NULL)
        status = set_times(timeline, how->at, err);
    if (status == HF_OK && !how->keeps_order && timeline->count != 0)
        qsort(timeline->items, timeline->count, sizeof *timeline->items, timeline_compare);
    if (status == HF_OK && how->skip_ns != 0)
        timeline_leave_out(timeline, how->skip_ns);
    return status;
}

void hf_timeline_done(struct hf_timeline *timeline)
{
    free(timeline->items);
    hf_arena_done(&timeline->names);
    *timeline = (struct hf_timeline){0};
}
