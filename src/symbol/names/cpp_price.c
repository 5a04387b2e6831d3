#include "base/limits.h"
#include "symbol/names/demangle_price.h"

#include <libiberty/demangle.h>
#include <stdlib.h>

#define STEPS_A_BYTE 50   /* to read one */
#define STEPS_A_PART 10   /* to look at one for a pack */
#define HARMLESS_BYTES 64 /* a level takes 6 of them */
#define PARTS_MAX (HF_LIMIT_DEMANGLE_STEPS / STEPS_A_PART)

/* True for "T_I", "T12_I" and the like, of which `at` is the "_": a parameter with arguments. */
static bool is_applied_parameter(struct hf_text name, size_t at)
{
    if (at + 1 >= name.size || name.data[at + 1] != 'I')
        return false;
    while (at != 0) {
        char c = name.data[--at];
        if (c == 'T')
            return true;
        if (c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z'))
            return false;
    }
    return false;
}

/*
 * Where the first conversion begins, "cv" and a type; the name's size if there is none. "cvE" is a
 * function that takes nothing and gives a char.
 */
static size_t find_conversion(struct hf_text name)
{
    size_t at = 0;
    while (at < name.size) {
        at += hf_text_find_string(hf_text_from(name, at), "cv");
        if (at + 2 >= name.size || name.data[at + 2] != 'E')
            break;
        at += 2;
    }
    return at;
}

/* libiberty reads the arguments of each such parameter twice where a type is converted to. */
static uint64_t reading_steps(struct hf_text name)
{
    uint64_t steps = STEPS_A_BYTE * (uint64_t)name.size;
    for (size_t at = find_conversion(name); at < name.size && steps <= HF_LIMIT_DEMANGLE_STEPS;
         at++) {
        if (name.data[at] == '_' && is_applied_parameter(name, at))
            steps *= 2;
    }
    return steps;
}

static bool has_pack(struct hf_text name)
{
    static const char *const marks[] = {"Dp", "sp", "sZ", "sP"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (hf_text_has(name, marks[i]))
            return true;
    }
    return false;
}

/* libiberty's parts of one name: a tree whose branches may be the same ones. */
struct tree {
    const struct demangle_component *parts;
    size_t count;
    uint32_t *sizes; /* by part: of its branches and itself; 0: not known yet */
};

static bool has_left(const struct demangle_component *part)
{
    switch (part->type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
    case DEMANGLE_COMPONENT_CTOR:
    case DEMANGLE_COMPONENT_DTOR:
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR: return false;
    default: return true;
    }
}

/* A constructor's name stands there, too. */
static bool has_right(const struct demangle_component *part)
{
    switch (part->type) {
    case DEMANGLE_COMPONENT_CTOR:
    case DEMANGLE_COMPONENT_DTOR:
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR: return true;
    case DEMANGLE_COMPONENT_FIXED_TYPE:
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG: return false;
    default: return has_left(part);
    }
}

/*
 * Parts below `part` and itself, each counted as often as it is met. What is no part of the list is
 * none: a kind that this does not know may have something else there.
 */
static uint32_t cpp_price_size_of(struct tree *tree, const struct demangle_component *part)
{
    uintptr_t offset = (uintptr_t)part - (uintptr_t)tree->parts;
    size_t at = offset / sizeof *part;
    if (at >= tree->count || offset % sizeof *part != 0)
        return 0;
    if (tree->sizes[at] != 0)
        return tree->sizes[at];
    tree->sizes[at] = PARTS_MAX; /* until it is known: one that holds itself has no end */
    uint64_t sum = 1;
    if (has_left(part))
        sum += cpp_price_size_of(tree, part->u.s_binary.left);
    if (has_right(part))
        sum += cpp_price_size_of(tree, part->u.s_binary.right);
    tree->sizes[at] = sum < PARTS_MAX ? (uint32_t)sum : PARTS_MAX;
    return tree->sizes[at];
}

static uint64_t looking_steps(struct hf_text name)
{
    void *memory = NULL;
    struct tree tree = {.count = 2 * name.size};
    const struct demangle_component *root =
        cplus_demangle_v3_components(name.data, DMGL_ANSI | DMGL_PARAMS, &memory);
    tree.parts = memory;
    tree.sizes = calloc(tree.count, sizeof *tree.sizes);
    uint64_t size = PARTS_MAX;
    if (root == NULL)
        size = 0; /* it is none: libiberty finds that out as quickly */
    else if (tree.sizes != NULL)
        size = cpp_price_size_of(&tree, root);
    free(tree.sizes);
    free(memory);
    return STEPS_A_PART * size;
}

uint64_t hf_price_of_cpp(struct hf_text name)
{
    uint64_t steps = reading_steps(name);
    if (steps <= HF_LIMIT_DEMANGLE_STEPS && name.size > HARMLESS_BYTES && has_pack(name))
        steps += looking_steps(name);
    return steps < HF_LIMIT_DEMANGLE_STEPS - STEPS_A_PART ? steps : HF_PRICE_TOO_MUCH;
}
