#include "dwarf/call_types.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/constants.h"

#include <stdlib.h>

#define WAY_MAX HF_LIMIT_ORIGIN_DEPTH
#define CLASSES_MAX 64 /* that are looked at in a walk */

/* What walks may cost, in links: so many, and for each entry and link. */
#define STEPS 100000u
#define STEPS_RATIO 8u

void hf_call_types_done(struct hf_call_types *types)
{
    hf_map_done(&types->index);
    hf_map_done(&types->generic);
    hf_map_done(&types->lasting);
    hf_map_done(&types->definitions);
    hf_map_done(&types->parts);
    hf_budget_put_back(types->entry_capacity * sizeof *types->entries +
                       types->link_capacity * sizeof *types->links);
    free(types->entries);
    free(types->links);
    *types = (struct hf_call_types){0};
}

bool hf_call_types_add(struct hf_call_types *types, const struct hf_call_entry *entry)
{
    if (!hf_vec_reserve(&types->entries, &types->entry_capacity, types->entry_count + 1,
            sizeof *types->entries) ||
        hf_map_put(&types->index, entry->offset, (uint32_t)types->entry_count, NULL) == NULL)
        return false;
    types->entries[types->entry_count++] = *entry;
    return true;
}

bool hf_call_types_link(struct hf_call_types *types, uint64_t from, uint64_t to)
{
    if (from == 0 || to == 0)
        return true;
    if (!hf_vec_reserve(
            &types->links, &types->link_capacity, types->link_count + 1, sizeof *types->links))
        return false;
    types->links[types->link_count++] = (struct hf_call_link){from, to};
    return true;
}

static int compare_links(const void *a, const void *b)
{
    const struct hf_call_link *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Which generic classes the program uses for several types. */
static bool count_instances(struct hf_call_types *types)
{
    for (size_t i = 0; i < types->entry_count; i++) {
        const struct hf_call_entry *entry = &types->entries[i];
        if (!entry->is_generic || entry->is_library || !hf_call_tag_is_class(entry->tag))
            continue;
        uint32_t instance = (uint32_t)entry->instance | 1;
        uint32_t *known = hf_map_put(&types->generic, entry->class, instance, NULL);
        if (known == NULL)
            return false;
        if (*known != instance)
            *known = 0;
    }
    return true;
}

bool hf_call_types_finish(struct hf_call_types *types)
{
    if (types->link_count != 0)
        qsort(types->links, types->link_count, sizeof *types->links, compare_links);
    types->steps_left = STEPS + STEPS_RATIO * (uint64_t)(types->entry_count + types->link_count);
    return count_instances(types);
}

struct hf_call_entry *hf_call_types_at(const struct hf_call_types *types, uint64_t offset)
{
    const uint32_t *at = offset != 0 ? hf_map_find(&types->index, offset) : NULL;
    return at != NULL ? &types->entries[*at] : NULL;
}

bool hf_call_tag_is_class(uint16_t tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool is_number_tag(uint16_t tag)
{
    return tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type;
}

static bool is_pointer_tag(uint16_t tag)
{
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type;
}

bool hf_call_tag_is_type(uint16_t tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type || tag == DW_TAG_array_type ||
           is_number_tag(tag) || is_pointer_tag(tag);
}

/* Where the way of a type ends, and whether that is a pointer or a reference to it. */
struct call_type {
    const struct hf_call_entry *end; /* a class or a number; NULL: another type, or none */
    unsigned pointers;               /* how many there are on the way */
    bool is_pointer, is_reference, is_any;
    bool is_array;
    bool is_view; /* of what is const behind a pointer */
};

/* `through_arrays`: to what their elements are; else an array is an object. */
static struct call_type call_type_at(
    const struct hf_call_types *types, uint64_t offset, bool through_arrays)
{
    struct call_type type = {0};
    for (unsigned step = 0; step < WAY_MAX && offset != 0; step++) {
        const struct hf_call_entry *entry = hf_call_types_at(types, offset);
        bool is_array = entry != NULL && entry->tag == DW_TAG_array_type;
        type.is_any = entry == NULL || hf_call_tag_is_class(entry->tag) ||
                      is_number_tag(entry->tag) || (is_array && !through_arrays);
        type.is_view |=
            entry != NULL && (entry->is_view || (entry->tag == DW_TAG_const_type &&
                                                    (type.is_pointer || type.is_reference)));
        type.end = type.is_any ? entry : NULL;
        if (type.is_any)
            break;
        type.is_pointer |= entry->tag == DW_TAG_pointer_type;
        type.pointers += entry->tag == DW_TAG_pointer_type;
        type.is_reference |= entry->tag == DW_TAG_reference_type;
        offset = entry->way;
    }
    return type;
}

static bool call_is_object(const struct call_type *type)
{
    return type->end != NULL && hf_call_tag_is_class(type->end->tag);
}

/* All copies of one class, which each unit has. */
static bool is_same_class(const struct hf_call_entry *a, const struct hf_call_entry *b)
{
    return a == b || (!a->is_generic && !b->is_generic && a->class == b->class && a->class != 0 &&
                         a->name.size != 0 && b->name.size != 0);
}

static size_t first_link(const struct hf_call_types *types, uint64_t from)
{
    return HF_FIRST_FROM(types->links, types->link_count, from, from);
}

/* The classes that an object leads to: those behind pointers are not gone through. */
struct class_walk {
    const struct hf_call_entry *found[CLASSES_MAX];
    size_t count;
};

static bool walk_has(const struct class_walk *walk, const struct hf_call_entry *entry)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->found[i] == entry)
            return true;
    return false;
}

