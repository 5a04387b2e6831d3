#include "answer/history/load_file.h"

#include "answer/timeline.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/num.h"

#include <stdio.h>
#include <stdlib.h>

#define BLANKS " \t\r\""
#define TIME_MAX_S 1e11 /* in the year 5138: milliseconds are more */
#define COUNT_MAX 1e15

struct load_file_reader {
    struct hf_load_file *file;
    struct hf_input *input;
    const char *wanted; /* column; NULL: the second */
    size_t column;      /* that is counted */
    bool is_counter, has_columns;
    double last; /* value of a counter */
};

/* The next field of a line, without quotes. */
static struct hf_text load_file_take(struct hf_text *line)
{
    size_t comma = hf_text_find(*line, ',');
    struct hf_text field = hf_text_first(*line, comma);
    *line = hf_text_from(*line, comma + 1);
    return hf_text_trim_end(hf_text_trim_start(field, BLANKS), BLANKS);
}

static struct hf_text field_at(struct hf_text line, size_t column)
{
    struct hf_text field = load_file_take(&line);
    for (size_t i = 0; i < column; i++)
        field = load_file_take(&line);
    return field;
}

static bool take_field_time(struct hf_text field, double *out_time_s)
{
    int64_t ms;
    char copy[32];
    if (hf_num_real(field, out_time_s))
        return *out_time_s < TIME_MAX_S;
    if (field.size >= sizeof copy)
        return false;
    for (size_t i = 0; i < field.size; i++) /* as names of files have it */
        copy[i] = field.data[i] == ' ' ? 'T' : field.data[i];
    if (!hf_timeline_time_in((struct hf_text){copy, field.size}, &ms))
        return false;
    *out_time_s = (double)ms / 1000;
    return true;
}

static enum hf_status refuse_line(struct load_file_reader *reader, struct hf_error *err)
{
    hf_error_at_line(err, reader->input->name, reader->input->line);
    return HF_ERR_INPUT;
}

static void name_column(struct load_file_reader *reader, struct hf_text name)
{
    if (name.size != 0 && !hf_text_is(name, "count"))
        (void)snprintf(reader->file->name, HF_LOAD_NAME_MAX, "%.*s", (int)name.size, name.data);
    for (char *c = reader->file->name; *c != '\0'; c++)
        *c = *c > ' ' && *c < 0x7f ? *c : '_'; /* it goes into sentences as it is */
    reader->is_counter = hf_text_ends(name, "_total");
}

/* The first line: true if it names the columns. */
static enum hf_status find_columns(
    struct load_file_reader *reader, struct hf_text line, bool *out_is_header, struct hf_error *err)
{
    double ignored;
    const char *wanted = reader->wanted;
    reader->has_columns = true;
    reader->column = 1;
    struct hf_text first = field_at(line, 0);
    bool is_number = first.size != 0 && first.data[0] >= '0' && first.data[0] <= '9';
    *out_is_header = !is_number && !take_field_time(first, &ignored);
    if (*out_is_header && wanted == NULL)
        name_column(reader, field_at(line, 1));
    if (wanted == NULL)
        return HF_OK;
    struct hf_text rest = line;
    for (size_t i = 0; *out_is_header && rest.size != 0; i++) {
        struct hf_text name = load_file_take(&rest);
        if (!hf_text_is(name, wanted))
            continue;
        reader->column = i;
        name_column(reader, name);
        return HF_OK;
    }
    hf_error_set(err, HF_ERR_INPUT, "expected a first line that names a column '%s'", wanted);
    return refuse_line(reader, err);
}

static enum hf_status load_file_add(
    struct load_file_reader *reader, double time_s, double value, struct hf_error *err)
{
    struct hf_load_clock *clock = &reader->file->clock;
    size_t count = clock->count;
    double came = value;
    if (reader->is_counter)
        came = value < reader->last ? value : value - reader->last;
    reader->last = value;
    if (count >= HF_LIMIT_LOAD_LINES)
        return hf_error_set(err, HF_ERR_INPUT,
            "%s has more than %u lines: give fewer counts (HF_LIMIT_LOAD_LINES)",
            reader->input->name, HF_LIMIT_LOAD_LINES);
    if (!hf_vec_reserve(&clock->times_s, &clock->time_capacity, count + 1, sizeof(double)) ||
        !hf_vec_reserve(&clock->sums, &clock->sum_capacity, count + 1, sizeof(double)))
        return hf_error_memory(err);
    clock->times_s[count] = time_s;
    clock->sums[count] = count == 0 ? 0 : clock->sums[count - 1] + came;
    clock->count++;
    return HF_OK;
}

static enum hf_status load_file_line(
    struct load_file_reader *reader, struct hf_text line, struct hf_error *err)
{
    const struct hf_load_clock *clock = &reader->file->clock;
    struct hf_text time = field_at(line, 0), count = field_at(line, reader->column);
    double time_s, value;
    if (!take_field_time(time, &time_s)) {
        hf_error_set(err, HF_ERR_INPUT,
            "expected a time in seconds since 1970, or 2025-01-31T23:59:59, found '%.*s'",
            (int)(time.size < 64 ? time.size : 64), time.data);
        return refuse_line(reader, err);
    }
    if (!hf_num_real(count, &value) || value > COUNT_MAX) {
        hf_error_set(err, HF_ERR_INPUT, "expected a count, e.g. 1200, found '%.*s'",
            (int)(count.size < 64 ? count.size : 64), count.data);
        return refuse_line(reader, err);
    }
    if (clock->count != 0 && time_s <= clock->times_s[clock->count - 1]) {
        hf_error_set(err, HF_ERR_INPUT, "expected a later time than that of the line before");
        return refuse_line(reader, err);
    }
    return load_file_add(reader, time_s, value, err);
}

enum hf_status hf_load_file_read(
    struct hf_load_file *file, struct hf_input *input, const char *column, struct hf_error *err)
{
    struct load_file_reader reader = {.file = file, .input = input, .wanted = column};
    struct hf_text line;
    bool has_line = true;
    *file = (struct hf_load_file){.name = "requests"};
    file->clock.name = file->name;
    enum hf_status status = HF_OK;
    while (status == HF_OK) {
        bool is_header = false;
        status = hf_input_line(input, &line, &has_line, err);
        if (status != HF_OK || !has_line)
            break;
        line = hf_text_trim_end(line, " \t\r");
        if (line.size == 0 || line.data[0] == '#')
            continue;
        if (!reader.has_columns)
            status = find_columns(&reader, line, &is_header, err);
        if (status == HF_OK && !is_header)
            status = load_file_line(&reader, line, err);
    }
    if (status == HF_OK && file->clock.count < 2)
        return hf_error_set(err, HF_ERR_INPUT,
            "%s: expected two lines or more of time,count; found %zu", input->name,
            file->clock.count);
    return status;
}

void hf_load_file_done(struct hf_load_file *file)
{
    free(file->clock.times_s);
    free(file->clock.sums);
    *file = (struct hf_load_file){0};
}
