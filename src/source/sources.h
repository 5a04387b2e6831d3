/*
 * sources.h: the sources of a program, and their functions by name.
 *
 * A file is read when it is first asked for: 256 of them (HF_SOURCE_FILES), with up to 4 MiB each;
 * of C, C++ and Rust, which have more, 2 MiB in all. One that is not there has no functions.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     uint32_t number;
 *     status = hf_sources_add(&sources, HF_TEXT("/srv/app/feed.py"), &number, err);
 *     if (status == HF_OK && number != HF_SOURCE_NO &&
 *         hf_source_function_at(&sources.files[number], 41) != HF_SOURCE_NO)
 *         hf_out_string(out, "line 41 is of a function");
 *     hf_sources_done(&sources);
 */
#ifndef HF_SOURCE_SOURCES_H
#define HF_SOURCE_SOURCES_H

#include "base/containers/map.h"
#include "base/error.h"
#include "os/file.h"
#include "source/text/outline.h"

#define HF_SOURCE_FILES 256
#define HF_SOURCE_FILE_BYTES (4u << 20)
#define HF_SOURCE_ALIAS_TOKENS 4000u
#define HF_SOURCE_COMPILED_BYTES (2u << 20) /* about 60,000 lines, which take 0.2 s */

struct hf_source_file {
    struct hf_text path; /* borrowed from who asked for it */
    struct hf_file_map map;
    struct hf_source_tokens tokens;
    struct hf_source_outline outline;
    bool has_alias; /* of C++: "using T = ..." among its first HF_SOURCE_ALIAS_TOKENS */
};

/* One function of the program. */
struct hf_source_place {
    uint32_t file, function;
    uint32_t next; /* of the same name; HF_SOURCE_NO: the last */
};

/* All-zero: none. Free with done. */
struct hf_sources {
    struct hf_source_file *files;
    size_t count, capacity;
    struct hf_source_place *places;
    size_t place_count, place_capacity;
    size_t compiled_bytes; /* that were read */
    struct hf_map paths;   /* hash of a path -> number of the file */
    struct hf_map names;   /* hash of a name -> the first place */
};

/* The number of a file, which is read now if it was not; HF_SOURCE_NO: it is in no language that
 * is read, or there are too many. HF_ERR_MEMORY, HF_ERR_LIMIT (the budget). */
HF_MUST_CHECK enum hf_status hf_sources_add(
    struct hf_sources *sources, struct hf_text path, uint32_t *out_number, struct hf_error *err);

/* The same of a text that is in memory, and stays there: the language is that of its path. */
HF_MUST_CHECK enum hf_status hf_sources_add_text(struct hf_sources *sources, struct hf_text path,
    struct hf_text text, uint32_t *out_number, struct hf_error *err);

/* The number of a file that was asked for before; HF_SOURCE_NO: none. */
uint32_t hf_sources_find(const struct hf_sources *sources, struct hf_text path);

/* The first function of this name, of any file; HF_SOURCE_NO: none. */
uint32_t hf_source_place_of(const struct hf_sources *sources, struct hf_text name);

/* The innermost function with this line; HF_SOURCE_NO: none. */
uint32_t hf_source_function_at(const struct hf_source_file *file, uint32_t line);

/*
 * The name of a parameter, counted from 0, without what stands for the object itself; empty: there
 * is none. Of Perl: what its first statements take from "@_".
 */
struct hf_text hf_source_parameter(
    const struct hf_source_file *file, uint32_t function, uint32_t number);

/* The number of the parameter with this name; HF_SOURCE_NO: none has it. */
uint32_t hf_source_parameter_of(
    const struct hf_source_file *file, uint32_t function, struct hf_text name);

void hf_sources_done(struct hf_sources *sources);

#endif
