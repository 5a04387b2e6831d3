/*
 * library.h: optional shared libraries, loaded on first use. The one place that calls dlopen.
 *
 * What only some commands need (libcurl) would cost every start of the tool its loading time; so
 * it is compiled against the library's headers and called through a table of function pointers
 * that is filled here. It stands on floor 0 because folders of floor 1 that may not include each
 * other need it.
 *
 * A library stays loaded until the process ends: many leave threads or exit handlers behind.
 *
 * Example:
 *
 *     struct {
 *         const char *(*version)(void);
 *     } zlib;
 *     static const struct hf_library_function functions[] = {{"zlibVersion", 0}};
 *     static const struct hf_library library = {
 *         "libz.so.1", "zlib1g", "to inflate", functions, HF_COUNT(functions)};
 *     status = hf_library_load(&library, &zlib, err);
 *     if (status == HF_OK)
 *         hf_out_string(out, zlib.version());
 */
#ifndef HF_BASE_LIBRARY_H
#define HF_BASE_LIBRARY_H

#include "base/attr.h"
#include "base/error.h"

#include <stddef.h>

struct hf_library_function {
    const char *name; /* "curl_easy_init" */
    size_t offset;    /* of the function pointer in the caller's table */
};

struct hf_library {
    const char *file;    /* with its ABI version: "libcurl.so.4" */
    const char *package; /* how distributions call it: "libcurl4" */
    const char *purpose; /* completes "is needed ...": "to fetch a URL" */
    const struct hf_library_function *functions;
    size_t function_count;
};

/*
 * Loads `library` and fills the function pointers of `table`. HF_ERR_SYSTEM, naming the package,
 * if the library or one of its functions is missing; `table` is then of no use.
 * Safety: one thread at a time, not in a signal handler.
 */
HF_MUST_CHECK enum hf_status hf_library_load(
    const struct hf_library *library, void *table, struct hf_error *err);

#endif
