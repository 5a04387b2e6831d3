/*
 * check.h: finds what is wrong with a MALLOC_CONF, what that leads to, and which line was meant.
 *
 * A *fault* is something that does not do what it says; a *warning* works, but not as many expect.
 * The line is read as jemalloc reads it (parse.h); at each place where jemalloc stops or skips, a
 * finding says so, and the reading goes on with what was meant (repair.h). The settings that come
 * out are looked at as a whole. Where no finding is a fault, jemalloc takes every pair as it is
 * written; the repaired line has no faults.
 */
#ifndef HF_CONF_CHECK_H
#define HF_CONF_CHECK_H

#include "conf/findings.h"

/*
 * Settings from elsewhere that hold before the line: compiled into the program, /etc/malloc.conf.
 * `name` is that place; what jemalloc skips of it is a warning.
 */
HF_MUST_CHECK enum hf_status hf_conf_check_source(
    struct hf_conf_check *check, const char *name, struct hf_text text, struct hf_error *err);

/*
 * Checks the line, once. Set check->target before; the rest is zero. `line` must live as long.
 * Call hf_conf_check_done in any case.
 */
HF_MUST_CHECK enum hf_status hf_conf_check_line(
    struct hf_conf_check *check, struct hf_text line, struct hf_error *err);

/* Whether jemalloc prints a complaint about the line, which is what abort_conf:true aborts for. */
bool hf_conf_complains(const struct hf_conf_target *target, struct hf_text line);

#endif
