#include "analysis/owner.h"

#include "analysis/owner_wrappers.h"
#include "base/budget.h"
#include "base/containers/vec.h"
#include "profile/samples.h"

#include <stdlib.h>

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

static struct hf_text via_of(const struct hf_owner_stacks *stacks, uint32_t node)
{
    const struct hf_owner_frame *judged = hf_owner_stacks_at(stacks, node);
    struct hf_text name = hf_intern_at(&stacks->frames->texts, judged->function);
    if (judged->via.size != 0)
        return judged->via;
    bool is_ours = judged->class == HF_OWNER_OWN || judged->class == HF_OWNER_HELPER;
    return is_ours ? name : owner_short(name);
}

static struct hf_text owner_name_of(const struct hf_owner_stacks *stacks, uint32_t node)
{
    const struct hf_profile *folded = stacks->folded;
    uint32_t holder = hf_owner_stacks_at(stacks, node)->holder;
    if (holder != 0)
        return hf_intern_at(&stacks->frames->texts, stacks->frames->holders[holder - 1].name);
    return hf_profile_text(
        folded, hf_profile_frame_at(folded, folded->stacks.nodes[node].frame)->name);
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

enum hf_status hf_owners_init(struct hf_owners *owners, const char *own, const char *wrapper,
    struct hf_notes *notes, struct hf_error *err)
{
    *owners = (struct hf_owners){.is_made = true};
    return hf_owner_frames_init(&owners->frames, own, wrapper, notes, err);
}

enum hf_status hf_owners_learn(struct hf_owners *owners, const struct hf_profile *folded,
    const struct hf_profile *from, enum hf_granularity granularity, struct hf_error *err)
{
    struct hf_owner_stacks stacks;
    enum hf_status status =
        hf_owner_stacks_init(&stacks, &owners->frames, folded, from, granularity, err);
    if (status == HF_OK)
        status = hf_owner_wrappers_learn_keepers(&stacks, err);
    if (status == HF_OK)
        status = hf_owner_wrappers_learn(&stacks, err);
    hf_owner_stacks_done(&stacks);
    return status;
}

/* What is known of a frame; NULL: its label never taught. */
static enum hf_status owner_judged(struct hf_owners *owners, const struct hf_profile *folded,
    uint32_t frame, const struct hf_owner_frame **out_judged, struct hf_error *err)
{
    uint32_t label = 0;
    struct hf_out text = {0};
    struct hf_owner_frames *frames = &owners->frames;
    uint32_t known = frames->labels.count;
    hf_frame_label(folded, hf_profile_frame_at(folded, frame), &text);
    enum hf_status status = hf_out_finish(&text, err);
    if (status == HF_OK && !hf_intern_put(&frames->labels, text.data, text.size, &label))
        status = hf_error_memory(err);
    hf_out_done(&text);
    *out_judged = status == HF_OK && label < known ? &frames->items[label] : NULL;
    return status;
}

/* All-zero: the frame keeps what it makes itself, or is no owner. */
static enum hf_status owner_holder(struct hf_owners *owners, const struct hf_profile *folded,
    uint32_t frame, struct hf_owners_holder *out_holder, struct hf_error *err)
{
    const struct hf_owner_frame *judged;
    const struct hf_intern *texts = &owners->frames.texts;
    *out_holder = (struct hf_owners_holder){0};
    enum hf_status status = owner_judged(owners, folded, frame, &judged, err);
    if (status != HF_OK || judged == NULL || judged->holder == 0)
        return status;
    const struct hf_owner_holder *holder = &owners->frames.holders[judged->holder - 1];
    *out_holder = (struct hf_owners_holder){.name = hf_intern_at(texts, holder->name),
        .file = hf_intern_at(texts, holder->file),
        .line = holder->line};
    return HF_OK;
}

#define NO_HOLDER UINT32_MAX

/* Sets the frame of who holds what an owner's node gives it; NO_HOLDER: nobody else does. */
static enum hf_status owner_holder_frame(struct hf_owners *owners, struct hf_profile *folded,
    uint32_t node, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_owners_holder holder;
    uint32_t owner_id = folded->stacks.nodes[node].frame;
    *out_frame = NO_HOLDER;
    enum hf_status status = owner_holder(owners, folded, owner_id, &holder, err);
    if (status != HF_OK || holder.name.size == 0)
        return status;
    const struct hf_frame *owner = hf_profile_frame_at(folded, owner_id);
    struct hf_frame frame = {.module = owner->module, .flags = HF_FRAME_NAMED};
    frame.line = owner->line != 0 ? holder.line : 0;
    status = hf_profile_string(folded, holder.name, &frame.name, err);
    if (status == HF_OK && frame.line != 0)
        status = hf_profile_string(folded, holder.file, &frame.file, err);
    return status == HF_OK ? hf_profile_frame(folded, &frame, out_frame, err) : status;
}

/* Sets the holder of each node that is an owner; the caller frees them. */
static enum hf_status owner_find_holders(struct hf_owners *owners, struct hf_profile *folded,
    const uint32_t *found, uint32_t **out_holders, struct hf_error *err)
{
    size_t count = folded->stacks.count;
    uint32_t *holders = *out_holders = hf_budget_calloc(count, sizeof *holders);
    enum hf_status status = holders != NULL ? HF_OK : hf_error_memory(err);
    for (size_t node = 0; status == HF_OK && node < count; node++) {
        holders[node] = NO_HOLDER;
        if (node != HF_STACK_ROOT && found[node] == node)
            status = owner_holder_frame(owners, folded, (uint32_t)node, &holders[node], err);
    }
    return status;
}

/* Where each node's samples go, in a tree that ends at the owners, or at who holds it for them. */
static enum hf_status owner_cut_tree(struct hf_profile *folded, uint32_t *new_nodes,
    const bool *is_kept, const uint32_t *owners, const uint32_t *holders, struct hf_error *err)
{
    struct hf_stacktree *tree = &folded->stacks;
    uint32_t count = (uint32_t)tree->count;
    hf_stacktree_clear(tree);
    for (uint32_t node = 1; node < count; node++) {
        struct hf_stack_node old = tree->nodes[node]; /* read before its place is written */
        enum hf_status status = HF_OK;
        if (is_kept[node])
            status =
                hf_stacktree_child(tree, new_nodes[old.parent], old.frame, &new_nodes[node], err);
        if (status != HF_OK)
            return status;
    }
    /* A node that is kept for an owner behind it may be no owner itself. */
    for (uint32_t node = count; node-- > 1;) {
        uint32_t owner = owners[node], at = new_nodes[owner];
        enum hf_status status = HF_OK;
        if (holders[owner] != NO_HOLDER)
            status = hf_stacktree_child(tree, at, holders[owner], &at, err);
        if (status != HF_OK)
            return status;
        new_nodes[node] = at;
    }
    return hf_samples_move(folded, new_nodes, err);
}

static enum hf_status owner_cut(struct hf_owners *known, struct hf_profile *folded,
    const uint32_t *owners, struct hf_error *err)
{
    const struct hf_stacktree *tree = &folded->stacks;
    bool *is_kept = hf_budget_calloc(tree->count, sizeof *is_kept);
    uint32_t *new_nodes = hf_budget_calloc(tree->count, sizeof *new_nodes), *holders = NULL;
    enum hf_status status = is_kept != NULL && new_nodes != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < folded->sample_count; i++)
        is_kept[owners[folded->samples[i].node]] = true;
    for (size_t node = tree->count; status == HF_OK && node-- > 1;)
        is_kept[tree->nodes[node].parent] |= is_kept[node];
    if (status == HF_OK)
        status = owner_find_holders(known, folded, owners, &holders, err);
    if (status == HF_OK)
        status = owner_cut_tree(folded, new_nodes, is_kept, owners, holders, err);
    hf_budget_free(holders);
    hf_budget_free(is_kept);
    hf_budget_free(new_nodes);
    return status;
}

