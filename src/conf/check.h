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

/*
 * Settings from elsewhere that hold before the line: compiled into the program, /etc/malloc.conf.
 * `name` is that place; what jemalloc skips of it is a warning.
 */
HF_MUST_CHECK enum hf_status hf_conf_check_source(
    struct hf_conf_check *check, const char *name, struct hf_text text, struct hf_error *err);

/* Checks the line, once. Set check->target before; the rest is zero. `line` must live as long. */
HF_MUST_CHECK enum hf_status hf_conf_check_line(
    struct hf_conf_check *check, struct hf_text line, struct hf_error *err);
void hf_conf_check_done(struct hf_conf_check *check);

/* Whether jemalloc prints a complaint about the line, which is what abort_conf:true aborts for. */
bool hf_conf_complains(const struct hf_conf_target *target, struct hf_text line);

/* The setting of an option: as given, else its default. */
struct hf_conf_setting hf_conf_setting_of(const struct hf_conf_check *check, const char *key);

/* For check_settings.c: adds a finding; running out of memory is remembered until the end. */
void hf_conf_say(struct hf_conf_check *check, bool is_fault, size_t column, const char *format, ...)
    HF_PRINTF(4, 5);

/* Looks at the settings as a whole, and adds what they lack. */
void hf_conf_check_settings(struct hf_conf_check *check);

/* Sets an option that the line lacks, at its beginning or end. */
void hf_conf_add_setting(
    struct hf_conf_check *check, const char *key, const char *value, bool is_first);

/* Column of the value that counts for an option; 0 if the line does not set it. */
size_t hf_conf_column_of(const struct hf_conf_check *check, const char *key);

#endif
