#include "analysis/owner_stacks.h"

#include "analysis/owner_sources.h"
#include "base/budget.h"
#include "profile/modules.h"
#include "profile/samples.h"

#include <stdlib.h>

#define POOL_SHARE 8     /* of the room that an owner needed: who keeps less has not all of it */
#define SCRIPT_STEPS 300 /* to look at a frame again, as to look one up */

/* The first that the script itself calls drives the rest; what it alone calls does its work. */
#define DEPTH_OF_FIRST 2

/* A script of the program: what a library does with its values is not for its source to say. */
static bool is_of_script(struct hf_owner_judge *j, struct hf_source_line at)
{
    const struct hf_owner_rule *rule;
    enum hf_source_language language = hf_source_language_of(at.file);
    return at.name.size != 0 && language != HF_SOURCE_NONE && !hf_source_is_compiled(language) &&
           hf_owner_judge_rule(j->frames, HF_OWNER_SOURCE, at.file, &rule, NULL) == HF_OK &&
           rule == NULL;
}

/* A function of a script was called at a node, or what is below it is of none. */
static enum hf_status judge_call(struct hf_owner_judge *j, const struct hf_profile *from,
    uint32_t node, const uint64_t *bytes, uint64_t *own, struct hf_error *err)
{
    const struct hf_stack_node *nodes = from->stacks.nodes;
    struct hf_source_line callee = hf_owner_sources_line(from, nodes[node].frame), caller = {0};
    uint32_t above = nodes[node].parent;
    for (; above != HF_STACK_ROOT && hf_budget_step(SCRIPT_STEPS); above = nodes[above].parent) {
        caller = hf_owner_sources_line(from, nodes[above].frame);
        if (is_of_script(j, caller))
            break;
    }
    if (above == HF_STACK_ROOT || !is_of_script(j, caller))
        return HF_OK;
    own[above] -= bytes[node];
    enum hf_status status =
        hf_source_functions_see(&j->scripts, caller, callee.name, bytes[node], err);
    return status == HF_OK ? hf_source_functions_call(&j->scripts, caller, callee, err) : status;
}

/* Which lines of scripts keep what they make: by what is made there, and by what they called. */
static enum hf_status judge_scripts(
    struct hf_owner_judge *j, const struct hf_profile *from, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t *bytes = NULL, *own = NULL;
    for (uint32_t i = 0; status == HF_OK && i < from->frames.count; i++) {
        struct hf_source_line at = hf_owner_sources_line(from, i);
        if (is_of_script(j, at))
            status = hf_source_functions_open(&j->scripts, at, err);
    }
    if (status != HF_OK || !hf_source_functions_are_known(&j->scripts))
        return status;
    status = hf_owner_sources_bytes(from, &bytes, err);
    if (status == HF_OK)
        status = hf_owner_sources_bytes(from, &own, err);
    for (uint32_t node = 1; status == HF_OK && node < from->stacks.count; node++) {
        if (is_of_script(j, hf_owner_sources_line(from, from->stacks.nodes[node].frame)))
            status = judge_call(j, from, node, bytes, own, err);
    }
    for (uint32_t node = 1; status == HF_OK && node < from->stacks.count; node++) {
        struct hf_source_line at = hf_owner_sources_line(from, from->stacks.nodes[node].frame);
        if (is_of_script(j, at) && own[node] != 0)
            status =
                hf_source_functions_see(&j->scripts, at, (struct hf_text){NULL, 0}, own[node], err);
    }
    hf_budget_free(own);
    hf_budget_free(bytes);
    return status;
}

/* A frame has a line of C, C++ or Rust. */
static bool has_compiled(const struct hf_profile *from)
{
    for (uint32_t i = 0; i < from->frames.count; i++) {
        struct hf_source_line at = hf_owner_sources_line(from, i);
        if (at.line != 0 && hf_source_is_compiled(hf_source_language_of(at.file)))
            return true;
    }
    return false;
}

