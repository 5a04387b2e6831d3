#include "analysis/owner.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "profile/allocator.h"
#include "profile/modules.h"
#include "profile/places.h"
#include "profile/samples.h"

#include <stdlib.h>

#define CALLERS_MIN 3    /* that a learned wrapper has */
#define ROUNDS_MAX 8     /* of learning: so many wrappers lie in each other */
#define FRAME_STEPS 3000 /* to compare a frame with the rules */

/* What a frame of the folded profile is. */
struct owner_frame {
    uint32_t function; /* index of its function, among those with a name */
    bool is_known, has_name, is_forced, is_allocator;
    enum hf_owner_class class;
    struct hf_text via; /* of the rule; empty: by its own name */
};

/* What is found of a node of the folded profile on its way from the root. 0: no such node. */
struct owner_node {
    uint32_t own, own_via;     /* the innermost own frame, and what it called */
    uint32_t other, other_via; /* the innermost named one that is no wrapper */
    uint32_t bare;             /* the innermost without a name */
};

/* What is learned of a function. */
struct owner_function {
    uint32_t caller_count;
    uint64_t smallest, largest; /* mean size of its blocks, by caller */
    bool calls_own, is_wrapper;
};

struct owner_call {
    uint32_t caller, callee; /* functions */
    uint64_t bytes, objects;
};

struct owner_work {
    struct hf_profile *folded;
    const struct hf_owner_options *options;
    struct hf_owner_rules rules;
    struct hf_places places;
    struct hf_text program, folder; /* its path; the folder of all that belongs to it, or empty */
    struct owner_frame *frames;     /* by frame */
    struct owner_node *nodes;       /* by node */
    struct hf_map function_index;   /* string of the name -> function */
    struct owner_function *functions;
    size_t function_count;
    struct hf_map call_index;
    struct owner_call *calls;
    size_t call_count, call_capacity;
    struct hf_out label;
};

static enum hf_status owner_compile(
    const char *pattern, const char *option, struct hf_regex **out_regex, struct hf_error *err)
{
    enum hf_status status = pattern != NULL ? hf_regex_new(pattern, out_regex, err) : HF_OK;
    if (status != HF_OK)
        hf_error_context(err, "%s", option);
    return status;
}

enum hf_status hf_owner_options_init(
    struct hf_owner_options *options, const char *own, const char *wrapper, struct hf_error *err)
{
    *options = (struct hf_owner_options){0};
    enum hf_status status = owner_compile(own, "--own", &options->own, err);
    return status == HF_OK ? owner_compile(wrapper, "--wrapper", &options->wrapper, err) : status;
}

void hf_owner_options_done(struct hf_owner_options *options)
{
    hf_regex_free(options->own);
    hf_regex_free(options->wrapper);
}

/* The folder that holds what belongs to a program; empty if that is all the system's. */
static struct hf_text owner_folder(struct hf_text program)
{
    static const char *const shared[] = {"", "/", "/usr", "/usr/local"};
    struct hf_text folder = hf_text_first(program, hf_text_find_last(program, '/'));
    struct hf_text last = hf_text_basename(folder);
    if (program.size == folder.size)
        return (struct hf_text){NULL, 0};
    if (hf_text_is(last, "bin") || hf_text_is(last, "sbin"))
        folder = hf_text_first(folder, hf_text_find_last(folder, '/'));
    for (size_t i = 0; i < HF_COUNT(shared); i++)
        if (hf_text_is(folder, shared[i]))
            return (struct hf_text){NULL, 0};
    return folder;
}

static bool is_of_program(const struct owner_work *w, struct hf_text module)
{
    struct hf_text rest = hf_text_from(module, w->folder.size);
    return hf_text_equal(module, w->program) ||
           (w->folder.size != 0 && hf_text_starts(rest, "/") &&
               hf_text_equal(hf_text_first(module, w->folder.size), w->folder));
}

static bool owner_matches(
    const struct owner_work *w, struct hf_regex *regex, struct hf_text name, struct hf_text file)
{
    return regex != NULL && (hf_regex_matches(regex, name) || hf_regex_matches(regex, file) ||
                                hf_regex_matches(regex, hf_out_view(&w->label)));
}

