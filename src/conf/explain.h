/*
 * explain.h: options and settings in words.
 */
#ifndef HF_CONF_EXPLAIN_H
#define HF_CONF_EXPLAIN_H

#include "conf/check.h"

#define HF_CONF_VERSION_MAX 16
#define HF_CONF_KIND_MAX 160

/* "5.3.0" */
const char *hf_conf_version_name(uint32_t version, char out[HF_CONF_VERSION_MAX]);

/* "3.0.0"; "after 5.3.0" for what came later than the newest table that was read whole. */
const char *hf_conf_since(const struct hf_conf_option *option, char out[HF_CONF_VERSION_MAX]);

/* What values an option takes: "true or false", "a number from 0 to 63". */
const char *hf_conf_kind(const struct hf_conf_option *option, char out[HF_CONF_KIND_MAX]);

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
