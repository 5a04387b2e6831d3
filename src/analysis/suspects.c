#include "analysis/suspects.h"

#include "base/checked.h"
#include "base/strings/units.h"
#include "profile/fold.h"

#include <stdlib.h>

struct measure {
    uint64_t self, total;
    uint64_t largest;      /* total of the largest callee */
    uint64_t large_sum;    /* totals of the large callees */
    uint32_t large, small; /* callees that hold something */
    bool is_point;         /* where memory accumulates */
    bool is_covered;       /* is one, or below one */
};

struct suspects_finder {
    struct hf_suspects *suspects;
    const struct hf_profile *folded;
    size_t type;
    bool by_name;
    const struct hf_series *series;
    struct hf_stacktree by_names; /* the stacks, with one frame for each name */
    const struct hf_stacktree *tree;
    uint32_t *node_of; /* by the profile's stacks: the node of `tree`; NULL: the same */
    struct hf_owners *owners;
    const uint32_t *owner_nodes; /* where what is allocated at a node counts; NULL: there */
    struct measure *nodes;       /* of `tree` */
};

static uint64_t suspects_add(uint64_t a, uint64_t b)
{
    bool ignored = false;
    return hf_add_saturating(a, b, &ignored);
}

/* Of frames that differ in their line only, the first stands for all. */
static enum hf_status join_names(struct suspects_finder *f, struct hf_error *err)
{
    const struct hf_profile *p = f->folded;
    uint32_t *frame_of_name = calloc((size_t)p->strings.count + 1, sizeof *frame_of_name);
    f->node_of = calloc(p->stacks.count, sizeof *f->node_of); /* the root is the root */
    enum hf_status status = frame_of_name != NULL && f->node_of != NULL
                                ? hf_stacktree_init(&f->by_names, err)
                                : hf_error_memory(err);
    for (size_t i = 1; status == HF_OK && i < p->stacks.count; i++) {
        uint32_t id = p->stacks.nodes[i].frame;
        const struct hf_frame *frame = hf_profile_frame_at(p, id);
        if ((frame->flags & HF_FRAME_NAMED) != 0) {
            uint32_t *first = &frame_of_name[frame->name]; /* plus one */
            *first = *first != 0 ? *first : id + 1;
            id = *first - 1;
        }
        status = hf_stacktree_child(
            &f->by_names, f->node_of[p->stacks.nodes[i].parent], id, &f->node_of[i], err);
    }
    free(frame_of_name);
    f->tree = &f->by_names;
    return status;
}

static bool is_large(const struct suspects_finder *f, uint64_t value)
{
    uint64_t whole = f->suspects->whole;
    return value != 0 && value >= whole / HF_SUSPECT_LARGE + (whole % HF_SUSPECT_LARGE != 0);
}

static void sum_up(struct suspects_finder *f)
{
    for (size_t i = f->tree->count; i-- > 1;) {
        struct measure *parent = &f->nodes[f->tree->nodes[i].parent];
        f->nodes[i].total = suspects_add(f->nodes[i].total, f->nodes[i].self);
        parent->total = suspects_add(parent->total, f->nodes[i].total);
    }
    f->nodes[HF_STACK_ROOT].total =
        suspects_add(f->nodes[HF_STACK_ROOT].total, f->nodes[HF_STACK_ROOT].self);
    f->suspects->whole = f->nodes[HF_STACK_ROOT].total;
    for (size_t i = 1; i < f->tree->count; i++) {
        struct measure *parent = &f->nodes[f->tree->nodes[i].parent];
        uint64_t total = f->nodes[i].total;
        parent->largest = total > parent->largest ? total : parent->largest;
        if (is_large(f, total)) {
            parent->large++;
            parent->large_sum = suspects_add(parent->large_sum, total);
        } else if (total != 0) {
            parent->small++;
        }
    }
}