/* Classes that were reached, to go on from. */
struct class_list {
    uint64_t *items; /* offsets */
    size_t count, capacity;
    struct hf_map seen;
};

/* What a walk looks for. */
struct class_search {
    const struct hf_call_entry *class; /* an object of it; NULL: not that */
    bool pointer;                      /* a pointer, to anything */
    bool owner;                        /* a pointer to what may be changed by it */
    bool cell;                         /* Rust's, whose value changes though it is only looked at */
};

static bool is_found(const struct class_search *search, const struct call_type *type)
{
    if ((search->pointer || (search->owner && !type->is_view)) &&
        (type->is_pointer || type->is_reference))
        return true;
    if (!call_is_object(type))
        return false;
    return (search->class != NULL && is_same_class(type->end, search->class)) ||
           (search->cell && hf_text_is(type->end->name, "UnsafeCell"));
}

/* True if an object of `holder` can lead to what is looked for. */
static bool class_holds(struct hf_call_types *types, const struct hf_call_entry *holder,
    const struct class_search *search)
{
    const bool is_unknown = search->owner; /* what is not known may be one */
    struct class_walk walk = {{holder}, 1};
    for (size_t at = 0; at < walk.count; at++) {
        uint64_t from = walk.found[at]->offset;
        for (size_t i = first_link(types, from);
             i < types->link_count && types->links[i].from == from; i++) {
            struct call_type type = call_type_at(types, types->links[i].to, true);
            if (types->steps_left == 0)
                return is_unknown;
            types->steps_left--;
            if (is_found(search, &type))
                return true;
            if (search->owner && type.is_view)
                continue;
            if (search->owner && (type.end == NULL || type.end->is_declaration))
                return true;
            if (call_is_object(&type) && !type.is_pointer && !type.is_reference &&
                walk.count < CLASSES_MAX && !walk_has(&walk, type.end))
                walk.found[walk.count++] = type.end;
        }
    }
    return is_unknown && walk.count == CLASSES_MAX;
}

/* A string that is given to be written to. */
static bool is_text(const struct hf_call_entry *class)
{
    return class->is_library &&
           (hf_text_is(class->name, "basic_string") || hf_text_is(class->name, "String"));
}

/* An object that only looks at what others have, as a parser does at its text: it keeps nothing. */
static bool is_looker(struct hf_call_types *types, const struct hf_call_entry *class)
{
    size_t first = first_link(types, class->offset);
    bool has_members = first < types->link_count && types->links[first].from == class->offset;
    return has_members && !class->is_declaration && !class->is_library &&
           !class_holds(types, class, &(struct class_search){.owner = true});
}