/* By the sources of C, C++ and Rust, of functions that no rule says anything of. */
static enum hf_status judge_sources(struct hf_owner_judge *j, const struct hf_profile *named,
    enum hf_granularity granularity, struct hf_error *err)
{
    if (!has_compiled(named))
        return HF_OK;
    const struct hf_fold_options options = {.granularity = HF_BY_LINE};
    if (granularity != HF_BY_LINE) {
        enum hf_status folded = hf_profile_fold(named, &options, &j->by_line, err);
        if (folded != HF_OK)
            return folded;
    }
    const struct hf_profile *from = granularity == HF_BY_LINE ? j->folded : j->by_line;
    const struct hf_owner_rule *rule = NULL;
    enum hf_status status = HF_OK;
    bool *is_program = hf_budget_calloc((size_t)from->frames.count + 1, sizeof *is_program);
    if (is_program == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; status == HF_OK && i < from->frames.count; i++) {
        struct hf_source_line at = hf_owner_sources_line(from, i);
        bool has_name = at.name.size != 0;
        if (has_name)
            status = hf_owner_judge_rule(j->frames, HF_OWNER_FUNCTION, at.name, &rule, err);
        bool is_trait = false;
        if (status == HF_OK && has_name)
            status = hf_owner_judge_is_trait(j->frames, &at, &is_trait, err);
        bool is_other = rule != NULL && rule->class != HF_OWNER_ENTRY && !is_trait;
        if (status == HF_OK && !is_other && has_name)
            status = hf_owner_judge_rule(j->frames, HF_OWNER_SOURCE, at.file, &rule, err);
        is_other |= rule != NULL && rule->class != HF_OWNER_ENTRY;
        is_program[i] = has_name && !is_other;
    }
    if (status == HF_OK)
        status = hf_owner_sources_judge(&j->scripts, from, is_program, err);
    hf_budget_free(is_program);
    return status;
}

static enum hf_status judge_all(struct hf_owner_stacks *stacks, const struct hf_profile *from,
    enum hf_granularity granularity, struct hf_error *err)
{
    struct hf_owner_judge j = {.frames = stacks->frames, .folded = stacks->folded};
    enum hf_status status = HF_OK;
    size_t resident;
    if (from != NULL) {
        j.has_only_mappings = from->capture.is_no_heap &&
                              hf_profile_find_type(from, HF_TEXT(HF_RESIDENT_SPACE), &resident);
        status = hf_owner_judge_program(
            &j, hf_profile_text(from, from->modules[hf_modules_program(from)].path), err);
        if (status == HF_OK)
            status = hf_places_add(&j.places, from, granularity, err);
        if (status == HF_OK)
            status = judge_scripts(&j, from, err);
        if (status == HF_OK)
            status = judge_sources(&j, from, granularity, err);
    }
    for (uint32_t i = 0; status == HF_OK && i < stacks->folded->frames.count; i++)
        status = hf_owner_judge_label(&j, i, &stacks->labels[i], err);
    hf_places_done(&j.places);
    hf_source_functions_done(&j.scripts);
    hf_profile_free(j.by_line);
    hf_map_done(&j.lines);
    hf_out_done(&j.label);
    return status;
}

enum hf_status hf_owner_stacks_init(struct hf_owner_stacks *stacks, struct hf_owner_frames *frames,
    const struct hf_profile *folded, const struct hf_profile *from, enum hf_granularity granularity,
    struct hf_error *err)
{
    *stacks = (struct hf_owner_stacks){
        .frames = frames,
        .folded = folded,
        .labels = hf_budget_calloc((size_t)folded->frames.count + 1, sizeof *stacks->labels),
        .nodes = hf_budget_calloc(folded->stacks.count, sizeof *stacks->nodes),
    };
    enum hf_status status =
        stacks->labels != NULL && stacks->nodes != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        status = judge_all(stacks, from, granularity, err);
    if (status == HF_OK)
        hf_owner_stacks_walk(stacks);
    return status;
}

void hf_owner_stacks_done(struct hf_owner_stacks *stacks)
{
    hf_budget_free(stacks->labels);
    hf_budget_free(stacks->nodes);
    hf_budget_free(stacks->likes);
    *stacks = (struct hf_owner_stacks){0};
}

const struct hf_owner_frame *hf_owner_stacks_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return &stacks->frames->items[stacks->labels[stacks->folded->stacks.nodes[node].frame]];
}

/* The lines of a script outside of its functions, as its runtime calls them. */
static bool is_script(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged)
{
    struct hf_text name = hf_intern_at(&stacks->frames->texts, judged->function);
    return hf_text_is(name, "<main>") || hf_text_is(name, "<module>");
}

