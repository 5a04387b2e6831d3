/*
 * findings.h: what was found in a MALLOC_CONF: the sentences about it, the pairs as they were
 * meant, and the settings that come out.
 *
 * check.h fills it from a line, check_settings.h adds what the settings lead to taken together, and
 * explain.h tells of it in words.
 *
 * Example:
 *
 *     struct hf_conf_check check = {0};
 *     hf_conf_say(&check, true, 1, "%s has no value", "prof");
 *     if (check.fault_count == 1)
 *         hf_conf_check_done(&check);
 */
#ifndef HF_CONF_FINDINGS_H
#define HF_CONF_FINDINGS_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/strings/out.h"
#include "conf/parse.h"

#define HF_CONF_OPTIONS_MAX 128

struct hf_conf_finding {
    bool is_fault;
    size_t column; /* byte of the line, from 1; 0: about the whole */
    const char *text;
};

/* What is known of the jemalloc that will read the line. */
struct hf_conf_target {
    bool is_known, has_profiling;
    uint32_t version; /* 0: unknown */
    bool is_snapshot; /* later than `version`, nobody knows how much */
};

struct hf_conf_setting {
    bool is_set;
    uint64_t number;     /* as hf_conf_value */
    struct hf_text text; /* as written, or repaired */
};

/* A pair as it was meant. */
struct hf_conf_meant {
    const struct hf_conf_option *option;
    size_t column; /* of its key in the line; 0: added */
    struct hf_text value;
};

struct hf_conf_check {
    struct hf_conf_target target;
    struct hf_arena arena; /* texts of the findings, repaired values */
    struct hf_conf_finding *findings;
    size_t count, capacity, fault_count;
    bool is_out_of_memory;
    struct hf_conf_meant *meant;
    size_t meant_count, meant_capacity;
    struct hf_conf_setting settings[HF_CONF_OPTIONS_MAX]; /* as meant; by index of the option */
    struct hf_out fixed;                                  /* the line as it should be */
};

void hf_conf_check_done(struct hf_conf_check *check);

/* The setting of an option: as given, else its default. */
struct hf_conf_setting hf_conf_setting_of(const struct hf_conf_check *check, const char *key);

/* Adds a finding; running out of memory is remembered until the end. */
void hf_conf_say(struct hf_conf_check *check, bool is_fault, size_t column, const char *format, ...)
    HF_PRINTF(4, 5);

/* Sets an option that the line lacks, at its beginning or end. */
void hf_conf_add_setting(
    struct hf_conf_check *check, const char *key, const char *value, bool is_first);

/* Column of the value that counts for an option; 0 if the line does not set it. */
size_t hf_conf_column_of(const struct hf_conf_check *check, const char *key);

#endif
