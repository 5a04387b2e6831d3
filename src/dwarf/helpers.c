#include "dwarf/helpers.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "dwarf/call_graph.h"

#include <stdlib.h>
#include <string.h>

#define CALLERS_MIN 2  /* that use a helper */
#define CALLERS_MAX 32 /* more are not looked at one by one: they are in several parts */
#define ROUNDS_MAX 16  /* so many helpers call each other */
#define WORD_MIN 2     /* characters of a component's name */

#define RUST_HASH_BYTES 20                  /* "17h0123456789abcdefE" */
#define RUST_CLOSURE "28_$u7b$$u7b$closure" /* the closure of a function is a part of it */

/* What is known by a name. */
enum { HELPER = 1, MAY_KEEP = 2 };

struct helper_judge {
    const struct hf_call_graph *graph;
    size_t *first;   /* by function: its first call in graph->calls; one more at the end */
    bool *is_helper; /* by function */
};

/* The first word of a function of C: "json" of json_node; empty: it has one only. */
static struct hf_text component_word(struct hf_text name)
{
    struct hf_text rest = hf_text_trim_start(name, "_");
    size_t size = hf_text_find(rest, '_');
    return hf_text_first(rest, size < rest.size && size >= WORD_MIN ? size : 0);
}

static bool is_same_component(
    const struct hf_called_function *a, const struct hf_called_function *b)
{
    if (a->class != 0 || b->class != 0)
        return a->class == b->class;
    struct hf_text word = component_word(a->name);
    return a->is_of_c && b->is_of_c && word.size != 0 &&
           hf_text_equal(word, component_word(b->name));
}

static size_t caller_count(const struct helper_judge *j, uint32_t function)
{
    return j->first[function + 1] - j->first[function];
}

static bool has_caller(const uint32_t *callers, size_t count, uint32_t function)
{
    for (size_t i = 0; i < count; i++)
        if (callers[i] == function)
            return true;
    return false;
}

/* True if it is called by `function` and `callers` only, and by one of them. */
static bool helper_is_within(const struct helper_judge *j, uint32_t caller, uint32_t function,
    const uint32_t *callers, size_t count)
{
    size_t own = caller_count(j, caller);
    const struct hf_call *calls = j->graph->calls + j->first[caller];
    for (size_t i = 0; i < own && own <= CALLERS_MAX; i++)
        if (calls[i].caller != function && !has_caller(callers, count, calls[i].caller))
            return false;
    return own != 0 && own <= CALLERS_MAX;
}

/* Drops callers that only others of them, or the function, lead to: they are in the same part. */
static size_t drop_inner_callers(
    const struct helper_judge *j, uint32_t function, uint32_t *callers, size_t count)
{
    for (size_t i = 0; i < count && count > 1;) {
        if (!helper_is_within(j, callers[i], function, callers, count)) {
            i++;
            continue;
        }
        callers[i] = callers[--count];
        i = 0;
    }
    return count;
}

/* True if several parts of the program, or a helper of its component, call it. */
static bool helper_is_shared(const struct helper_judge *j, uint32_t function)
{
    const struct hf_called_function *functions = j->graph->functions;
    const struct hf_call *calls = j->graph->calls + j->first[function];
    uint32_t callers[CALLERS_MAX];
    size_t count = 0, helpers = 0;
    for (size_t i = 0; i < caller_count(j, function); i++) {
        uint32_t caller = calls[i].caller;
        helpers += j->is_helper[caller];
        if (hf_text_is(functions[caller].name, "main"))
            continue; /* it calls what it begins with, of any part */
        if (!is_same_component(&functions[caller], &functions[function])) {
            if (count == CALLERS_MAX)
                return true;
            callers[count++] = caller;
        } else if (j->is_helper[caller]) {
            return true;
        }
    }
    return (helpers != 0 && helpers == caller_count(j, function)) ||
           drop_inner_callers(j, function, callers, count) >= CALLERS_MIN;
}

/* What a lambda makes is for the function it stands in, and that is in the source. */
static bool helper_may_be(const struct hf_called_function *function)
{
    bool makes = function->returns_value && !function->returns_view;
    return (makes || function->is_constructor || function->fills_generic ||
               function->fills_array) &&
           !hf_text_is(function->name, "operator()");
}

/* Whoever calls it; what is only called back fills nobody's. */
static bool helper_is_by_itself(const struct helper_judge *j, uint32_t i)
{
    const struct hf_called_function *function = &j->graph->functions[i];
    return function->shares_line || function->returns_itself || function->fills_several ||
           (function->fills_part && caller_count(j, i) != 0) ||
           (!function->changes_more && !hf_text_is(function->name, "operator()"));
}

