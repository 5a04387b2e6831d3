/*
 * process.h: running another program, without a shell.
 */
#ifndef HF_OS_PROCESS_H
#define HF_OS_PROCESS_H

#include "base/error.h"
#include "base/out.h"
#include "base/text.h"

/*
 * Runs argv[0], found by PATH, with `input` as its standard input, waits for it, and appends what
 * it wrote to its standard output to `out`. HF_ERR_SYSTEM: it is not installed (the message says
 * so, and the caller adds what to do), or it ended with another status than 0.
 */
HF_MUST_CHECK enum hf_status hf_process_run(
    const char *const *argv, struct hf_text input, struct hf_out *out, struct hf_error *err);

#endif
