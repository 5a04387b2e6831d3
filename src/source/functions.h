/*
 * functions.h: which functions own what they make, by their source.
 *
 * A script has no types that could tell (dwarf/helpers.h), but its lines can (flow.h), and those of
 * C, C++ and Rust tell more than types. What a
 * function makes it keeps, or hands on to its caller, or gives to another function that keeps it,
 * its *holder*, which need not be on the stack: "slip = compute(month); file(slip)".
 *
 * A profile tells which lines made how much, and what they called for it; by those lines a line is
 * judged, and a function by all of its lines. Where there is no source, nothing is known.
 *
 * Example:
 *
 *     struct hf_source_functions functions = {0};
 *     const struct hf_source_line at = {HF_TEXT("Payroll#run"), HF_TEXT("/srv/payroll.rb"), 68};
 *     status = hf_source_functions_open(&functions, at, err);
 *     if (status == HF_OK)
 *         status = hf_source_functions_see(&functions, at, HF_TEXT("Payroll#compute"), 4096, err);
 *     struct hf_source_judgement judged = hf_source_functions_judge(&functions, at);
 *     if (judged.use == HF_SOURCE_GIVES)
 *         hf_out_text(out, judged.holder.name);
 *     hf_source_functions_done(&functions);
 */
#ifndef HF_SOURCE_FUNCTIONS_H
#define HF_SOURCE_FUNCTIONS_H

#include "base/strings/out.h"
#include "source/flow.h"
#include "source/function_names.h"

/* A line of a function by name and file; line 0: the function as a whole. */
struct hf_source_line {
    struct hf_text name, file;
    uint32_t line;
};

/* What becomes of what is made there. */
enum hf_source_use {
    HF_SOURCE_MAY_KEEP, /* nobody can tell, or it stays in a variable */
    HF_SOURCE_KEEPS,
    HF_SOURCE_STORES,   /* in what its caller gave it; of C, C++ and Rust */
    HF_SOURCE_HANDS_ON, /* to its caller */
    HF_SOURCE_GIVES,    /* to its holder */
};

struct hf_source_judgement {
    enum hf_source_use use;
    struct hf_source_line holder; /* borrowed until functions_done */
    bool is_known;                /* the holder reads what it keeps: it is no container for all */
    bool is_gone;                 /* by its own lines it is gone when the function ends */
    bool is_called;               /* by a function of a script */
    bool is_shared;               /* by several */
};

#define HF_SOURCE_CANDIDATES 40 /* functions of C, C++ and Rust that could be holders */

/* All-zero: none is known. Free with done. */
struct hf_source_functions {
    struct hf_sources sources;
    struct hf_source_flow flow;
    struct hf_map names;   /* a function of a source -> number of its name, as profiles have it */
    struct hf_map tallies; /* a line, or a function -> its number */
    struct hf_map callers; /* hash of two functions */
    struct hf_map asked;   /* a line and what it calls -> number of its end */
    uint32_t last;         /* end that was asked for */
    struct hf_source_candidate {
        uint32_t file, function;
        bool is_holder;
    } candidates[HF_SOURCE_CANDIDATES];
    size_t candidate_count;
    struct hf_source_end *ends;
    size_t end_count, end_capacity;
    uint64_t steps; /* of all questions */
    struct hf_source_tally *items;
    struct hf_source_name *texts;
    size_t count, capacity, text_count, text_capacity;
};

/* Reads the source of a line, and learns what its function is called. Before the first "see".
 * HF_ERR_MEMORY, HF_ERR_LIMIT (the budget). */
HF_MUST_CHECK enum hf_status hf_source_functions_open(
    struct hf_source_functions *functions, struct hf_source_line at, struct hf_error *err);

/* True if a source has functions. */
bool hf_source_functions_are_known(const struct hf_source_functions *functions);

/* So many bytes were made at that line, in what it called there (empty: by itself). */
HF_MUST_CHECK enum hf_status hf_source_functions_see(struct hf_source_functions *functions,
    struct hf_source_line at, struct hf_text callee, uint64_t bytes, struct hf_error *err);

/* The source of that line was read, and has a function there. */
bool hf_source_functions_know(
    const struct hf_source_functions *functions, struct hf_source_line at);

/* What becomes of what a line of C, C++ or Rust gets from `callee` (empty: makes itself), or of
 * what that fills its argument `filled` with (HF_SOURCE_NO: of what it returns). */
struct hf_source_answer {
    enum hf_source_use use; /* STORES, too, of what fills an argument as a whole */
    uint32_t parameter;     /* that it is stored in */
    bool is_filled;         /* it is filled as a whole: "*out = x" */
    bool is_returned;       /* STORES: it goes to the caller, too */
    bool is_of_object;      /* it is kept in the object that the function is called for */
};
HF_MUST_CHECK enum hf_status hf_source_functions_answer(struct hf_source_functions *functions,
    struct hf_source_line at, struct hf_text callee, uint32_t filled,
    struct hf_source_answer *out_answer, struct hf_error *err);

/* So many bytes of that line are of that use; of GIVES, what was answered last says who keeps it.
 */
HF_MUST_CHECK enum hf_status hf_source_functions_count(struct hf_source_functions *functions,
    struct hf_source_line at, enum hf_source_use use, uint64_t bytes, struct hf_error *err);

/* One function calls another; their lines do not matter. */
HF_MUST_CHECK enum hf_status hf_source_functions_call(struct hf_source_functions *functions,
    struct hf_source_line caller, struct hf_source_line callee, struct hf_error *err);

struct hf_source_judgement hf_source_functions_judge(
    const struct hf_source_functions *functions, struct hf_source_line at);

void hf_source_functions_done(struct hf_source_functions *functions);

#endif