static uint32_t suspects_node_of(const struct suspects_finder *f, uint32_t stack)
{
    uint32_t counted = f->owner_nodes != NULL ? f->owner_nodes[stack] : stack;
    return f->node_of != NULL ? f->node_of[counted] : counted;
}

static enum hf_status suspects_measure(struct suspects_finder *f, struct hf_error *err)
{
    const struct hf_profile *p = f->folded;
    f->tree = &p->stacks;
    enum hf_status status = f->by_name ? join_names(f, err) : HF_OK;
    if (status == HF_OK) {
        f->nodes = calloc(f->tree->count, sizeof *f->nodes);
        status = f->nodes != NULL ? HF_OK : hf_error_memory(err);
    }
    for (size_t i = 0; status == HF_OK && i < p->sample_count; i++) {
        struct measure *of = &f->nodes[suspects_node_of(f, p->samples[i].node)];
        if (p->samples[i].thread == HF_THREAD_ALL)
            of->self = suspects_add(of->self, hf_profile_value(p, i, f->type));
    }
    if (status == HF_OK)
        sum_up(f);
    return status;
}

/* From where a path ends up to the last fork: the largest drop; of equal ones, the outermost. */
static void mark_point(struct suspects_finder *f, uint32_t end)
{
    uint32_t point = end;
    uint64_t drop = f->nodes[end].total - f->nodes[end].largest;
    for (uint32_t at = f->tree->nodes[end].parent; at != HF_STACK_ROOT && f->nodes[at].large == 1;
         at = f->tree->nodes[at].parent) {
        if (f->nodes[at].total - f->nodes[at].largest >= drop) {
            drop = f->nodes[at].total - f->nodes[at].largest;
            point = at;
        }
    }
    f->nodes[point].is_point = true;
}

void hf_suspect_frame_name(
    const struct hf_profile *folded, uint32_t id, bool by_name, struct hf_out *out)
{
    const struct hf_frame *frame = hf_profile_frame_at(folded, id);
    if (by_name && (frame->flags & HF_FRAME_NAMED) != 0)
        hf_frame_name(folded, frame, out);
    else
        hf_frame_label(folded, frame, out);
}

/* Whether it grew steadily; of two points, that it grew says all. */
static void write_growth(
    const struct suspects_finder *f, const struct hf_suspect *suspect, struct hf_out *out)
{
    struct hf_text unit = hf_profile_text(f->folded, f->folded->types[f->type].unit);
    char first[HF_UNITS_MAX], last[HF_UNITS_MAX];
    const char *(*amount)(uint64_t, char *) =
        hf_text_is(unit, "bytes") ? hf_units_bytes : hf_units_grouped;
    size_t steps = f->series->count - 1, grew = 0;
    for (size_t i = 0; i < steps; i++)
        grew += suspect->points[i + 1] > suspect->points[i];
    /* Of more than two profiles: the steps are never 1. */
    hf_out_printf(out, " It grew in %zu of %zu steps, from %s to %s.", grew, steps,
        amount(suspect->points[0], first), amount(suspect->points[steps], last));
}

