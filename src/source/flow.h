/*
 * flow.h: where the values go that a line of a source makes.
 *
 * What a line makes is returned, or put into a variable, a container, an object, or the argument of
 * a call; from there it is followed, through other variables and functions of the program, until it
 * is clear who keeps it. "self.sent.append(row)" keeps; so does "file(slip)", if the function
 * "file" of the program keeps its argument: that function then, not the one with this line. A
 * container that is filled is followed as what is in it, unless it is reached from an object, which
 * stays.
 *
 * It is read, not run: values that go ways which are not there to read (callbacks, what libraries
 * do) end as HF_SOURCE_UNKNOWN. A question looks at no more than HF_SOURCE_STEPS tokens.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     uint32_t file;
 *     status = hf_sources_add(&sources, HF_TEXT("/srv/payroll.rb"), &file, err);
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_end end = hf_source_flow_of(&flow, file, 81, HF_TEXT("compute"));
 *     if (status == HF_OK && end.fate == HF_SOURCE_KEPT)
 *         hf_out_printf(out, "kept on line %u", end.line);
 *     hf_source_flow_done(&flow);
 *     hf_sources_done(&sources);
 */
#ifndef HF_SOURCE_FLOW_H
#define HF_SOURCE_FLOW_H

#include "source/expression.h"

#define HF_SOURCE_STEPS 200000u

/* In the order in which one of several counts. */
enum hf_source_fate {
    HF_SOURCE_UNKNOWN,
    HF_SOURCE_STAYS,    /* in a variable that nobody else sees, or nowhere */
    HF_SOURCE_RETURNED, /* to whoever called */
    HF_SOURCE_FILLS,    /* a container that the caller gave as an argument */
    HF_SOURCE_KEPT,
};

struct hf_source_end {
    enum hf_source_fate fate;
    uint32_t parameter;            /* that is filled */
    bool is_of_part;               /* so is a part of the value; of the whole nothing is known */
    bool is_of_object;             /* it is kept in the object that the function is called for */
    bool is_returned;              /* besides: what is filled goes to the caller, too */
    bool is_stored;                /* it is kept in `parameter`: in a structure, say */
    bool is_replaced;              /* by the next one that is kept there */
    bool is_torn;                  /* several functions keep it: this is one of them */
    bool is_put;                   /* it stays in a container, or somebody may have it */
    bool is_known;                 /* who keeps it looks at its parts: no container for all */
    bool is_typed;                 /* who keeps it takes that one type of the program */
    uint32_t slot;                 /* the name of what it is kept in (slots.h) */
    uint32_t file, function, line; /* where it is kept; function HF_SOURCE_NO: of the file itself */
};

/* Questions about these sources. All-zero but for them at first. Free with done. */
struct hf_source_flow {
    const struct hf_sources *sources;
    /* The rest is of one question. */
    struct hf_map known; /* a variable of a function -> number of its end */
    struct hf_source_end *ends;
    size_t count, capacity;
    uint32_t steps; /* that were taken */
    uint32_t depth;
    uint32_t open_count; /* answers that were given while their question was still asked */
    uint32_t closure;    /* what this statement holds, of which the question is one */
    bool with_parts;     /* a part of a value counts as the value: nothing else is done with it */
};

/*
 * What becomes of what line `line` of file `file` makes; of what `callee` gives, if the line calls
 * that (empty: of anything). Out of memory, or of steps: unknown.
 */
struct hf_source_end hf_source_flow_of(
    struct hf_source_flow *flow, uint32_t file, uint32_t line, struct hf_text callee);

/* For `number` below: the object that the function is called for, "index" of "index.add(row)". */
#define HF_SOURCE_RECEIVER (HF_SOURCE_NO - 1)

/* The same of what `callee`, which the line calls, puts into its argument `number`. */
struct hf_source_end hf_source_flow_of_argument(struct hf_source_flow *flow, uint32_t file,
    uint32_t line, struct hf_text callee, uint32_t number);

void hf_source_flow_done(struct hf_source_flow *flow);

#endif
