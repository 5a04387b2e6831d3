#include "base/containers/vec.h"
#include "base/strings/escape.h"
#include "formats/folded/folded.h"
#include "formats/writers.h"
#include "profile/fold.h"
#include "profile/order.h"

#include "base/budget.h"
#include <stdlib.h>

struct totals {
    uint64_t grew, released; /* of a pair: what is held after and before */
    bool has_sample;
};

/*
 * Lines stand in the order of their stacks as text, as Perl's and C's sort have it: "a", "a.b",
 * "a;c". So the line of a frame comes before those of siblings that begin like it ("a.b"), and its
 * callees after them: until then it waits.
 */
struct folded_write_writer {
    const struct hf_profile *folded;
    struct hf_out *out;
    struct hf_order order;
    struct totals *self; /* by node */
    bool is_pair;        /* both values are written */
    struct hf_out path;  /* escaped labels of the current stack, joined by ';' */
    struct level {
        uint32_t node, next_child; /* index into order.children */
        size_t path_size;          /* of `path` up to this node */
        size_t first_waiting;      /* of `waiting`: children whose callees are not written */
    } * levels;
    size_t depth, capacity;
    uint32_t *waiting;
    size_t waiting_count, waiting_capacity;
};

static enum hf_status sum_nodes(struct folded_write_writer *w, size_t type, struct hf_error *err)
{
    w->self = hf_budget_calloc(w->folded->stacks.count, sizeof *w->self);
    if (w->self == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < w->folded->sample_count; i++) {
        struct totals *self = &w->self[w->folded->samples[i].node];
        self->has_sample = true;
        self->grew += hf_profile_value(w->folded, i, type);
        self->released += hf_profile_released(w->folded, i, type);
    }
    return HF_OK;
}

static void folded_write_write_stack(struct folded_write_writer *w, uint32_t node)
{
    struct totals self = w->self[node];
    if (w->is_pair ? !self.has_sample : self.grew == self.released)
        return;
    if (node == HF_STACK_ROOT)
        hf_out_string(w->out, HF_NO_STACK);
    else
        hf_out_text(w->out, hf_out_view(&w->path));
    uint64_t value =
        self.grew > self.released ? self.grew - self.released : self.released - self.grew;
    hf_out_string(w->out, !w->is_pair && self.released > self.grew ? " -" : " ");
    hf_out_u64(w->out, w->is_pair ? self.released : value);
    if (w->is_pair) {
        hf_out_char(w->out, ' ');
        hf_out_u64(w->out, self.grew);
    }
    hf_out_char(w->out, '\n');
}

static void normalize(struct folded_write_writer *w)
{
    __extension__ typedef unsigned __int128 wide;
    struct hf_total total = hf_profile_total(w->folded, 0, HF_THREAD_ALL);
    for (size_t i = 0; i < w->folded->stacks.count && total.released != 0; i++)
        w->self[i].released = (uint64_t)((wide)w->self[i].released * total.value / total.released);
}

static struct hf_text folded_write_label_of(const struct folded_write_writer *w, uint32_t node)
{
    return hf_order_label(&w->order, w->folded->stacks.nodes[node].frame);
}

/* Makes `path` that of a child of the innermost level. */
static enum hf_status set_path(struct folded_write_writer *w, uint32_t child, struct hf_error *err)
{
    w->path.size = w->levels[w->depth - 1].path_size;
    if (w->depth > 1)
        hf_out_char(&w->path, ';');
    hf_escape_folded(&w->path, folded_write_label_of(w, child));
    return hf_out_finish(&w->path, err);
}

static enum hf_status folded_write_enter(
    struct folded_write_writer *w, uint32_t node, struct hf_error *err)
{
    if (!hf_vec_reserve(&w->levels, &w->capacity, w->depth + 1, sizeof *w->levels))
        return hf_error_memory(err);
    enum hf_status status = node != HF_STACK_ROOT ? set_path(w, node, err) : HF_OK;
    w->levels[w->depth++] =
        (struct level){node, w->order.first_children[node], w->path.size, w->waiting_count};
    return status;
}