/* "accounts for", "beside", and what is inside. */
static void write_sentence(
    const struct suspects_finder *f, const struct hf_suspect *suspect, struct hf_out *out)
{
    const struct measure *m = &f->nodes[suspect->node];
    struct hf_text unit = hf_profile_text(f->folded, f->folded->types[f->type].unit);
    char value[HF_UNITS_MAX], self[HF_UNITS_MAX];
    bool is_bytes = hf_text_is(unit, "bytes");
    const char *(*amount)(uint64_t, char *) = is_bytes ? hf_units_bytes : hf_units_grouped;
    hf_out_text(out, suspect->name);
    hf_out_printf(out, " accounts for %s (%.1f %%%s)", amount(suspect->value, value),
        suspect->percent, f->folded->is_difference ? " of all growth" : "");
    struct hf_owners_holder holder;
    if (suspect->is_rest)
        hf_out_string(out, ", not counting its largest callees.");
    else if (f->owners != NULL && m->self >= m->total / 2 &&
             hf_owners_find_holder(f->owners, f->folded, suspect->frames[0], &holder)) {
        hf_out_string(out, m->self == m->total ? ", all of which " : ", of which ");
        hf_out_text(out, holder.name);
        hf_out_string(out, " (");
        hf_out_text(out, hf_text_basename(holder.file));
        hf_out_printf(out, ":%u) keeps", holder.line);
        if (m->self != m->total)
            hf_out_printf(out, " %s", amount(m->self, self));
        hf_out_char(out, '.');
    } else if (m->self == m->total && suspect->via.size != 0) {
        hf_out_string(out, ", all of which it allocates via ");
        hf_out_text(out, suspect->via);
        hf_out_char(out, '.');
    } else if (m->self == m->total)
        hf_out_string(out, ", all of which it allocates itself.");
    else if (m->self >= m->total / 2 || m->large + m->small < 2)
        hf_out_printf(out, ", of which it allocates %s itself.", amount(m->self, self));
    else
        hf_out_printf(
            out, ", spread over %u callees.", /* never 1, see above */ m->large + m->small);
    if (f->series != NULL && f->series->count > 2)
        write_growth(f, suspect, out);
}

/* LeakSanitizer looks for the text in names, so a name without parameters finds all its kinds. */
static void write_suppression(
    const struct suspects_finder *f, const struct hf_suspect *suspect, struct hf_out *out)
{
    const struct hf_frame *frame = hf_profile_frame_at(f->folded, suspect->frames[0]);
    struct hf_text text = suspect->name;
    if ((frame->flags & HF_FRAME_NAMED) == 0 && frame->module != HF_NO_MODULE)
        text = hf_text_basename(hf_profile_text(f->folded, f->folded->modules[frame->module].path));
    else if (frame->name != HF_NO_STRING)
        text = hf_profile_text(f->folded, frame->name);
    size_t end = hf_text_find(text, '<');
    end = hf_text_find(hf_text_first(text, end), '(');
    hf_out_string(out, "leak:");
    hf_out_text(out, end != 0 ? hf_text_first(text, end) : text);
}

/* Moves what `out` holds to the arena. */
static enum hf_status suspects_keep(
    struct suspects_finder *f, struct hf_out *out, struct hf_text *out_text, struct hf_error *err)
{
    enum hf_status status = hf_out_finish(out, err);
    if (status == HF_OK) {
        struct hf_text text = hf_out_view(out);
        const char *copy = hf_arena_copy(&f->suspects->arena, text.data, text.size);
        *out_text = (struct hf_text){copy, text.size};
        status = copy != NULL ? HF_OK : hf_error_memory(err);
    }
    out->size = 0;
    return status;
}

static enum hf_status add_suspect(
    struct suspects_finder *f, uint32_t node, bool is_rest, struct hf_error *err)
{
    const struct measure *m = &f->nodes[node];
    struct hf_suspects *suspects = f->suspects;
    struct hf_suspect *suspect = &suspects->items[suspects->count];
    size_t depth = hf_stacktree_depth(f->tree, node);
    uint32_t *frames = hf_arena_alloc(&suspects->arena, depth * sizeof *frames);
    uint64_t value = is_rest ? m->total - m->large_sum : m->total;
    if (frames == NULL)
        return hf_error_memory(err);
    uint32_t at = node;
    for (size_t i = 0; i < depth; i++, at = f->tree->nodes[at].parent)
        frames[i] = f->tree->nodes[at].frame;
    *suspect = (struct hf_suspect){.node = node,
        .frames = frames,
        .depth = depth,
        .is_rest = is_rest,
        .value = value,
        .percent = hf_units_percent(value, suspects->whole)};
    suspects->count++;
    return HF_OK;
}

