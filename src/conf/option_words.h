/*
 * option_words.h: an option of MALLOC_CONF in a few words: since when, and which values it takes.
 */
#ifndef HF_CONF_OPTION_WORDS_H
#define HF_CONF_OPTION_WORDS_H

#include "conf/table.h"

#define HF_CONF_VERSION_MAX 16
#define HF_CONF_KIND_MAX 160

/* "5.3.0" */
const char *hf_conf_version_name(uint32_t version, char out[HF_CONF_VERSION_MAX]);

/* "3.0.0"; "after 5.3.0" for what came later than the newest table that was read whole. */
const char *hf_conf_since(const struct hf_conf_option *option, char out[HF_CONF_VERSION_MAX]);

/* What values an option takes: "true or false", "a number from 0 to 63". */
const char *hf_conf_kind(const struct hf_conf_option *option, char out[HF_CONF_KIND_MAX]);

#endif
