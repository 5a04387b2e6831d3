/*
 * process.h: runs another program.
 */
#ifndef HF_OS_PROCESS_H
#define HF_OS_PROCESS_H

#include "base/error.h"
#include "base/strings/out.h"
#include "base/text.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Runs argv[0], found by PATH, with `input` as its standard input, waits for it, and appends what
 * it wrote to its standard output to `out`. HF_ERR_SYSTEM: it is not installed (the message says
 * so, and the caller adds what to do), or it ended with another status than 0. In a worker
 * (sandbox.h) the broker runs the program that it knows, whatever argv says.
 */
HF_MUST_CHECK enum hf_status hf_process_run(
    const char *const *argv, struct hf_text input, struct hf_out *out, struct hf_error *err);

/*
 * The same from one open file to another, which it makes in memory: *out_output is the caller's.
 * `drops_rights`: the program runs as nobody, without a capability (rights.h).
 */
HF_MUST_CHECK enum hf_status hf_process_run_files(
    const char *const *argv, bool drops_rights, int input, int *out_output, struct hf_error *err);

struct hf_process_variable {
    const char *name, *value;
};

/*
 * Starts a command of the user's by sh, and does not wait for it: with `variables`, up to one
 * without a name, in its environment, no signal blocked, nothing to read, and standard error as its
 * standard output. The caller waits for *out_pid some time.
 */
HF_MUST_CHECK enum hf_status hf_process_start_shell(const char *command,
    const struct hf_process_variable *variables, pid_t *out_pid, struct hf_error *err);

#endif