/* Its size as in `totals`, without the callees that are suspects of their own. */
static uint64_t suspects_size_in(
    const struct suspects_finder *f, const struct hf_suspect *suspect, const uint64_t *totals)
{
    uint64_t inside = 0;
    for (size_t i = 1; suspect->is_rest && i < f->tree->count; i++) {
        if (f->tree->nodes[i].parent == suspect->node && is_large(f, f->nodes[i].total))
            inside = suspects_add(inside, totals[i]);
    }
    return totals[suspect->node] > inside ? totals[suspect->node] - inside : 0;
}

/* Fills in what each suspect held at each point. `values`, `totals`: room for every node. */
static enum hf_status suspects_follow(
    struct suspects_finder *f, uint64_t *values, uint64_t *totals, struct hf_error *err)
{
    struct hf_suspects *suspects = f->suspects;
    size_t points = f->series->count, stacks = f->folded->stacks.count;
    uint64_t *sizes = hf_arena_alloc(&suspects->arena, HF_SUSPECT_LARGE * points * sizeof *sizes);
    if (values == NULL || totals == NULL || sizes == NULL)
        return hf_error_memory(err);
    for (size_t point = 0; point < points; point++) {
        memset(values, 0, stacks * sizeof *values);
        memset(totals, 0, stacks * sizeof *totals);
        hf_series_at(f->series, point, f->type, values);
        for (uint32_t i = 0; i < stacks; i++)
            totals[suspects_node_of(f, i)] =
                suspects_add(totals[suspects_node_of(f, i)], values[i]);
        for (size_t i = f->tree->count; i-- > 1;)
            totals[f->tree->nodes[i].parent] =
                suspects_add(totals[f->tree->nodes[i].parent], totals[i]);
        for (size_t i = 0; i < suspects->count; i++)
            sizes[i * points + point] = suspects_size_in(f, &suspects->items[i], totals);
    }
    for (size_t i = 0; i < suspects->count; i++)
        suspects->items[i].points = sizes + i * points;
    return HF_OK;
}

static enum hf_status follow_all(struct suspects_finder *f, struct hf_error *err)
{
    uint64_t *values = calloc(f->folded->stacks.count, sizeof *values);
    uint64_t *totals = calloc(f->folded->stacks.count, sizeof *totals);
    enum hf_status status = suspects_follow(f, values, totals, err);
    free(values);
    free(totals);
    return status;
}

/* What the function of its frame owns most of its memory via. */
static enum hf_status find_via(struct suspects_finder *f, struct hf_suspect *suspect,
    struct hf_out *text, struct hf_error *err)
{
    const struct hf_frame *frame = hf_profile_frame_at(f->folded, suspect->frames[0]);
    struct hf_owners_holder holder;
    if (f->owners == NULL)
        return HF_OK;
    if (!hf_owners_find_holder(f->owners, f->folded, suspect->frames[0], &holder))
        holder.name = hf_profile_text(f->folded, frame->name);
    hf_out_text(text, hf_owners_via(f->owners, holder.name));
    return suspects_keep(f, text, &suspect->via, err);
}

static enum hf_status suspects_describe(
    struct suspects_finder *f, struct hf_suspect *suspect, struct hf_error *err)
{
    struct hf_out text = {0};
    hf_suspect_frame_name(f->folded, suspect->frames[0], f->by_name, &text);
    enum hf_status status = suspects_keep(f, &text, &suspect->name, err);
    if (status == HF_OK)
        status = find_via(f, suspect, &text, err);
    if (status == HF_OK) {
        write_sentence(f, suspect, &text);
        status = suspects_keep(f, &text, &suspect->sentence, err);
    }
    if (status == HF_OK) {
        write_suppression(f, suspect, &text);
        status = suspects_keep(f, &text, &suspect->suppression, err);
    }
    hf_out_done(&text);
    return status;
}

