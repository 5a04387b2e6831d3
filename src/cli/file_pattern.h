/*
 * file_pattern.h: names of files that are written one after the other, "%e.%p.%n.hfb".
 *
 *     %p  number of the process       %e  its program       %h  this host
 *     %t  seconds since 1970          %n  0, 1, 2 ...       %%  a percent sign
 */
#ifndef HF_CLI_FILE_PATTERN_H
#define HF_CLI_FILE_PATTERN_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct hf_file_name {
    uint32_t pid;
    const char *program;
    uint64_t number;
};

/* HF_ERR_USAGE if it holds another letter after a percent sign. */
HF_MUST_CHECK enum hf_status hf_file_pattern_check(const char *pattern, struct hf_error *err);

/* True if "%letter" stands in it: of 'n', two numbers give two names. */
bool hf_file_pattern_has(const char *pattern, char letter);

/* HF_ERR_SYSTEM if the name is too long. The pattern was checked. */
HF_MUST_CHECK enum hf_status hf_file_pattern_expand(const char *pattern,
    const struct hf_file_name *name, char out_path[PATH_MAX], struct hf_error *err);

#endif
