/*
 * file_writer.h: writes the files that the user requested.
 *
 * A regular file appears whole or not at all, and replaces an earlier one, whose mode and owner it
 * takes over. It is written without a name (O_TMPFILE; in memory where a file system has none of
 * those), and gets one when it is complete: at once, or to replace another one, a hidden name that
 * is then renamed. No signal comes in between, so only SIGKILL can leave that hidden name.
 *
 * Everything else is written through, as it is: devices, FIFOs, and what this process has open
 * already: "-" is standard output, as is a link to /proc/self/fd/1. Which links are followed says
 * file_place.h.
 *
 * To open and to commit takes the rights of whoever asked for the file. To write takes nothing but
 * `fd`: another process may do that, with the `fd` it inherited or was sent.
 *
 * Example:
 *
 *     struct hf_file_writer writer;
 *     status = hf_file_writer_open(&writer, "heap.svg", false, err);
 *     if (status != HF_OK)
 *         return status;
 *     struct hf_out file = hf_file_writer_out(&writer);
 *     hf_out_string(&file, "<svg/>");
 *     status = hf_out_finish(&file, err);
 *     if (status == HF_OK)
 *         status = hf_file_writer_commit(&writer, err);
 *     hf_out_done(&file);
 *     hf_file_writer_close(&writer);
 */
#ifndef HF_OS_FILE_WRITER_H
#define HF_OS_FILE_WRITER_H

#include "base/error.h"
#include "base/strings/out.h"
#include "os/file_place.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_file_writer {
    int fd;                     /* takes the bytes */
    char *path;                 /* as it was given, for messages; NULL for "-" */
    struct hf_file_place place; /* without a folder where there is nothing to put in place */
    bool is_private, is_new, is_in_memory;
    bool is_brokers, is_through; /* of a worker (sandbox.h): its broker puts it in its place */
    uint64_t number;             /* by which the broker knows it */
};

/* `is_private`: a new file is for its owner alone, as captured profiles are; else as the umask
 * says. Waits, as others do, for somebody who reads if it is a FIFO. */
HF_MUST_CHECK enum hf_status hf_file_writer_open(
    struct hf_file_writer *writer, const char *path, bool is_private, struct hf_error *err);

/* For a file of its owner alone that replaces nothing, and is put where the path says:
 * HF_ERR_SYSTEM, then or when it is put there, if anything has that name. */
HF_MUST_CHECK enum hf_status hf_file_writer_open_new(
    struct hf_file_writer *writer, const char *path, struct hf_error *err);

/* A buffered writer whose bytes go to `writer`, which must stay where it is. */
struct hf_out hf_file_writer_out(struct hf_file_writer *writer);

/* Puts the finished file in its place. After an error, or without this, no file appears. */
HF_MUST_CHECK enum hf_status hf_file_writer_commit(
    struct hf_file_writer *writer, struct hf_error *err);

/* Drops what was not committed. Safe to call at any time, also after commit. */
void hf_file_writer_close(struct hf_file_writer *writer);

#endif
