#include "analysis/owner_sources.h"

#include "base/budget.h"
#include "profile/samples.h"

#define SHARE_MIN 100  /* of all: what has less is not followed */
#define BETWEEN_MAX 40 /* frames of libraries between two of the program */

/* What is needed to judge a profile. */
struct source_judge {
    struct hf_source_functions *functions;
    const struct hf_profile *from;
    const bool *is_program; /* by frame */
    struct source_bytes {
        uint64_t bytes;    /* made there and below */
        uint64_t below;    /* of these, in functions below whose source is known */
        uint64_t told;     /* of these, what is known to come back to here */
        uint64_t returned; /* of all, what goes to its caller */
        uint64_t stored;   /* and what is stored in what that gave it, or in its object */
        uint32_t parameter;
        bool is_filled;   /* as a whole */
        bool is_returned; /* what is stored goes to the caller, too */
    } * nodes;
};

struct hf_source_line hf_owner_sources_line(const struct hf_profile *from, uint32_t frame_id)
{
    const struct hf_frame *frame = hf_profile_frame_at(from, frame_id);
    return (struct hf_source_line){
        hf_profile_text(from, frame->name), hf_profile_text(from, frame->file), frame->line};
}

enum hf_status hf_owner_sources_bytes(
    const struct hf_profile *from, uint64_t **out_bytes, struct hf_error *err)
{
    uint64_t *bytes = *out_bytes = hf_budget_calloc(from->stacks.count, sizeof *bytes);
    if (bytes == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < from->sample_count; i++) {
        for (size_t type = 0; type < from->type_count; type++)
            bytes[from->samples[i].node] += hf_profile_value(from, i, type);
    }
    for (size_t node = from->stacks.count; node-- > 1;)
        bytes[from->stacks.nodes[node].parent] += bytes[node];
    return HF_OK;
}

static struct hf_source_line source_line_at(const struct source_judge *j, uint32_t node)
{
    return hf_owner_sources_line(j->from, j->from->stacks.nodes[node].frame);
}

/* A function of the program, in C, C++ or Rust, whose source is there. */
static bool source_is_known(const struct source_judge *j, uint32_t node)
{
    struct hf_source_line at = source_line_at(j, node);
    return j->is_program[j->from->stacks.nodes[node].frame] &&
           hf_source_is_compiled(hf_source_language_of(at.file)) &&
           hf_source_functions_know(j->functions, at);
}

/* Who called a node; 0: a function of the program whose source is not there, or none. */
static uint32_t source_caller(const struct source_judge *j, uint32_t node)
{
    const struct hf_stack_node *nodes = j->from->stacks.nodes;
    uint32_t above = nodes[node].parent;
    for (int steps = 0; above != HF_STACK_ROOT && steps < BETWEEN_MAX;
         above = nodes[above].parent, steps++) {
        if (source_is_known(j, above))
            return above;
        if (j->is_program[nodes[above].frame])
            return 0;
    }
    return 0;
}

/* Of so many bytes, the answer says what becomes of them at a node. */
static enum hf_status source_answer(struct source_judge *j, uint32_t node,
    const struct hf_source_answer *answer, uint64_t bytes, struct hf_error *err)
{
    struct source_bytes *at = &j->nodes[node];
    if (answer->use == HF_SOURCE_HANDS_ON)
        at->returned += bytes;
    bool is_of_object = answer->use == HF_SOURCE_KEEPS && answer->is_of_object;
    uint32_t parameter = is_of_object ? HF_SOURCE_RECEIVER : answer->parameter;
    bool is_same = at->stored == 0 || at->parameter == parameter;
    if ((answer->use == HF_SOURCE_STORES || is_of_object) && is_same) {
        at->stored += bytes;
        at->parameter = parameter;
        at->is_filled = answer->is_filled;
        at->is_returned = answer->is_returned;
        return HF_OK; /* its caller tells more */
    }
    return hf_source_functions_count(
        j->functions, source_line_at(j, node), answer->use, bytes, err);
}

/*
 * What a function stores in what its caller gave it is handed on if the caller made that, to return
 * it. What fills that as a whole is handed on to whoever is known to have it.
 */
