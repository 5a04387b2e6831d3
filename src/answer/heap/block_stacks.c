#include "answer/heap/block_stacks.h"

#include "answer/heap/keeper_name.h"
#include "base/containers/map.h"
#include "render/amount.h"

#include <stdlib.h>

#define SIZES_APART 1024u /* larger sizes without a class are of a power of two */
#define DEPTH_MAX 60      /* of containers; what is deeper is in the last one */
#define PERIOD_MAX 4      /* containers that alternate */
#define NOT_YET UINT32_MAX

struct block_frame {
    uint32_t frame;
    bool has_class;
};

struct stacks_maker {
    const struct hf_block_stacks_of *of;
    struct hf_profile *profile;
    uint32_t *node_of;         /* by block: of the tree of stacks; NOT_YET */
    uint32_t *path;            /* blocks whose node is not known yet, the innermost first */
    struct hf_map frames;      /* class (which has 16 bits) << 48 | size -> frame */
    struct hf_map roots;       /* keeper -> node */
    uint64_t *objects, *bytes; /* by node */
};

/* ---- Frames ---- */

static enum hf_status named_frame(
    struct stacks_maker *m, struct hf_text name, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    enum hf_status status = hf_profile_string(m->profile, name, &frame.name, err);
    return status == HF_OK ? hf_profile_frame(m->profile, &frame, out_frame, err) : status;
}

static uint64_t power_of_two_from(uint64_t size)
{
    uint64_t power = SIZES_APART;
    while (power < size && power < UINT64_MAX / 2)
        power *= 2;
    return power;
}

/* "Session 40 B", "blocks of 48 B", "blocks of up to 4,096 B" */
static void put_block_name(struct hf_text class, uint64_t size, struct hf_out *out)
{
    char text[HF_AMOUNT_MAX];
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, false};
    bool is_range = class.size == 0 && size > SIZES_APART;
    hf_out_text(out, class);
    hf_out_string(out, class.size != 0 ? " " : is_range ? "blocks of up to " : "blocks of ");
    hf_out_string(out, hf_amount(style, is_range ? power_of_two_from(size) : size, text));
    hf_out_string(out, " B");
}

static enum hf_status frame_of_block(
    struct stacks_maker *m, uint32_t block, struct block_frame *out_frame, struct hf_error *err)
{
    const struct hf_heap_block *of = &m->of->heap->blocks[block];
    uint32_t class = hf_object_class_find(m->of->classes, of);
    struct hf_text name = hf_object_class_name(m->of->classes, class);
    uint64_t size =
        name.size == 0 && of->bytes > SIZES_APART ? power_of_two_from(of->bytes) : of->bytes;
    uint64_t key = (uint64_t) class << 48 | (size & ((UINT64_C(1) << 48) - 1));
    const uint32_t *known = hf_map_find(&m->frames, key);
    out_frame->has_class = name.size != 0;
    if (known != NULL) {
        out_frame->frame = *known;
        return HF_OK;
    }
    struct hf_out words = {0};
    put_block_name(name, size, &words);
    enum hf_status status = hf_out_finish(&words, err);
    if (status == HF_OK)
        status = named_frame(m, hf_out_view(&words), &out_frame->frame, err);
    if (status == HF_OK && hf_map_put(&m->frames, key, out_frame->frame, NULL) == NULL)
        status = hf_error_memory(err);
    hf_out_done(&words);
    return status;
}

/* ---- Stacks ---- */

static enum hf_status root_of_keeper(
    struct stacks_maker *m, uint32_t keeper, uint32_t *out_node, struct hf_error *err)
{
    const uint32_t *known = hf_map_find(&m->roots, keeper);
    uint32_t frame;
    if (known != NULL) {
        *out_node = *known;
        return HF_OK;
    }
    struct hf_out words = {0};
    hf_keeper_name(m->of->keepers, keeper, HF_TEXT(""), &words);
    enum hf_status status = hf_out_finish(&words, err);
    if (status == HF_OK)
        status = named_frame(m, hf_out_view(&words), &frame, err);
    if (status == HF_OK)
        status = hf_stacktree_child(&m->profile->stacks, HF_STACK_ROOT, frame, out_node, err);
    if (status == HF_OK && hf_map_put(&m->roots, keeper, *out_node, NULL) == NULL)
        status = hf_error_memory(err);
    hf_out_done(&words);
    return status;
}

/* The frame that would repeat what the stack ends with: the same `period` frames once more. */
static bool repeats_sequence(
    const struct hf_stacktree *stacks, uint32_t container, uint32_t frame, int period)
{
    uint32_t before = container;
    for (int i = 1; i < period; i++)
        before = stacks->nodes[before].parent;
    if (stacks->nodes[before].frame != frame)
        return false;
    for (int i = 1; i < period; i++) {
        before = stacks->nodes[before].parent;
        if (before == HF_STACK_ROOT ||
            stacks->nodes[before].frame != stacks->nodes[container].frame)
            return false;
        container = stacks->nodes[container].parent;
    }
    return true;
}

/* The stack that ends with the frame already, with so much that would be repeated; the root: none.
 */
