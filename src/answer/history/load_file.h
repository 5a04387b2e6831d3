/*
 * load_file.h: reads how much a program had to do over time, as CSV, into a clock that runs by it
 * (statistics/load_clock.h).
 *
 *     time,requests
 *     1738367940,1200
 *     2025-01-31 23:59:59,1180
 *
 * Fields are divided by commas, and may stand in quotes; blanks around them do not count, nor do
 * empty lines and those that begin with #. The first column is the time, in seconds since 1970 or
 * as in the names of files (answer/timeline.h), and rises. The counted column is the second, or the
 * one with a given name: what has come since the line before. If its name ends with _total, it is a
 * counter, as of Prometheus: what came is how much it rose; if it falls, it began again at 0. The
 * first line may name the columns. Source of the form: RFC 4180, without line ends in quotes.
 */
#ifndef HF_ANSWER_HISTORY_LOAD_FILE_H
#define HF_ANSWER_HISTORY_LOAD_FILE_H

#include "os/input.h"
#include "statistics/load_clock.h"

#define HF_LOAD_NAME_MAX 64

/* Stays where it is. */
struct hf_load_file {
    struct hf_load_clock clock;
    char name[HF_LOAD_NAME_MAX]; /* of what is counted: printable; the clock's */
};

/*
 * Reads all lines, of which there must be two; `column`: NULL for the second. Call done in any
 * case. HF_ERR_INPUT, with the line: a field is no time or no count, times do not rise, or there is
 * no such column.
 */
HF_MUST_CHECK enum hf_status hf_load_file_read(
    struct hf_load_file *file, struct hf_input *input, const char *column, struct hf_error *err);
void hf_load_file_done(struct hf_load_file *file);

#endif