/* A class or a number, in whatever unit. */
static uint64_t type_key(const struct hf_call_entry *end)
{
    if (hf_call_tag_is_class(end->tag))
        return end->name.size != 0 && end->class != 0 ? end->class : end->offset;
    return hf_hash_bytes(end->name.data, end->name.size);
}

/* False if a variable of that type, or a member, cannot be given anything. */
static bool is_assignable(const struct hf_call_types *types, uint64_t offset)
{
    for (unsigned step = 0; step < WAY_MAX && offset != 0; step++) {
        const struct hf_call_entry *entry = hf_call_types_at(types, offset);
        if (entry == NULL || entry->tag == DW_TAG_const_type)
            return entry == NULL;
        if (is_pointer_tag(entry->tag) || hf_call_tag_is_class(entry->tag) ||
            is_number_tag(entry->tag))
            return true;
        offset = entry->way;
    }
    return true;
}

/* The class that is defined, of those that one name declares; NULL: it is nowhere. */
static const struct hf_call_entry *definition_of(
    const struct hf_call_types *types, const struct hf_call_entry *class)
{
    const uint32_t *at = hf_map_find(&types->definitions, type_key(class));
    return !class->is_declaration ? class : at != NULL ? &types->entries[*at] : NULL;
}

/* An object of it lasts: so does what its members lead to, the first time. */
static bool lasting_add_class(
    struct hf_call_types *types, const struct hf_call_entry *class, struct class_list *classes)
{
    bool is_new;
    const struct hf_call_entry *definition = definition_of(types, class);
    if (definition == NULL) {
        types->may_all_last = true; /* a library's container, say */
        return true;
    }
    if (hf_map_put(&classes->seen, type_key(definition), 0, &is_new) == NULL)
        return false;
    if (!is_new)
        return true;
    if (!hf_vec_reserve(
            &classes->items, &classes->capacity, classes->count + 1, sizeof *classes->items))
        return false;
    classes->items[classes->count++] = definition->offset;
    return true;
}

/* What the members of `from` lead to lasts; a pointer to nothing known ("void *") leads to all. */
static bool lasting_add(struct hf_call_types *types, uint64_t from, struct class_list *classes)
{
    for (size_t i = first_link(types, from); i < types->link_count && types->links[i].from == from;
         i++) {
        struct call_type type = call_type_at(types, types->links[i].to, true);
        if (types->steps_left == 0)
            return false;
        types->steps_left--;
        if (!is_assignable(types, types->links[i].to))
            continue;
        types->may_all_last |= type.is_pointer && type.end == NULL && !type.is_any;
        if (type.end != NULL && type.is_pointer &&
            hf_map_put(&types->lasting, type_key(type.end), 0, NULL) == NULL)
            return false;
        if (call_is_object(&type) && !lasting_add_class(types, type.end, classes))
            return false;
    }
    return true;
}

/* Whatever the variables of the program that last can lead to, by any way. */
static void lasting_find(struct hf_call_types *types)
{
    struct class_list classes = {0};
    bool is_whole = true;
    types->is_lasting_known = true;
    for (size_t i = 0; is_whole && i < types->entry_count; i++) {
        const struct hf_call_entry *entry = &types->entries[i];
        if (hf_call_tag_is_class(entry->tag) && !entry->is_declaration)
            is_whole = hf_map_put(&types->definitions, type_key(entry), (uint32_t)i, NULL) != NULL;
    }
    is_whole = is_whole && lasting_add(types, HF_CALL_VARIABLES, &classes);
    for (size_t at = 0; is_whole && at < classes.count; at++)
        is_whole = lasting_add(types, classes.items[at], &classes);
    types->may_all_last |= !is_whole;
    hf_map_done(&classes.seen);
    hf_budget_put_back(classes.capacity * sizeof *classes.items);
    free(classes.items);
}

/* A pointer to it may stay in a variable. */
static bool may_last(struct hf_call_types *types, const struct hf_call_entry *end)
{
    if (!types->is_lasting_known)
        lasting_find(types);
    return types->may_all_last || hf_map_find(&types->lasting, type_key(end)) != NULL;
}

static bool is_of_c(const struct hf_call_entry *origin)
{
    return origin->scope == 0 && origin->linkage.size == 0;
}

