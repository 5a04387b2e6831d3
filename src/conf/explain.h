/*
 * explain.h: options and settings in words.
 */
#ifndef HF_CONF_EXPLAIN_H
#define HF_CONF_EXPLAIN_H

#include "conf/findings.h"

/* An option with its default, versions, meaning and trap, in lines of at most 80 columns. */
void hf_conf_explain(struct hf_out *out, const struct hf_conf_option *option);

/* Whether profiling is switched on, and built in as far as is known. */
bool hf_conf_is_profiling(const struct hf_conf_check *check);

/* "armed and active, period 512 KiB, overhead about 2 %", "profiling is off". */
void hf_conf_describe(struct hf_out *out, const struct hf_conf_check *check);

/* The dumps that the settings lead to: a line each, "jeprof.PID.N.f.heap  when the program ends".
 */
void hf_conf_dumps(struct hf_out *out, const struct hf_conf_check *check);

#endif