static bool is_script_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return node != 0 && is_script(stacks, hf_owner_stacks_at(stacks, node));
}

/* The source of its caller says what becomes of what it is given there. */
static bool is_sure_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return node != 0 && hf_owner_stacks_at(stacks, node)->is_sure;
}

/* What it is given there it gives to another function, which keeps it. */
static bool has_holder_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return node != 0 && hf_owner_stacks_at(stacks, node)->holder != 0;
}

/* `above`: of its caller. */
static bool is_own_frame(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged,
    const struct hf_owner_node *above)
{
    if (judged->function == HF_OWNER_NO_NAME)
        return false;
    if (judged->is_forced)
        return judged->class == HF_OWNER_OWN;
    if (stacks->frames->known[judged->function].is_learned)
        return false;
    if (judged->is_returned && above->is_followed)
        return false;
    if (judged->may_keep && stacks->frames->known[judged->function].is_keeper)
        return true;
    bool is_of_first = judged->is_part && above->depth <= DEPTH_OF_FIRST && !judged->is_sure;
    bool is_of_entry = (above->is_entry || (judged->is_sure && is_script_at(stacks, above->own))) &&
                       !(judged->is_sure && is_sure_at(stacks, above->own)) &&
                       !has_holder_at(stacks, above->own);
    if (judged->class == HF_OWNER_HELPER)
        return above->own == 0 || is_of_entry || is_of_first ||
               (judged->is_maker && above->is_driver);
    return judged->class == HF_OWNER_OWN || judged->class == HF_OWNER_ENTRY;
}

/* Who called an own frame, if not its own function did; `above`: of its caller. */
static uint32_t caller_of(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged,
    const struct hf_owner_node *above)
{
    bool is_itself =
        above->own != 0 && hf_owner_stacks_at(stacks, above->own)->function == judged->function;
    return is_itself ? above->caller : above->own;
}

/* A runtime's own memory, which whoever loaded its library does not own. */
static bool is_reserve(const struct hf_owner_stacks *stacks, uint32_t node)
{
    const struct hf_stacktree *tree = &stacks->folded->stacks;
    uint32_t parent = tree->nodes[node].parent;
    while (parent != HF_STACK_ROOT && hf_owner_stacks_at(stacks, parent)->class == HF_OWNER_RESERVE)
        parent = tree->nodes[parent].parent;
    return hf_owner_stacks_at(stacks, node)->class == HF_OWNER_RESERVE && parent != HF_STACK_ROOT &&
           hf_owner_stacks_at(stacks, parent)->class == HF_OWNER_INIT;
}

/* The program begins there, or a thread does, with a lambda: what that calls is not its own. */
static bool is_beginning(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged,
    const struct hf_owner_node *above)
{
    struct hf_text name = hf_intern_at(&stacks->frames->texts, judged->function);
    return judged->class == HF_OWNER_ENTRY ||
           (above->own == 0 &&
               (hf_text_ends(name, "operator()") || hf_text_ends(name, "{{closure}}")));
}

/* From the root to the leaves: what each node's stack has. */
void hf_owner_stacks_walk(struct hf_owner_stacks *stacks)
{
    const struct hf_stacktree *tree = &stacks->folded->stacks;
    for (uint32_t node = 1; node < tree->count; node++) {
        const struct hf_owner_frame *judged = hf_owner_stacks_at(stacks, node);
        struct hf_owner_node at = stacks->nodes[tree->nodes[node].parent];
        bool has_name = judged->function != HF_OWNER_NO_NAME;
        bool is_passed = !has_name || hf_text_is(judged->via, "-");
        bool is_own = is_own_frame(stacks, judged, &at);
        bool is_ours = judged->class == HF_OWNER_OWN || judged->class == HF_OWNER_HELPER ||
                       judged->class == HF_OWNER_ENTRY;
        at.is_followed = judged->is_kept || (at.is_followed && (judged->is_returned || !is_ours));
        if (is_own) {
            at.is_entry = is_beginning(stacks, judged, &at);
            at.caller = caller_of(stacks, judged, &at);
            at.depth = at.is_entry || is_script(stacks, judged) ? 1 : at.depth + 1;
            at.own = node;
            at.own_via = 0;
            at.is_driver = judged->is_driver;
            at.is_pooled = false;
        } else if (!is_passed && at.own != 0 && at.own_via == 0) {
            at.own_via = node;
        }
        if (has_name && judged->class == HF_OWNER_LIBRARY) {
            at.other = node;
            at.other_via = 0;
        } else if (!is_passed && at.other != 0 && at.other_via == 0) {
            at.other_via = node;
        }
        if (!has_name)
            at.bare = node;
        at.is_pooled |= judged->class == HF_OWNER_POOL;
        if (is_reserve(stacks, node))
            at = (struct hf_owner_node){.bare = node};
        stacks->nodes[node] = at;
    }
}