/* What is shown of a sample is not nothing. */
static bool owners_has_value(const struct hf_profile *folded, size_t sample, const size_t *type)
{
    return type == NULL || hf_profile_value(folded, sample, *type) != 0 ||
           hf_profile_released(folded, sample, *type) != 0;
}

/* Finds them, and counts what they own memory via if the values have a type to count by. */
static enum hf_status owners_find(struct hf_owners *owners, const struct hf_profile *folded,
    const size_t *type, bool cut, uint32_t *out_owners, struct hf_error *err)
{
    struct hf_owner_stacks stacks;
    enum hf_status status =
        hf_owner_stacks_init(&stacks, &owners->frames, folded, NULL, HF_BY_LINE, err);
    if (status == HF_OK && cut)
        status = hf_owner_stacks_share_pools(&stacks, *type, err);
    uint32_t via;
    for (uint32_t node = 0; status == HF_OK && node < folded->stacks.count; node++)
        out_owners[node] = hf_owner_stacks_owner(&stacks, node, &via);
    for (size_t i = 0; status == HF_OK && i < folded->sample_count; i++) {
        uint32_t node = folded->samples[i].node, owner = hf_owner_stacks_owner(&stacks, node, &via);
        owners->differ = owners->differ || (owner != node && owners_has_value(folded, i, type));
        if (type != NULL && owner != HF_STACK_ROOT && folded->samples[i].thread == HF_THREAD_ALL &&
            !count_via(owners, owner_name_of(&stacks, owner),
                via != 0 ? via_of(&stacks, via) : (struct hf_text){NULL, 0},
                hf_profile_value(folded, i, *type)))
            status = hf_error_memory(err);
    }
    hf_owner_stacks_done(&stacks);
    return status;
}

enum hf_status hf_owners_find(struct hf_owners *owners, const struct hf_profile *folded,
    size_t type, uint32_t *out_owners, struct hf_error *err)
{
    return owners_find(owners, folded, owners->is_cut ? NULL : &type, false, out_owners, err);
}

enum hf_status hf_owners_cut(
    struct hf_owners *owners, struct hf_profile *folded, size_t type, struct hf_error *err)
{
    uint32_t *found = hf_budget_calloc(folded->stacks.count, sizeof *found);
    enum hf_status status =
        found != NULL ? owners_find(owners, folded, &type, true, found, err) : hf_error_memory(err);
    owners->is_cut = true;
    if (status == HF_OK)
        status = owner_cut(owners, folded, found, err);
    hf_notes_given_up(&folded->notes, "--own", owners->frames.own);
    hf_notes_given_up(&folded->notes, "--wrapper", owners->frames.wrapper);
    hf_budget_free(found);
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

bool hf_owners_is_reserve(struct hf_owners *owners, const struct hf_profile *folded, uint32_t frame)
{
    const struct hf_owner_frame *judged;
    return owner_judged(owners, folded, frame, &judged, NULL) == HF_OK && judged != NULL &&
           judged->class == HF_OWNER_RESERVE;
}

bool hf_owners_find_holder(struct hf_owners *owners, const struct hf_profile *folded,
    uint32_t frame, struct hf_owners_holder *out_holder)
{
    return owner_holder(owners, folded, frame, out_holder, NULL) == HF_OK &&
           out_holder->name.size != 0;
}

void hf_owners_done(struct hf_owners *owners)
{
    hf_owner_frames_done(&owners->frames);
    hf_intern_done(&owners->texts);
    hf_map_done(&owners->pairs);
    free(owners->bytes);
    free(owners->best);
    *owners = (struct hf_owners){0};
}