static uint32_t stack_to_repeat(
    const struct hf_stacktree *stacks, uint32_t container, uint32_t frame, bool has_class)
{
    uint32_t at = container;
    for (int period = 1; at != HF_STACK_ROOT; period++, at = stacks->nodes[at].parent) {
        bool is_same = stacks->nodes[at].frame == frame;
        bool is_repeated =
            has_class || period == 1 ||
            (period <= PERIOD_MAX && repeats_sequence(stacks, container, frame, period));
        if (is_same && is_repeated)
            return at;
    }
    return HF_STACK_ROOT;
}

/* The stack of a block in a container. */
static enum hf_status stack_within(struct stacks_maker *m, uint32_t container,
    struct block_frame of, uint32_t *out_node, struct hf_error *err)
{
    struct hf_stacktree *stacks = &m->profile->stacks;
    uint32_t repeated = stack_to_repeat(stacks, container, of.frame, of.has_class);
    int depth = 0;
    for (uint32_t at = container; at != HF_STACK_ROOT; at = stacks->nodes[at].parent)
        depth++;
    *out_node = repeated != HF_STACK_ROOT ? repeated : container;
    return repeated == HF_STACK_ROOT && depth <= DEPTH_MAX
               ? hf_stacktree_child(stacks, container, of.frame, out_node, err)
               : HF_OK;
}

/* The container of a block: false, if there is none but what keeps it. */
static bool container_of(const struct stacks_maker *m, uint32_t block, uint32_t *out_container)
{
    const struct hf_keepers *keepers = m->of->keepers;
    uint32_t ignored;
    if (keepers->items[keepers->of[block]].form < HF_KEEPER_MANY) /* lost blocks have a path, too */
        return hf_keepers_before(keepers, block, out_container, &ignored);
    *out_container = m->of->tree->immediate[block];
    return *out_container != HF_BLOCK_NONE;
}

/* From the block up to one whose stack is known, or to what keeps all of them, and back. */
static enum hf_status find_block_stack(struct stacks_maker *m, uint32_t block, struct hf_error *err)
{
    size_t depth = 0;
    uint32_t at = block, node = 0;
    struct block_frame frame;
    enum hf_status status = HF_OK;
    while (m->node_of[at] == NOT_YET) {
        uint32_t container;
        m->path[depth++] = at;
        if (!container_of(m, at, &container)) {
            status = root_of_keeper(m, m->of->keepers->of[at], &node, err);
            break;
        }
        at = container;
    }
    if (m->node_of[at] != NOT_YET)
        node = m->node_of[at];
    while (depth-- != 0 && status == HF_OK) {
        uint32_t next = m->path[depth];
        status = frame_of_block(m, next, &frame, err);
        if (status == HF_OK)
            status = stack_within(m, node, frame, &node, err);
        m->node_of[next] = node;
    }
    return status;
}

static enum hf_status find_block_stacks(struct stacks_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    size_t count = m->of->heap->count;
    m->node_of = malloc((count + 1) * sizeof *m->node_of);
    m->path = malloc((count + 1) * sizeof *m->path);
    if (m->node_of == NULL || m->path == NULL)
        return hf_error_memory(err);
    memset(m->node_of, 0xff, count * sizeof *m->node_of);
    for (uint32_t i = 0; i < count && status == HF_OK; i++)
        status = find_block_stack(m, i, err);
    return status;
}

static enum hf_status add_block_samples(struct stacks_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    size_t nodes = m->profile->stacks.count;
    m->objects = calloc(nodes + 1, sizeof *m->objects);
    m->bytes = calloc(nodes + 1, sizeof *m->bytes);
    if (m->objects == NULL || m->bytes == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < m->of->heap->count; i++) {
        m->objects[m->node_of[i]]++;
        m->bytes[m->node_of[i]] += m->of->heap->blocks[i].bytes;
    }
    for (uint32_t node = 0; node < nodes && status == HF_OK; node++) {
        const uint64_t values[HF_VALUE_TYPES_MAX] = {
            [HF_INUSE_OBJECTS] = m->objects[node],
            [HF_INUSE_SPACE] = m->bytes[node],
        };
        if (m->objects[node] != 0)
            status = hf_profile_add_sample(m->profile, node, HF_THREAD_ALL, values, err);
    }
    return status;
}

enum hf_status hf_block_stacks_make(
    const struct hf_block_stacks_of *of, struct hf_profile **out_profile, struct hf_error *err)
{
    struct stacks_maker m = {.of = of};
    enum hf_status status = hf_profile_new(&m.profile, err);
    if (status == HF_OK)
        status = hf_profile_add_heap_types(m.profile, err);
    if (status == HF_OK)
        status = find_block_stacks(&m, err);
    if (status == HF_OK)
        status = add_block_samples(&m, err);
    if (status != HF_OK) {
        hf_profile_free(m.profile);
        m.profile = NULL;
    }
    *out_profile = m.profile;
    hf_map_done(&m.frames);
    hf_map_done(&m.roots);
    free(m.node_of);
    free(m.path);
    free(m.objects);
    free(m.bytes);
    return status;
}