static void judge_functions(struct helper_judge *j)
{
    bool is_done = false;
    for (uint32_t i = 0; i < j->graph->function_count; i++)
        j->is_helper[i] = helper_is_by_itself(j, i);
    for (int round = 0; round < ROUNDS_MAX && !is_done && hf_budget_step(j->graph->call_count);
         round++) {
        is_done = true;
        for (uint32_t i = 0; i < j->graph->function_count; i++) {
            if (j->is_helper[i] || !helper_may_be(&j->graph->functions[i]) ||
                !helper_is_shared(j, i))
                continue;
            j->is_helper[i] = true;
            is_done = false;
        }
    }
}

static uint64_t helper_key(struct hf_text name)
{
    return hf_hash_bytes(name.data, name.size);
}

/* "_ZN5shape5scale17h0123456789abcdefE" of Rust without its end; else empty. */
static struct hf_text without_rust_hash(struct hf_text linkage)
{
    if (!hf_text_starts(linkage, "_ZN") || !hf_text_ends(linkage, "E") ||
        linkage.size <= RUST_HASH_BYTES)
        return (struct hf_text){NULL, 0};
    struct hf_text end = hf_text_from(linkage, linkage.size - RUST_HASH_BYTES);
    return hf_text_first(linkage, hf_text_starts(end, "17h") ? linkage.size - end.size : 0);
}

/* Of functions with the same name, which those of C may have, none is a helper unless all are. */
static bool keep_names(const struct helper_judge *j, struct hf_map *names)
{
    for (size_t i = 0; i < j->graph->name_count; i++) {
        const struct hf_called_name *name = &j->graph->names[i];
        uint32_t kind = j->is_helper[name->function] ? HELPER : 0;
        if (kind != 0 && j->graph->functions[name->function].may_keep)
            kind |= MAY_KEEP;
        uint32_t *known = hf_map_put(names, helper_key(name->text), kind, NULL);
        if (known == NULL)
            return false;
        *known &= kind;
        struct hf_text rust = without_rust_hash(name->text);
        if (rust.size != 0 && (known = hf_map_put(names, helper_key(rust), kind, NULL)) == NULL)
            return false;
        *known &= kind;
    }
    return true;
}

static enum hf_status judge_graph(
    const struct hf_call_graph *graph, struct hf_map *names, struct hf_error *err)
{
    struct helper_judge j = {
        .graph = graph,
        .first = hf_budget_calloc(graph->function_count + 2, sizeof *j.first),
        .is_helper = hf_budget_calloc(graph->function_count + 1, sizeof *j.is_helper),
    };
    bool has_memory = j.first != NULL && j.is_helper != NULL;
    if (has_memory) {
        for (size_t i = 0; i < graph->call_count; i++)
            j.first[graph->calls[i].callee + 1]++;
        for (size_t i = 0; i < graph->function_count; i++)
            j.first[i + 1] += j.first[i];
        judge_functions(&j);
        has_memory = keep_names(&j, names);
    }
    hf_budget_free(j.first);
    hf_budget_free(j.is_helper);
    return has_memory ? HF_OK : hf_error_memory(err);
}

/* With an effort and a budget of its own: names must not be missing because this was too much. */
enum hf_status hf_helpers_find(
    struct hf_helpers *helpers, const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_call_graph graph;
    struct hf_dwarf_effort effort;
    struct hf_dwarf_sections bounded = *sections;
    struct hf_budget budget = {0};
    *helpers = (struct hf_helpers){.is_found = true};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    hf_budget_give(hf_dwarf_bytes(sections));
    hf_dwarf_effort_init(&effort, sections);
    bounded.effort = &effort;
    enum hf_status status = hf_call_graph_read(&graph, &bounded, err);
    if (status == HF_OK)
        status = judge_graph(&graph, &helpers->names, err);
    hf_call_graph_done(&graph);
    hf_budget_leave(before);
    return status == HF_ERR_MEMORY ? status : HF_OK;
}

static uint32_t helper_kind(
    const struct hf_helpers *helpers, struct hf_text name, struct hf_text linkage)
{
    struct hf_text called = linkage.size != 0 ? linkage : hf_called_plain_name(name);
    size_t closure = hf_text_find_string(called, RUST_CLOSURE);
    const uint32_t *known =
        hf_map_find(&helpers->names, helper_key(hf_text_first(called, closure)));
    return known != NULL ? *known : 0;
}

bool hf_helpers_has(const struct hf_helpers *helpers, struct hf_text name, struct hf_text linkage)
{
    return helper_kind(helpers, name, linkage) != 0;
}

bool hf_helpers_may_keep(
    const struct hf_helpers *helpers, struct hf_text name, struct hf_text linkage)
{
    return (helper_kind(helpers, name, linkage) & MAY_KEEP) != 0;
}

void hf_helpers_done(struct hf_helpers *helpers)
{
    hf_map_done(&helpers->names);
    *helpers = (struct hf_helpers){0};
}