/* The rule that says what a frame is; NULL: it is the program's own. */
static const struct hf_owner_rule *owner_rule(
    const struct owner_work *w, struct hf_text name, const struct hf_probe_site *site)
{
    const struct hf_owner_rule *rule = hf_owner_rules_find(&w->rules, HF_OWNER_FUNCTION, name);
    if (rule == NULL)
        rule = hf_owner_rules_find(&w->rules, HF_OWNER_SOURCE, site->file);
    if (rule == NULL)
        rule = hf_owner_rules_find(&w->rules, HF_OWNER_MODULE, site->module);
    bool is_by_path = rule != NULL && rule->subject == HF_OWNER_MODULE &&
                      hf_text_find(rule->glob, '/') != rule->glob.size;
    return is_by_path && is_of_program(w, site->module) ? NULL : rule;
}

static enum hf_status judge_frame(struct owner_work *w, uint32_t frame_id, struct hf_error *err)
{
    struct owner_frame *judged = &w->frames[frame_id];
    const struct hf_frame *frame = hf_profile_frame_at(w->folded, frame_id);
    struct hf_text name = hf_profile_text(w->folded, frame->name);
    struct hf_probe_site site = {0};
    w->label.size = 0;
    hf_frame_label(w->folded, frame, &w->label);
    enum hf_status status = hf_out_finish(&w->label, err);
    if (status == HF_OK)
        status = hf_places_find(&w->places, hf_out_view(&w->label), &site, err);
    if (status != HF_OK)
        return status;
    if (site.file.size == 0)
        site.file = hf_profile_text(w->folded, frame->file);
    if (!hf_budget_step(FRAME_STEPS))
        return hf_budget_refuse(err);
    *judged = (struct owner_frame){.is_known = true, .has_name = name.size != 0};
    judged->is_allocator = hf_allocator_is_frame(w->folded, frame);
    bool is_own = owner_matches(w, w->options->own, name, site.file);
    judged->is_forced = is_own || owner_matches(w, w->options->wrapper, name, site.file);
    const struct hf_owner_rule *rule = NULL;
    if (!judged->is_forced && !judged->is_allocator)
        rule = owner_rule(w, name, &site);
    if (is_own || (!judged->is_forced && !judged->is_allocator && rule == NULL))
        judged->class = HF_OWNER_OWN;
    if (rule != NULL) {
        judged->class = rule->class;
        judged->via = rule->via;
    }
    if (!judged->has_name)
        return HF_OK;
    const uint32_t *function =
        hf_map_put(&w->function_index, frame->name, (uint32_t)w->function_index.count, NULL);
    if (function == NULL)
        return hf_error_memory(err);
    judged->function = *function;
    return HF_OK;
}

static bool is_own_frame(const struct owner_work *w, uint32_t frame)
{
    const struct owner_frame *judged = &w->frames[frame];
    return judged->class == HF_OWNER_OWN && judged->has_name &&
           (judged->is_forced || w->functions == NULL ||
               !w->functions[judged->function].is_wrapper);
}

/* From the root to the leaves: what each node's stack has. */
static void owner_walk(struct owner_work *w)
{
    const struct hf_stacktree *tree = &w->folded->stacks;
    for (uint32_t node = 1; node < tree->count; node++) {
        const struct owner_frame *judged = &w->frames[tree->nodes[node].frame];
        struct owner_node at = w->nodes[tree->nodes[node].parent];
        bool is_own = is_own_frame(w, tree->nodes[node].frame);
        bool is_library = judged->has_name && judged->class == HF_OWNER_LIBRARY;
        if (is_own) {
            at.own = node;
            at.own_via = 0;
        } else if (judged->has_name && at.own != 0 && at.own_via == 0) {
            at.own_via = node;
        }
        if (is_library) {
            at.other = node;
            at.other_via = 0;
        } else if (judged->has_name && at.other != 0 && at.other_via == 0) {
            at.other_via = node;
        }
        if (!judged->has_name)
            at.bare = node;
        w->nodes[node] = at;
    }
}