/* Of two siblings in order: do the callees of `first` come before the line of `second`? */
static bool folded_write_goes_before(
    const struct folded_write_writer *w, uint32_t first, uint32_t second)
{
    struct hf_text a = folded_write_label_of(w, first), b = folded_write_label_of(w, second);
    bool is_start = a.size < b.size && hf_text_equal(a, hf_text_first(b, a.size));
    return !is_start || (unsigned char)b.data[a.size] > ';';
}

/* Writes the next line of the innermost level, or enters or leaves a level. */
static enum hf_status folded_write_step(struct folded_write_writer *w, struct hf_error *err)
{
    struct level *level = &w->levels[w->depth - 1];
    bool is_waiting = w->waiting_count != level->first_waiting;
    bool has_next = level->next_child != w->order.first_children[level->node + 1];
    uint32_t next = has_next ? w->order.children[level->next_child] : 0;
    if (is_waiting &&
        (!has_next || folded_write_goes_before(w, w->waiting[w->waiting_count - 1], next)))
        return folded_write_enter(w, w->waiting[--w->waiting_count], err);
    if (!has_next) {
        w->depth--;
        return HF_OK;
    }
    level->next_child++;
    if (!hf_vec_reserve(
            &w->waiting, &w->waiting_capacity, w->waiting_count + 1, sizeof *w->waiting))
        return hf_error_memory(err);
    if (w->order.first_children[next] != w->order.first_children[next + 1])
        w->waiting[w->waiting_count++] = next;
    enum hf_status status = set_path(w, next, err);
    if (status == HF_OK)
        folded_write_write_stack(w, next);
    return status;
}

static enum hf_status folded_write_write_all(struct folded_write_writer *w, struct hf_error *err)
{
    enum hf_status status = folded_write_enter(w, HF_STACK_ROOT, err);
    if (status == HF_OK)
        folded_write_write_stack(w, HF_STACK_ROOT);
    while (status == HF_OK && w->depth != 0)
        status = folded_write_step(w, err);
    return status;
}

static void folded_write_writer_done(struct folded_write_writer *w)
{
    hf_order_done(&w->order);
    hf_out_done(&w->path);
    hf_budget_free(w->self);
    hf_budget_free(w->levels);
    hf_budget_free(w->waiting);
}

enum hf_status hf_folded_write(
    const struct hf_profile *folded, size_t type, struct hf_out *out, struct hf_error *err)
{
    struct folded_write_writer w = {.folded = folded, .out = out};
    enum hf_status status = hf_order_init(&w.order, folded, err);
    if (status == HF_OK)
        status = sum_nodes(&w, type, err);
    if (status == HF_OK)
        status = folded_write_write_all(&w, err);
    folded_write_writer_done(&w);
    return status;
}

enum hf_status hf_folded_write_pair(
    const struct hf_profile *pair, bool is_normalized, struct hf_out *out, struct hf_error *err)
{
    struct folded_write_writer w = {.folded = pair, .out = out, .is_pair = true};
    enum hf_status status = hf_order_init(&w.order, pair, err);
    if (status == HF_OK)
        status = sum_nodes(&w, 0, err);
    if (status == HF_OK && is_normalized)
        normalize(&w);
    if (status == HF_OK)
        status = folded_write_write_all(&w, err);
    folded_write_writer_done(&w);
    return status;
}

static enum hf_status folded_write_write_folded(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    (void)notes;
    return hf_folded_write(profile, type, out, err);
}

const struct hf_writer hf_writer_folded = {
    .name = "folded",
    .what = "folded stacks, one kind of value",
    .endings = {".folded"},
    .takes_folded = true,
    .write = folded_write_write_folded,
};
