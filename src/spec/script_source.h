/*
 * script_source.h: which functions of scripts only hand on what they make, by their source.
 *
 * A script has no types that could tell (dwarf/helpers.h). But a line that begins with "return"
 * gives what it makes to whoever called: `return self.body.decode()`. A function hands on if that
 * is true of each of its lines that allocate or that call what does, and if several functions call
 * it: what is called from one place is a part of that. It is not true of a line that also stores
 * ("return $this->known[$key] ??= parse($key)", "return seen.setdefault(key, Node())"), nor of a
 * function of Python with a decorator that keeps what it returns (its name has "cache" or "memo").
 *
 * Sources are looked for where the profile says that they are, 256 of them with up to 4 MiB each.
 * Where there is none, nothing is known.
 *
 * Example:
 *
 *     struct hf_script_functions functions = {0};
 *     status = hf_script_functions_add(
 *         &functions, HF_TEXT("Response.text"), HF_TEXT("/srv/app/fetch.py"), 26, err);
 *     uint64_t text = hf_script_key(HF_TEXT("Response.text"), HF_TEXT("/srv/app/fetch.py"));
 *     uint64_t visit = hf_script_key(HF_TEXT("Mirror.visit"), HF_TEXT("/srv/app/fetch.py"));
 *     if (status == HF_OK)
 *         status = hf_script_functions_call(&functions, visit, text, err);
 *     if (status == HF_OK && hf_script_functions_hand_on(&functions, text))
 *         hf_out_string(out, "its callers own what it allocates");
 *     hf_script_functions_done(&functions);
 */
#ifndef HF_SPEC_SCRIPT_SOURCE_H
#define HF_SPEC_SCRIPT_SOURCE_H

#include "base/containers/map.h"
#include "base/error.h"
#include "base/text.h"
#include "os/file.h"

/* The lines of a text. All-zero: none. */
struct hf_script_lines {
    struct hf_text text; /* borrowed */
    uint32_t *starts;    /* of each line, in bytes */
    size_t count, capacity;
};

struct hf_script_file {
    struct hf_file_map map;
    struct hf_script_lines lines;
    bool is_python;
};

/* All-zero: none is known. Free with done. */
struct hf_script_functions {
    struct hf_map known; /* function -> how many call it, while its lines hand on */
    struct hf_map calls; /* hash of two functions */
    struct hf_map paths; /* hash of a path -> number of the file */
    struct hf_script_file *files;
    size_t count, capacity;
};

/* A function by name and file; 0: it is of no script, or has no name. */
uint64_t hf_script_key(struct hf_text name, struct hf_text file);

/* One line of a function, by its stacks. HF_ERR_MEMORY, HF_ERR_LIMIT (the budget). */
HF_MUST_CHECK enum hf_status hf_script_functions_add(struct hf_script_functions *functions,
    struct hf_text name, struct hf_text file, uint32_t line, struct hf_error *err);

/* One function calls another, which was added. */
HF_MUST_CHECK enum hf_status hf_script_functions_call(
    struct hf_script_functions *functions, uint64_t caller, uint64_t callee, struct hf_error *err);

/* True if all its lines hand on, whoever calls it; false of one that was not added. */
bool hf_script_functions_may_hand_on(
    const struct hf_script_functions *functions, uint64_t function);
bool hf_script_functions_hand_on(const struct hf_script_functions *functions, uint64_t function);

void hf_script_functions_done(struct hf_script_functions *functions);

/* Finds the lines of `text`; false: no memory. Free with done. */
HF_MUST_CHECK bool hf_script_lines_find(struct hf_script_lines *lines, struct hf_text text);
void hf_script_lines_done(struct hf_script_lines *lines);

/* Whether this line, counted from 1, hands on what it makes. */
bool hf_script_line_hands_on(const struct hf_script_lines *lines, uint32_t line, bool is_python);

#endif