/* The node that owns what is allocated at `node`. */
static uint32_t owner_of(const struct owner_work *w, uint32_t node, uint32_t *out_via)
{
    const struct owner_node *found = &w->nodes[node];
    *out_via = 0;
    if (found->own != 0) {
        *out_via = found->own_via;
        return found->own;
    }
    if (found->other != 0) {
        *out_via = found->other_via;
        return found->other;
    }
    return found->bare != 0 ? found->bare : node;
}

static uint32_t function_of(const struct owner_work *w, uint32_t node)
{
    return w->frames[w->folded->stacks.nodes[node].frame].function;
}

/* The nearest own function that called the one of `node`, which is own; 0: none. */
static uint32_t own_caller(const struct owner_work *w, uint32_t node)
{
    uint32_t caller = node;
    do
        caller = w->nodes[w->folded->stacks.nodes[caller].parent].own;
    while (caller != 0 && function_of(w, caller) == function_of(w, node));
    return caller;
}

/* Adds what is allocated at a node to the call that its owner was reached by. */
static enum hf_status count_call(
    struct owner_work *w, uint32_t node, uint64_t bytes, uint64_t objects, struct hf_error *err)
{
    uint32_t own = w->nodes[node].own;
    uint32_t caller = own != 0 ? own_caller(w, own) : 0;
    if (caller == 0 || objects == 0)
        return HF_OK;
    uint64_t key = (uint64_t)function_of(w, caller) << 32 | function_of(w, own);
    bool is_new;
    const uint32_t *index = hf_map_put(&w->call_index, key, (uint32_t)w->call_count, &is_new);
    if (index == NULL ||
        !hf_vec_reserve(&w->calls, &w->call_capacity, w->call_count + 1, sizeof *w->calls))
        return hf_error_memory(err);
    if (is_new)
        w->calls[w->call_count++] =
            (struct owner_call){.caller = function_of(w, caller), .callee = function_of(w, own)};
    w->calls[*index].bytes += bytes;
    w->calls[*index].objects += objects;
    return HF_OK;
}

/* The types that count bytes and objects: of all that was allocated, if that is known. */
static bool owner_types(const struct hf_profile *profile, size_t *bytes, size_t *objects)
{
    bool has_all = hf_profile_find_type(profile, HF_TEXT("alloc_space"), bytes) &&
                   hf_profile_find_type(profile, HF_TEXT("alloc_objects"), objects);
    if (has_all && hf_profile_total(profile, *objects, HF_THREAD_ALL).value != 0)
        return true;
    return hf_profile_find_type(profile, HF_TEXT("inuse_space"), bytes) &&
           hf_profile_find_type(profile, HF_TEXT("inuse_objects"), objects);
}

/* What can be said of each function, from the calls that were counted. */
static void sum_calls(struct owner_work *w)
{
    const struct hf_stacktree *tree = &w->folded->stacks;
    for (uint32_t node = 1; node < tree->count; node++) {
        uint32_t caller = w->nodes[node].own == node ? own_caller(w, node) : 0;
        if (caller != 0)
            w->functions[function_of(w, caller)].calls_own = true;
    }
    for (size_t i = 0; i < w->call_count; i++) {
        struct owner_function *callee = &w->functions[w->calls[i].callee];
        uint64_t size = w->calls[i].bytes / w->calls[i].objects;
        if (callee->caller_count == 0 || size < callee->smallest)
            callee->smallest = size;
        if (callee->caller_count == 0 || size > callee->largest)
            callee->largest = size;
        callee->caller_count++;
    }
}

/* One round; true if something was learned. */
static bool owner_learn(struct owner_work *w)
{
    bool has_learned = false;
    for (size_t i = 0; i < w->function_count; i++) {
        struct owner_function *f = &w->functions[i];
        bool differs = f->largest - f->smallest > f->smallest / 8;
        if (!f->is_wrapper && f->caller_count >= CALLERS_MIN && !f->calls_own && differs)
            f->is_wrapper = has_learned = true;
        *f = (struct owner_function){.is_wrapper = f->is_wrapper};
    }
    return has_learned;
}

