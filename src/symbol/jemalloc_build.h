/*
 * jemalloc_build.h: which jemalloc a program will run with, and how that was built, told from its
 * files; nothing is run.
 *
 * jemalloc is recognised by the complaints it can print, which a stripped binary has as well. Built
 * with profiling is one that can write "heap_v2/". The prefix of its names, and so of MALLOC_CONF,
 * stands in the name of its /etc/malloc.conf. Source: what the builds of jemalloc 5.1.0 and 5.3.0,
 * with and without profiling and prefix, have in their read-only bytes.
 *
 * Example:
 *
 *     static struct hf_jemalloc_build build;
 *     status = hf_jemalloc_build_find(&build, "/usr/bin/redis-server", err);
 *     if (status == HF_OK && build.place != HF_JEMALLOC_NOWHERE)
 *         hf_out_string(out, build.version);
 *     hf_jemalloc_build_done(&build);
 */
#ifndef HF_SYMBOL_JEMALLOC_BUILD_H
#define HF_SYMBOL_JEMALLOC_BUILD_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum hf_jemalloc_place {
    HF_JEMALLOC_NOWHERE,
    HF_JEMALLOC_INSIDE,  /* linked into the program */
    HF_JEMALLOC_LIBRARY, /* a shared library that the program needs */
};

#define HF_JEMALLOC_NAME_MAX 128

struct hf_jemalloc_build {
    enum hf_jemalloc_place place;
    char path[PATH_MAX]; /* of the file that has it; of a jemalloc to preload if nowhere; or "" */
    bool has_profiling;
    char version[HF_JEMALLOC_NAME_MAX];  /* as in the file, "5.3.0-0-g54eaed1"; "" unknown */
    uint32_t version_number;             /* major << 16 | minor << 8 | patch; 0 unknown */
    bool is_snapshot;                    /* commits after that version: "5.3.0-171-g..." */
    char variable[HF_JEMALLOC_NAME_MAX]; /* of the environment: "MALLOC_CONF" */
    char link[HF_JEMALLOC_NAME_MAX];     /* "/etc/malloc.conf": its target are options, too */
    char *built_in;                      /* the variable malloc_conf; NULL: not set in the files */
    char *linked;                        /* what the link leads to; NULL: there is no such link */
    char
        missing[HF_JEMALLOC_NAME_MAX]; /* a library that was not found, so it is not known; or "" */
};

/* HF_ERR_SYSTEM if `program` cannot be read or is no program for this kind of machine. */
HF_MUST_CHECK enum hf_status hf_jemalloc_build_find(
    struct hf_jemalloc_build *build, const char *program, struct hf_error *err);
void hf_jemalloc_build_done(struct hf_jemalloc_build *build);

#endif