uint32_t hf_owner_stacks_owner(
    const struct hf_owner_stacks *stacks, uint32_t node, uint32_t *out_via)
{
    if (stacks->likes != NULL && stacks->likes[node] != 0)
        node = stacks->likes[node];
    const struct hf_owner_node *found = &stacks->nodes[node];
    *out_via = found->own != 0 ? found->own_via : found->other_via;
    if (found->own != 0)
        return found->own;
    if (found->other != 0)
        return found->other;
    return found->bare != 0 ? found->bare : node;
}

/* Of what is made at a node, its owner is known to keep it. */
static bool is_kept_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    uint32_t own = stacks->nodes[node].own;
    return own != 0 && hf_owner_stacks_at(stacks, own)->keeps;
}

/* A pool made room there for whoever. */
static bool is_room_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    const struct hf_owner_node *at = &stacks->nodes[node];
    if (!at->is_pooled || at->own == 0 || is_kept_at(stacks, node))
        return false;
    const struct hf_owner_frame *own = hf_owner_stacks_at(stacks, at->own);
    return own->is_gone || own->class == HF_OWNER_HELPER || at->depth > DEPTH_OF_FIRST;
}

/* The most that one owner is known to keep below a node, and where that is made. Of an owner, what
 * room a pool made for it. */
struct pool_keeper {
    uint64_t bytes, room;
    uint32_t node;
};

/* What each owner is known to keep, at its node; below it, the most that one does. */
static void pools_find_keepers(
    const struct hf_owner_stacks *stacks, size_t type, struct pool_keeper *keepers)
{
    const struct hf_profile *folded = stacks->folded;
    for (size_t i = 0; i < folded->sample_count; i++) {
        uint32_t node = folded->samples[i].node;
        struct pool_keeper *keeper = &keepers[stacks->nodes[node].own];
        if (folded->samples[i].thread != HF_THREAD_ALL)
            continue;
        if (is_room_at(stacks, node))
            keeper->room += hf_profile_value(folded, i, type);
        if (!is_kept_at(stacks, node))
            continue;
        keeper->bytes += hf_profile_value(folded, i, type);
        keeper->node = node;
    }
    for (size_t node = folded->stacks.count; node-- > 1;) {
        struct pool_keeper *above = &keepers[folded->stacks.nodes[node].parent];
        if (keepers[node].bytes > above->bytes)
            *above = (struct pool_keeper){keepers[node].bytes, above->room, keepers[node].node};
    }
}

enum hf_status hf_owner_stacks_share_pools(
    struct hf_owner_stacks *stacks, size_t type, struct hf_error *err)
{
    const struct hf_stacktree *tree = &stacks->folded->stacks;
    uint32_t node = 1;
    while (node < tree->count && !is_room_at(stacks, node))
        node++;
    if (node >= tree->count)
        return HF_OK;
    struct pool_keeper *keepers = hf_budget_calloc(tree->count, sizeof *keepers);
    stacks->likes = hf_budget_calloc(tree->count, sizeof *stacks->likes);
    enum hf_status status = keepers != NULL && stacks->likes != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        pools_find_keepers(stacks, type, keepers);
    for (; status == HF_OK && node < tree->count; node++) {
        uint32_t above = tree->nodes[node].parent;
        if (!is_room_at(stacks, node))
            continue;
        uint64_t least = keepers[stacks->nodes[node].own].room / POOL_SHARE;
        while (above != HF_STACK_ROOT && keepers[above].bytes <= least && hf_budget_step(1))
            above = tree->nodes[above].parent;
        if (keepers[above].bytes > least)
            stacks->likes[node] = keepers[above].node;
    }
    hf_budget_free(keepers);
    return status;
}