static enum hf_status owner_learn_all(struct owner_work *w, struct hf_error *err)
{
    size_t bytes, objects;
    bool is_heap = owner_types(w->folded, &bytes, &objects);
    enum hf_status status = HF_OK;
    owner_walk(w);
    for (int round = 0; is_heap && round < ROUNDS_MAX; round++) {
        hf_map_done(&w->call_index);
        w->call_count = 0;
        for (size_t i = 0; status == HF_OK && i < w->folded->sample_count; i++)
            if (w->folded->samples[i].thread == HF_THREAD_ALL)
                status =
                    count_call(w, w->folded->samples[i].node, hf_profile_value(w->folded, i, bytes),
                        hf_profile_value(w->folded, i, objects), err);
        if (status != HF_OK)
            return status;
        sum_calls(w);
        is_heap = owner_learn(w);
        if (is_heap)
            owner_walk(w);
    }
    return HF_OK;
}

/* "std::vector::push_back" is "std::vector"; "__GI___strdup" is "strdup". */
static struct hf_text owner_short(struct hf_text name)
{
    size_t end = 0;
    int depth = 0;
    for (size_t i = 0; i + 1 < name.size; i++) {
        depth += (name.data[i] == '<' || name.data[i] == '(') -
                 (name.data[i] == '>' || name.data[i] == ')');
        if (depth == 0 && i != 0 && name.data[i] == ':' && name.data[i + 1] == ':')
            end = i;
    }
    if (end != 0)
        return hf_text_first(name, end);
    hf_text_take(&name, "__GI_");
    struct hf_text plain = hf_text_trim_start(name, "_");
    return plain.size != 0 ? plain : name;
}

static struct hf_text via_of(const struct owner_work *w, uint32_t node)
{
    uint32_t frame = w->folded->stacks.nodes[node].frame;
    const struct owner_frame *judged = &w->frames[frame];
    struct hf_text name = hf_profile_text(w->folded, hf_profile_frame_at(w->folded, frame)->name);
    if (judged->via.size != 0)
        return judged->via;
    return judged->class == HF_OWNER_OWN ? name : owner_short(name);
}

static bool count_via(
    struct hf_owners *owners, struct hf_text owner, struct hf_text via, uint64_t bytes)
{
    uint32_t owner_id, via_id;
    bool is_new;
    if (!hf_intern_put(&owners->texts, owner.data, owner.size, &owner_id) ||
        !hf_intern_put(&owners->texts, via.data, via.size, &via_id) ||
        !hf_vec_reserve(
            &owners->best, &owners->best_capacity, owners->texts.count, sizeof *owners->best) ||
        !hf_vec_reserve(
            &owners->bytes, &owners->bytes_capacity, owners->count + 1, sizeof *owners->bytes))
        return false;
    while (owners->best_count < owners->texts.count)
        owners->best[owners->best_count++] = (struct hf_owner_best){0};
    const uint32_t *pair = hf_map_put(
        &owners->pairs, (uint64_t)owner_id << 32 | via_id, (uint32_t)owners->count, &is_new);
    if (pair == NULL)
        return false;
    if (is_new)
        owners->bytes[owners->count++] = 0;
    owners->bytes[*pair] += bytes;
    struct hf_owner_best *best = &owners->best[owner_id];
    if (owners->bytes[*pair] > best->bytes)
        *best = (struct hf_owner_best){via_id, owners->bytes[*pair]};
    return true;
}

/* Where each node's samples go: to their owner, in a tree that ends at the owners. */
static enum hf_status owner_cut_tree(struct owner_work *w, uint32_t *new_nodes, const bool *is_kept,
    const uint32_t *owner_nodes, struct hf_error *err)
{
    struct hf_stacktree *tree = &w->folded->stacks;
    uint32_t count = (uint32_t)tree->count;
    hf_stacktree_clear(tree);
    for (uint32_t node = 1; node < count; node++) {
        struct hf_stack_node old = tree->nodes[node]; /* read before its place is written */
        enum hf_status status = HF_OK;
        if (is_kept[node])
            status =
                hf_stacktree_child(tree, new_nodes[old.parent], old.frame, &new_nodes[node], err);
        else
            new_nodes[node] = new_nodes[owner_nodes[node]];
        if (status != HF_OK)
            return status;
    }
    return hf_samples_move(w->folded, new_nodes, err);
}