/* A function of C returns what no variable that lasts could keep. */
static bool hands_pointer_on(struct hf_call_types *types, const struct hf_call_entry *origin,
    const struct call_type *returned)
{
    return is_of_c(origin) && returned->is_pointer && !returned->is_view && returned->end != NULL &&
           !may_last(types, returned->end);
}

/* One pointer to numbers: text, bytes, or how many there are of them. */
static bool is_bytes(const struct call_type *type)
{
    return type->pointers == 1 && !type->is_view && !type->is_array && type->end != NULL &&
           is_number_tag(type->end->tag);
}

static bool is_void_pointer(const struct call_type *type)
{
    return type->pointers == 1 && !type->is_view && type->end == NULL && !type->is_any;
}

/*
 * What it allocates can stay nowhere but in what it returns, an object, not a pointer to one, or in
 * a string: it may change nothing else that it is given. In C, what it returns is that, too, if
 * these are bytes (char *encode(const struct device *, size_t *size)), or something to which no
 * variable that lasts can lead.
 */
static bool makes_only(struct hf_call_types *types, const struct hf_call_entry *entry,
    const struct hf_call_entry *origin, const struct call_type *returned)
{
    const struct class_search pointer = {.pointer = true}, cell = {.cell = true};
    bool makes = call_is_object(returned) && !returned->is_pointer && !returned->is_reference &&
                 class_holds(types, returned->end, &pointer);
    const bool makes_bytes = is_of_c(origin) && (is_bytes(returned) || is_void_pointer(returned));
    makes |= (makes_bytes && is_bytes(returned)) || hands_pointer_on(types, origin, returned);
    for (size_t i = first_link(types, entry->offset);
         i < types->link_count && types->links[i].from == entry->offset; i++) {
        struct call_type taken = call_type_at(types, types->links[i].to, false);
        bool is_object_taken = call_is_object(&taken);
        bool is_changed = ((taken.is_pointer || taken.is_reference) && !taken.is_view) ||
                          (is_object_taken && taken.end->is_changed);
        bool is_filled = is_changed && is_object_taken && is_text(taken.end);
        bool is_place = is_object_taken && taken.pointers + taken.is_reference <= 1;
        bool is_size = makes_bytes && is_changed && is_bytes(&taken); /* of "void *", in bytes */
        if (is_changed && !is_filled && !is_size && (!is_place || !is_looker(types, taken.end)))
            return false;
        if (is_object_taken && !is_changed && class_holds(types, taken.end, &cell))
            return false;
        makes |= is_filled || is_size;
    }
    return makes;
}

/* A growing array of numbers, as C has it: a pointer to them, how many there are and have room. */
static bool is_number_array(const struct hf_call_types *types, const struct hf_call_entry *class)
{
    unsigned arrays = 0, numbers = 0;
    for (size_t i = first_link(types, class->offset);
         i < types->link_count && types->links[i].from == class->offset; i++) {
        struct call_type type = call_type_at(types, types->links[i].to, false);
        if (type.end == NULL || !is_number_tag(type.end->tag) || type.pointers > 1)
            return false;
        *(type.is_pointer ? &arrays : &numbers) += 1;
    }
    return arrays == 1 && numbers >= 1 && numbers <= 3;
}

/* Of which classes others have members, not pointers to them. What does not fit is not known. */
static void parts_find(struct hf_call_types *types)
{
    types->are_parts_known = true;
    for (size_t i = 0; i < types->link_count && types->steps_left != 0; i++, types->steps_left--) {
        const struct hf_call_entry *holder = hf_call_types_at(types, types->links[i].from);
        struct call_type type = call_type_at(types, types->links[i].to, true);
        if (holder == NULL || !hf_call_tag_is_class(holder->tag) || !call_is_object(&type) ||
            type.is_pointer || type.is_reference)
            continue;
        bool is_new; /* one without a name is told by its line: each unit has an entry of it */
        uint64_t key = holder->name.size != 0 ? type_key(holder) : holder->line;
        uint32_t print = (uint32_t)key | 1;
        uint32_t *known = hf_map_put(&types->parts, type_key(type.end), print, &is_new);
        if (known == NULL)
            return;
        if (!is_new && *known != print)
            *known = 0;
    }
}

