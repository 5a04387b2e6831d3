/*
 * script_source.h: which functions of scripts only hand on what they make, by their source.
 *
 * A script has no types that could tell (dwarf/helpers.h), but its lines can (script_lines.h): what
 * is returned, or put into a variable that is returned, belongs to whoever called. A function hands
 * on if a line of it does, and if none of its lines that allocate or that call what does keeps
 * anything. It keeps what a line also stores ("return $this->known[$key] ??= parse($key)"), and
 * what a decorator of Python keeps for it (its name has "cache" or "memo").
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
 *     enum hf_script_giving giving = hf_script_functions_giving(&functions, text);
 *     if (status == HF_OK && giving != HF_SCRIPT_GIVES_NOTHING)
 *         hf_out_string(out, "its callers own what it allocates");
 *     hf_script_functions_done(&functions);
 */
#ifndef HF_SPEC_SCRIPT_SOURCE_H
#define HF_SPEC_SCRIPT_SOURCE_H

#include "base/containers/map.h"
#include "base/error.h"
#include "base/text.h"
#include "os/file.h"
#include "spec/script_lines.h"

struct hf_script_file {
    struct hf_file_map map;
    struct hf_script_lines lines;
    enum hf_script_language language;
};

/* To whom a function hands on all that it makes. */
enum hf_script_giving {
    HF_SCRIPT_GIVES_NOTHING, /* it keeps some, or nobody called it */
    HF_SCRIPT_GIVES_ONE,     /* to one other function, of which it may be a part */
    HF_SCRIPT_GIVES_MANY,    /* to several */
};

/* All-zero: none is known. Free with done. */
struct hf_script_functions {
    struct hf_map known; /* function -> what its lines do, and whether it is called */
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

/* True if none of its lines keeps, and one hands on, whoever calls it; false of one that was not
 * added. */
bool hf_script_functions_may_hand_on(
    const struct hf_script_functions *functions, uint64_t function);
enum hf_script_giving hf_script_functions_giving(
    const struct hf_script_functions *functions, uint64_t function);

void hf_script_functions_done(struct hf_script_functions *functions);

#endif