static enum hf_status owner_cut(
    struct owner_work *w, struct hf_owners *owners, size_t type, struct hf_error *err)
{
    const struct hf_stacktree *tree = &w->folded->stacks;
    bool *is_kept = hf_budget_calloc(tree->count, sizeof *is_kept);
    uint32_t *new_nodes = hf_budget_calloc(tree->count, sizeof *new_nodes);
    uint32_t *owner_nodes = hf_budget_calloc(tree->count, sizeof *owner_nodes);
    bool is_done = is_kept != NULL && new_nodes != NULL && owner_nodes != NULL;
    enum hf_status status = is_done ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; is_done && i < w->folded->sample_count; i++) {
        uint32_t via, node = w->folded->samples[i].node, owner = owner_of(w, node, &via);
        owner_nodes[node] = owner;
        is_kept[owner] = true;
        if (owner == HF_STACK_ROOT || w->folded->samples[i].thread != HF_THREAD_ALL)
            continue;
        struct hf_text name = hf_profile_text(
            w->folded, hf_profile_frame_at(w->folded, tree->nodes[owner].frame)->name);
        is_done = count_via(owners, name, via != 0 ? via_of(w, via) : (struct hf_text){NULL, 0},
            hf_profile_value(w->folded, i, type));
    }
    for (size_t node = tree->count; is_done && node-- > 1;)
        is_kept[tree->nodes[node].parent] |= is_kept[node];
    if (status == HF_OK)
        status = is_done ? owner_cut_tree(w, new_nodes, is_kept, owner_nodes, err)
                         : hf_error_memory(err);
    hf_budget_free(is_kept);
    hf_budget_free(new_nodes);
    hf_budget_free(owner_nodes);
    return status;
}

static enum hf_status owner_judge(struct owner_work *w, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (uint32_t i = 0; status == HF_OK && i < w->folded->frames.count; i++)
        status = judge_frame(w, i, err);
    if (status != HF_OK)
        return status;
    w->function_count = w->function_index.count;
    w->functions = hf_budget_calloc(w->function_count + 1, sizeof *w->functions);
    w->nodes = hf_budget_calloc(w->folded->stacks.count, sizeof *w->nodes);
    return w->functions != NULL && w->nodes != NULL ? owner_learn_all(w, err)
                                                    : hf_error_memory(err);
}

enum hf_status hf_owners_cut(struct hf_owners *owners, struct hf_profile *folded,
    const struct hf_profile *from, enum hf_granularity granularity,
    const struct hf_owner_options *options, struct hf_error *err)
{
    struct owner_work w = {.folded = folded, .options = options};
    uint32_t program = hf_modules_program(from);
    w.program = hf_profile_text(from, from->modules[program].path);
    w.folder = owner_folder(w.program);
    w.frames = hf_budget_calloc((size_t)folded->frames.count + 1, sizeof *w.frames);
    enum hf_status status = w.frames != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        status = hf_owner_rules_add_presets(&w.rules, err);
    if (status == HF_OK)
        status = hf_places_add(&w.places, from, granularity, err);
    if (status == HF_OK)
        status = owner_judge(&w, err);
    if (status == HF_OK)
        status = owner_cut(&w, owners, folded->default_type, err);
    hf_notes_given_up(&folded->notes, "--own", options->own);
    hf_notes_given_up(&folded->notes, "--wrapper", options->wrapper);
    hf_owner_rules_done(&w.rules);
    hf_places_done(&w.places);
    hf_budget_free(w.frames);
    hf_budget_free(w.nodes);
    hf_budget_free(w.functions);
    hf_map_done(&w.function_index);
    hf_map_done(&w.call_index);
    free(w.calls);
    hf_out_done(&w.label);
    return status;
}

struct hf_text hf_owners_via(struct hf_owners *owners, struct hf_text name)
{
    uint32_t id;
    if (!hf_intern_put(&owners->texts, name.data, name.size, &id) || id >= owners->best_count ||
        owners->best[id].bytes == 0)
        return (struct hf_text){NULL, 0};
    return hf_intern_at(&owners->texts, owners->best[id].via);
}

void hf_owners_done(struct hf_owners *owners)
{
    hf_intern_done(&owners->texts);
    hf_map_done(&owners->pairs);
    free(owners->bytes);
    free(owners->best);
    *owners = (struct hf_owners){0};
}