/* Several classes have such an object in them: a list of attributes, which jobs and printers have.
 */
static bool is_shared_part(struct hf_call_types *types, const struct hf_call_entry *class)
{
    if (!types->are_parts_known)
        parts_find(types);
    const uint32_t *known = hf_map_find(&types->parts, type_key(class));
    return known != NULL && *known == 0;
}

/* True if an array of Fortran is given that may be allocated here. */
static bool fills_array(const struct hf_call_types *types, const struct hf_call_entry *entry)
{
    for (size_t i = first_link(types, entry->offset);
         i < types->link_count && types->links[i].from == entry->offset; i++) {
        struct call_type taken = call_type_at(types, types->links[i].to, false);
        if (taken.end != NULL && taken.end->is_allocatable)
            return true;
    }
    return false;
}

/* A container of the program's own, which it uses for several types. */
static bool has_instances(const struct hf_call_types *types, const struct hf_call_entry *class)
{
    const uint32_t *known = hf_map_find(&types->generic, class->class);
    return known != NULL && *known == 0;
}

static bool call_is_of_class(const struct call_type *type, uint64_t class)
{
    return class != 0 && type->end != NULL && type->end->class == class;
}

/* What it returns may stay with what it is given: a problem in the context's list of them. */
static bool may_keep(struct hf_call_types *types, const struct hf_call_entry *entry,
    const struct call_type *returned)
{
    const struct hf_call_entry *made = returned->end;
    if (!call_is_object(returned) || made->is_library)
        return false;
    for (size_t i = first_link(types, entry->offset);
         i < types->link_count && types->links[i].from == entry->offset; i++) {
        struct call_type taken = call_type_at(types, types->links[i].to, false);
        if ((taken.is_pointer || taken.is_reference) && !taken.is_view && call_is_object(&taken) &&
            !is_same_class(taken.end, made) &&
            class_holds(types, taken.end, &(struct class_search){.class = made}))
            return true;
    }
    return false;
}

/* "&mut Self" of Rust, or "Builder &" of C++, from a method: a call to go on with. */
static bool returns_the_same(const struct hf_call_types *types, const struct hf_call_entry *origin,
    const struct call_type *returned)
{
    const struct hf_call_entry *taken = hf_call_types_at(types, origin->taken);
    if (returned->is_reference && !returned->is_pointer)
        return call_is_of_class(returned, origin->class);
    return origin->type == origin->taken && taken != NULL && taken->is_changed;
}

/* Types that are not in the index are objects. What is passed through a builder is not made. */
void hf_call_types_judge(struct hf_call_types *types, const struct hf_call_entry *entry,
    const struct hf_call_entry *origin, struct hf_called_function *function)
{
    struct call_type returned = call_type_at(types, origin->type, false);
    struct call_type taken = call_type_at(types, origin->taken, false);
    bool is_number = returned.end != NULL && is_number_tag(returned.end->tag);
    function->may_keep |= may_keep(types, entry, &returned);
    function->fills_array |= fills_array(types, entry);
    function->changes_more |= !makes_only(types, entry, origin, &returned);
    if (function->is_judged)
        return;
    function->is_judged = true;
    function->returns_value =
        (returned.is_pointer || returned.is_reference || (returned.is_any && !is_number)) &&
        !returns_the_same(types, origin, &returned);
    function->returns_view = returned.is_view;
    function->fills_generic = (taken.is_pointer || taken.is_reference) && !taken.is_view &&
                              call_is_object(&taken) && taken.end->is_generic;
    function->fills_several = function->fills_generic && has_instances(types, taken.end);
    function->fills_part = taken.is_pointer && !taken.is_view && call_is_object(&taken) &&
                           is_of_c(origin) &&
                           (is_number_array(types, taken.end) || is_shared_part(types, taken.end));
    function->returns_itself =
        call_is_of_class(&returned, origin->class) && !returned.is_pointer &&
        !returned.is_reference &&
        (taken.is_pointer || taken.is_reference || !call_is_of_class(&taken, origin->class));
}
