#include "base/escape.h"
#include "base/vec.h"
#include "formats/folded.h"
#include "formats/writers.h"
#include "profile/fold.h"
#include "profile/order.h"

#include <stdlib.h>

struct totals {
    uint64_t grew, released;
};

struct writer {
    const struct hf_profile *folded;
    struct hf_out *out;
    struct hf_order order;
    struct totals *self; /* by node */
    struct hf_out path;  /* escaped labels of the current stack, joined by ';' */
    struct level {
        uint32_t node, next_child; /* index into order.children */
        size_t path_size;          /* of `path` up to this node */
    } * levels;
    size_t depth, capacity;
};

static enum hf_status sum_nodes(struct writer *w, size_t type, struct hf_error *err)
{
    w->self = calloc(w->folded->stacks.count, sizeof *w->self);
    if (w->self == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < w->folded->sample_count; i++) {
        struct totals *self = &w->self[w->folded->samples[i].node];
        self->grew += hf_profile_grew(w->folded, i, type);
        self->released += hf_profile_released(w->folded, i, type);
    }
    return HF_OK;
}

static void write_stack(struct writer *w, uint32_t node)
{
    struct totals self = w->self[node];
    if (self.grew == self.released)
        return;
    if (node == HF_STACK_ROOT)
        hf_out_string(w->out, HF_NO_STACK);
    else
        hf_out_text(w->out, hf_out_view(&w->path));
    hf_out_string(w->out, self.released > self.grew ? " -" : " ");
    hf_out_u64(
        w->out, self.released > self.grew ? self.released - self.grew : self.grew - self.released);
    hf_out_char(w->out, '\n');
}

static enum hf_status enter(struct writer *w, uint32_t node, struct hf_error *err)
{
    if (!hf_vec_reserve(&w->levels, &w->capacity, w->depth + 1, sizeof *w->levels))
        return hf_error_memory(err);
    if (node != HF_STACK_ROOT) {
        if (w->depth > 1)
            hf_out_char(&w->path, ';');
        hf_escape_folded(&w->path, hf_order_label(&w->order, w->folded->stacks.nodes[node].frame));
    }
    w->levels[w->depth++] = (struct level){node, w->order.first_children[node], w->path.size};
    write_stack(w, node);
    return w->path.error.status == HF_OK ? HF_OK : hf_error_memory(err);
}

static enum hf_status write_all(struct writer *w, struct hf_error *err)
{
    enum hf_status status = enter(w, HF_STACK_ROOT, err);
    while (status == HF_OK && w->depth != 0) {
        struct level *level = &w->levels[w->depth - 1];
        w->path.size = level->path_size;
        if (level->next_child == w->order.first_children[level->node + 1])
            w->depth--;
        else
            status = enter(w, w->order.children[level->next_child++], err);
    }
    return status;
}

enum hf_status hf_folded_write(
    const struct hf_profile *folded, size_t type, struct hf_out *out, struct hf_error *err)
{
    struct writer w = {.folded = folded, .out = out};
    enum hf_status status = hf_order_init(&w.order, folded, err);
    if (status == HF_OK)
        status = sum_nodes(&w, type, err);
    if (status == HF_OK)
        status = write_all(&w, err);
    hf_order_done(&w.order);
    hf_out_done(&w.path);
    free(w.self);
    free(w.levels);
    return status;
}

static enum hf_status write_folded(const struct hf_profile *profile, size_t type,
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
    .write = write_folded,
};