static enum hf_status source_stored(
    struct source_judge *j, uint32_t node, uint32_t caller, struct hf_error *err)
{
    struct source_bytes *at = &j->nodes[node];
    struct hf_source_line line = source_line_at(j, node);
    struct hf_source_answer answer = {.use = HF_SOURCE_MAY_KEEP};
    bool is_of_object = at->parameter == HF_SOURCE_RECEIVER;
    enum hf_source_use use = is_of_object    ? HF_SOURCE_KEEPS
                             : at->is_filled ? HF_SOURCE_MAY_KEEP
                                             : HF_SOURCE_STORES;
    enum hf_status status = HF_OK;
    if (at->stored == 0)
        return HF_OK;
    if (caller != 0)
        status = hf_source_functions_answer(
            j->functions, source_line_at(j, caller), line.name, at->parameter, &answer, err);
    bool is_known =
        answer.use == HF_SOURCE_HANDS_ON || (at->is_filled && answer.use != HF_SOURCE_MAY_KEEP);
    bool goes_on = is_known || (answer.use == HF_SOURCE_STORES && answer.is_filled);
    if (is_known)
        use = HF_SOURCE_HANDS_ON;
    if (status == HF_OK && goes_on) {
        status = source_answer(j, caller, &answer, at->stored, err);
        j->nodes[caller].told += at->stored;
    }
    bool nobody_knows = !goes_on && answer.use == HF_SOURCE_MAY_KEEP;
    if (status == HF_OK && nobody_knows && at->is_filled && at->is_returned) {
        use = HF_SOURCE_HANDS_ON; /* "*tail = item; return item;" */
        at->returned += at->stored;
    }
    return status == HF_OK ? hf_source_functions_count(j->functions, line, use, at->stored, err)
                           : status;
}

/* Adds what is made at a node to its line, and what of it is returned to that of its caller. */
static enum hf_status source_see(struct source_judge *j, uint32_t node, struct hf_error *err)
{
    struct source_bytes *of = &j->nodes[node];
    struct hf_source_line at = source_line_at(j, node);
    struct hf_source_answer answer = {.use = HF_SOURCE_MAY_KEEP};
    uint32_t caller = source_caller(j, node);
    enum hf_status status = HF_OK;
    if (of->below < of->bytes) {
        status = hf_source_functions_answer(
            j->functions, at, (struct hf_text){NULL, 0}, HF_SOURCE_NO, &answer, err);
        if (status == HF_OK)
            status = source_answer(j, node, &answer, of->bytes - of->below, err);
    }
    if (status == HF_OK)
        status = source_stored(j, node, caller, err);
    if (status == HF_OK && of->below > of->told)
        status = hf_source_functions_count(
            j->functions, at, HF_SOURCE_MAY_KEEP, of->below - of->told, err);
    if (status != HF_OK || caller == 0)
        return status;
    j->nodes[caller].below += of->bytes;
    if (of->returned == 0)
        return HF_OK;
    status = hf_source_functions_answer(
        j->functions, source_line_at(j, caller), at.name, HF_SOURCE_NO, &answer, err);
    j->nodes[caller].told += of->returned;
    return status == HF_OK ? source_answer(j, caller, &answer, of->returned, err) : status;
}

/* What each node has in use, at the end and at its peak; if that is nothing, what it allocated. */
static void source_add(struct source_judge *j)
{
    const struct hf_profile *from = j->from;
    for (int with_all = 0; with_all < 2 && j->nodes[HF_STACK_ROOT].bytes == 0; with_all++) {
        for (size_t i = 0; i < from->sample_count; i++) {
            for (size_t type = 0; type < from->type_count; type++) {
                struct hf_text name = hf_profile_text(from, from->types[type].name);
                if (with_all || !hf_text_starts(name, "alloc"))
                    j->nodes[from->samples[i].node].bytes += hf_profile_value(from, i, type);
            }
        }
        for (size_t node = from->stacks.count; node-- > 1;)
            j->nodes[from->stacks.nodes[node].parent].bytes += j->nodes[node].bytes;
    }
}

static enum hf_status source_open(struct source_judge *j, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t least = j->nodes[HF_STACK_ROOT].bytes / SHARE_MIN;
    for (uint32_t node = 1; status == HF_OK && node < j->from->stacks.count; node++) {
        uint32_t frame = j->from->stacks.nodes[node].frame;
        struct hf_source_line at = source_line_at(j, node);
        if (j->nodes[node].bytes >= least && j->is_program[frame] &&
            hf_source_is_compiled(hf_source_language_of(at.file)))
            status = hf_source_functions_open(j->functions, at, err);
    }
    return status;
}

enum hf_status hf_owner_sources_judge(struct hf_source_functions *functions,
    const struct hf_profile *from, const bool *is_program, struct hf_error *err)
{
    struct source_judge j = {.functions = functions, .from = from, .is_program = is_program};
    j.nodes = hf_budget_calloc(from->stacks.count, sizeof *j.nodes);
    if (j.nodes == NULL)
        return hf_error_memory(err);
    source_add(&j);
    enum hf_status status = source_open(&j, err);
    uint64_t least = j.nodes[HF_STACK_ROOT].bytes / SHARE_MIN;
    bool is_known = hf_source_functions_are_known(functions);
    for (uint32_t node = (uint32_t)from->stacks.count; is_known && status == HF_OK && node-- > 1;) {
        if (j.nodes[node].bytes >= least && source_is_known(&j, node))
            status = source_see(&j, node, err);
    }
    hf_budget_free(j.nodes);
    return status;
}