static int compare_frames(const struct hf_profile *p, uint32_t a, uint32_t b)
{
    const struct hf_frame *x = hf_profile_frame_at(p, a), *y = hf_profile_frame_at(p, b);
    int order = hf_text_compare(hf_profile_text(p, x->name), hf_profile_text(p, y->name));
    if (order == 0)
        order = hf_text_compare(hf_profile_text(p, p->modules[x->module].path),
            hf_profile_text(p, p->modules[y->module].path));
    if (order == 0)
        order = hf_text_compare(hf_profile_text(p, x->file), hf_profile_text(p, y->file));
    if (order == 0)
        order = (x->offset > y->offset) - (x->offset < y->offset);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static bool suspects_goes_before(
    const struct hf_profile *p, const struct hf_suspect *a, const struct hf_suspect *b)
{
    if (a->value != b->value)
        return a->value > b->value;
    size_t x = a->depth, y = b->depth;
    while (x != 0 && y != 0) {
        int order = compare_frames(p, a->frames[--x], b->frames[--y]);
        if (order != 0)
            return order < 0;
    }
    return x < y;
}

static void sort(struct hf_suspects *suspects, const struct hf_profile *p)
{
    for (size_t i = 1; i < suspects->count; i++) {
        struct hf_suspect moved = suspects->items[i];
        size_t to = i;
        for (; to != 0 && suspects_goes_before(p, &moved, &suspects->items[to - 1]); to--)
            suspects->items[to] = suspects->items[to - 1];
        suspects->items[to] = moved;
    }
}

static enum hf_status suspects_collect(struct suspects_finder *f, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (uint32_t i = 1; i < f->tree->count; i++) {
        if (is_large(f, f->nodes[i].total) && f->nodes[i].large == 0)
            mark_point(f, i);
    }
    for (uint32_t i = 1; status == HF_OK && i < f->tree->count; i++) {
        struct measure *m = &f->nodes[i];
        bool is_below = f->nodes[f->tree->nodes[i].parent].is_covered;
        m->is_covered = is_below || m->is_point;
        if (is_below || f->suspects->count == HF_SUSPECT_LARGE)
            continue;
        if (m->is_point)
            status = add_suspect(f, i, false, err);
        else if (is_large(f, m->total - m->large_sum))
            status = add_suspect(f, i, true, err);
    }
    if (status == HF_OK && f->series != NULL)
        status = follow_all(f, err);
    if (status == HF_OK)
        sort(f->suspects, f->folded);
    for (size_t i = 0; status == HF_OK && i < f->suspects->count; i++)
        status = suspects_describe(f, &f->suspects->items[i], err);
    return status;
}

/* Where the owners are, unless the caller knows. */
static enum hf_status suspects_find_owners(
    struct suspects_finder *f, uint32_t **out_found, struct hf_error *err)
{
    if (f->owners == NULL || f->owner_nodes != NULL)
        return HF_OK;
    *out_found = calloc(f->folded->stacks.count, sizeof **out_found);
    f->owner_nodes = *out_found;
    return *out_found != NULL ? hf_owners_find(f->owners, f->folded, f->type, *out_found, err)
                              : hf_error_memory(err);
}

enum hf_status hf_suspects_find(struct hf_suspects *suspects, const struct hf_profile *folded,
    const struct hf_suspects_options *options, struct hf_error *err)
{
    struct suspects_finder f = {
        .suspects = suspects,
        .folded = folded,
        .type = options->type,
        .by_name = options->by_name,
        .series = options->series,
        .owners = options->owners,
        .owner_nodes = options->owner_nodes,
    };
    uint32_t *found = NULL;
    *suspects = (struct hf_suspects){0};
    enum hf_status status = suspects_find_owners(&f, &found, err);
    if (status == HF_OK)
        status = suspects_measure(&f, err);
    if (status == HF_OK)
        status = suspects_collect(&f, err);
    free(found);
    free(f.nodes);
    free(f.node_of);
    hf_stacktree_done(&f.by_names);
    return status;
}

void hf_suspects_done(struct hf_suspects *suspects)
{
    hf_arena_done(&suspects->arena);
}
