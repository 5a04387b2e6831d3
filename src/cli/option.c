#include "cli/option.h"

#include "base/strings/nearest_name.h"
#include "base/strings/num.h"
#include "base/strings/units.h"

#include <string.h>
#include <strings.h>

const struct hf_option hf_options_that_yield[] = {{0}};
const struct hf_option hf_options_like_getopt[] = {{0}};
const struct hf_option hf_options_end_at_operand[] = {{0}};
const struct hf_option hf_options_undone_by_no[] = {{0}};

struct parser {
    const struct hf_option_group *groups;
    char *options;
    int argc, at;
    char **argv;
    struct hf_error *err;
    bool is_undoing; /* after "no": of options that take no value */
};

static bool takes_value(const struct hf_option *option)
{
    return option->kind != HF_OPTION_FLAG && option->kind != HF_OPTION_VALUE &&
           option->kind != HF_OPTION_NAME && option->kind != HF_OPTION_MAYBE;
}

/* `options`: of a group that says something of the whole table. */
static bool has_group(const struct parser *p, const struct hf_option *options)
{
    const struct hf_option_group *g = p->groups;
    while (g->options != NULL && g->options != options)
        g++;
    return g->options != NULL;
}

static const struct hf_option *find_short(const struct parser *p, char name)
{
    for (const struct hf_option_group *g = p->groups; g->options != NULL; g++) {
        for (const struct hf_option *o = g->options; o->name != NULL; o++) {
            if (o->short_name == name)
                return o;
        }
    }
    return NULL;
}

/* The option called `name`, or the only one that begins so. Two that do the same are no clash. */
static const struct hf_option *find_named(const struct parser *p, struct hf_text name,
    int (*compare)(const char *a, const char *b, size_t size), const struct hf_option **out_clash)
{
    const struct hf_option *found = NULL;
    bool is_taken = false;
    *out_clash = NULL;
    for (const struct hf_option_group *g = p->groups; g->options != NULL; g++) {
        is_taken = is_taken || (g->options == hf_options_that_yield && found != NULL);
        for (const struct hf_option *o = g->options; o->name != NULL; o++) {
            struct hf_text known = hf_text_of(o->name);
            if (name.size == 0 || known.size < name.size ||
                compare(known.data, name.data, name.size) != 0)
                continue;
            if (p->is_undoing && takes_value(o))
                continue;
            if (known.size == name.size) {
                *out_clash = NULL;
                return o;
            }
            if (is_taken)
                continue;
            bool is_same = found != NULL && found->offset == o->offset && found->kind == o->kind &&
                           found->value == o->value && o->kind != HF_OPTION_NAME;
            if (found != NULL && !is_same)
                *out_clash = found;
            found = o;
        }
    }
    return found;
}

/* As it is written, or else in any case, as people type Perl's. */
static const struct hf_option *find_long(
    const struct parser *p, struct hf_text name, const struct hf_option **out_clash)
{
    const struct hf_option *found = find_named(p, name, strncmp, out_clash);
    return found != NULL ? found : find_named(p, name, strncasecmp, out_clash);
}

/* The option that "nolines" or "no-lines" undoes; NULL if this is none, or the table has none. */
static const struct hf_option *find_undone(
    struct parser *p, struct hf_text name, const struct hf_option **out_clash)
{
    if (!has_group(p, hf_options_undone_by_no) || name.size < 2 ||
        strncasecmp(name.data, "no", 2) != 0)
        return NULL;
    p->is_undoing = true;
    name = hf_text_from(name, 2);
    return find_long(p, hf_text_from(name, hf_text_starts(name, "-") ? 1 : 0), out_clash);
}

static const char *nearest(const struct parser *p, struct hf_text name)
{
    const char *best = NULL;
    unsigned best_distance = HF_NAME_NEAR + 1;
    for (const struct hf_option_group *g = p->groups; g->options != NULL; g++) {
        for (const struct hf_option *o = g->options; o->name != NULL; o++) {
            unsigned d = hf_name_distance(name, hf_text_of(o->name));
            if (d < best_distance) {
                best = o->name;
                best_distance = d;
            }
        }
    }
    return best;
}

static enum hf_status unknown(const struct parser *p, struct hf_text name)
{
    const char *near = nearest(p, name);
    return hf_error_set(p->err, HF_ERR_USAGE, "unknown option '%s'%s%s%s (see --help)",
        p->argv[p->at], near != NULL ? "; did you mean --" : "", near != NULL ? near : "",
        near != NULL ? "?" : "");
}

static enum hf_status store_time(
    const struct parser *p, const struct hf_option *option, const char *value, uint64_t *out_ns)
{
    bool is_time = hf_units_parse_time(hf_text_of(value), out_ns);
    if (is_time && (option->kind == HF_OPTION_TIME || *out_ns >= 1000000))
        return HF_OK;
    return hf_error_set(p->err, HF_ERR_USAGE, "--%s: expected %s, e.g. '30s' or '5m', found '%s'",
        option->name, is_time ? "a millisecond or more" : "a time", value);
}

static enum hf_status store(
    const struct parser *p, const struct hf_option *option, const char *value)
{
    char *place = p->options + option->offset;
    switch (option->kind) {
    case HF_OPTION_FLAG:
    case HF_OPTION_NAME:
    case HF_OPTION_MAYBE:
    case HF_OPTION_VALUE: break; /* see set */
    case HF_OPTION_TEXT:
    case HF_OPTION_OUTPUT: *(const char **)(void *)place = value; return HF_OK;
    case HF_OPTION_LIST: {
        struct hf_name_list *list = (struct hf_name_list *)(void *)place;
        if (list->count == HF_NAME_LIST_MAX)
            return hf_error_set(p->err, HF_ERR_USAGE, "--%s is given more than %d times",
                option->name, HF_NAME_LIST_MAX);
        list->items[list->count++] = value;
        return HF_OK;
    }
    case HF_OPTION_COUNT:
        if (!hf_num_u64(hf_text_of(value), (uint64_t *)(void *)place))
            return hf_error_set(p->err, HF_ERR_USAGE, "--%s: expected a whole number, found '%s'",
                option->name, value);
        return HF_OK;
    case HF_OPTION_REAL:
        if (!hf_num_real(hf_text_of(value), (double *)(void *)place))
            return hf_error_set(
                p->err, HF_ERR_USAGE, "--%s: expected a number, found '%s'", option->name, value);
        return HF_OK;
    case HF_OPTION_BYTES: {
        struct hf_text text = hf_text_of(value);
        uint64_t *bytes = (uint64_t *)(void *)place;
        (void)hf_text_take(&text, "+");
        if (!hf_units_parse_bytes(text, bytes) || *bytes == 0)
            return hf_error_set(p->err, HF_ERR_USAGE,
                "--%s: expected bytes, e.g. '64MiB', found '%s'", option->name, value);
        return HF_OK;
    }
    case HF_OPTION_TIME:
    case HF_OPTION_WAIT: return store_time(p, option, value, (uint64_t *)(void *)place);
    }
    return HF_OK;
}

/* Of several names that choose one of a set, undoing one that is not chosen changes nothing. */
static void undo(const struct parser *p, const struct hf_option *option)
{
    char *place = p->options + option->offset;
    if (option->kind == HF_OPTION_FLAG) {
        *(bool *)place = false;
    } else if (option->kind == HF_OPTION_VALUE) {
        int *value = (int *)(void *)place;
        *value = *value == option->value ? 0 : *value;
    } else {
        const char **text = (const char **)(void *)place;
        bool is_chosen = *text != NULL && strcmp(*text, option->name) == 0;
        if (is_chosen || option->kind == HF_OPTION_MAYBE)
            *text = NULL;
    }
}

static void option_set(const struct parser *p, const struct hf_option *option, const char *value)
{
    char *place = p->options + option->offset;
    if (p->is_undoing)
        undo(p, option);
    else if (option->kind == HF_OPTION_FLAG)
        *(bool *)place = true;
    else if (option->kind == HF_OPTION_MAYBE)
        *(const char **)(void *)place = value != NULL ? value : "";
    else if (option->kind == HF_OPTION_NAME)
        *(const char **)(void *)place = option->name;
    else
        *(int *)(void *)place = option->value;
}

/* `inline_value`: what followed '=' or a short option; NULL if there was nothing. */
static enum hf_status option_apply(
    struct parser *p, const struct hf_option *option, const char *inline_value)
{
    if (!takes_value(option)) {
        if (inline_value != NULL && option->kind != HF_OPTION_MAYBE)
            return hf_error_set(p->err, HF_ERR_USAGE, "--%s takes no value, found '%s'",
                option->name, inline_value);
        option_set(p, option, inline_value);
        return HF_OK;
    }
    if (inline_value == NULL) {
        if (p->at + 1 == p->argc)
            return hf_error_set(p->err, HF_ERR_USAGE, "--%s needs a value: --%s %s", option->name,
                option->name, option->value_name);
        inline_value = p->argv[++p->at];
    }
    return store(p, option, inline_value);
}

static enum hf_status parse_long(struct parser *p, const char *argument)
{
    struct hf_text whole = hf_text_of(argument);
    struct hf_text name = hf_text_first(whole, hf_text_find(whole, '='));
    const char *value = name.size < whole.size ? argument + name.size + 1 : NULL;
    const struct hf_option *clash;
    const struct hf_option *option = find_long(p, name, &clash);
    if (option == NULL)
        option = find_undone(p, name, &clash);
    if (option == NULL)
        return unknown(p, name);
    if (clash != NULL)
        return hf_error_set(p->err, HF_ERR_USAGE, "option '%s' is ambiguous: --%s, --%s",
            p->argv[p->at], option->name, clash->name);
    return option_apply(p, option, value);
}

/* "-ns": several short names that take no value. */
static bool is_bundle(const struct parser *p, struct hf_text names)
{
    for (size_t i = 0; i < names.size; i++) {
        const struct hf_option *option = find_short(p, names.data[i]);
        if (option == NULL || takes_value(option))
            return false;
    }
    return names.size > 1;
}

/* "-fieFILE", "-fie FILE": the first that takes a value takes the rest. */
static enum hf_status parse_like_getopt(struct parser *p, const char *names)
{
    for (; *names != '\0'; names++) {
        const struct hf_option *option = find_short(p, *names);
        if (option == NULL)
            return unknown(p, hf_text_of(names));
        if (takes_value(option))
            return option_apply(p, option, names[1] != '\0' ? names + 1 : NULL);
        option_set(p, option, NULL);
    }
    return HF_OK;
}

static enum hf_status parse_option(struct parser *p)
{
    const char *argument = p->argv[p->at];
    p->is_undoing = false;
    if (argument[1] == '-')
        return parse_long(p, argument + 2);
    if (has_group(p, hf_options_like_getopt))
        return parse_like_getopt(p, argument + 1);
    /* "-edgefraction=0" is jeprof's long option, not -e with the value "dgefraction=0". */
    struct hf_text name = hf_text_of(argument + 1);
    const struct hf_option *clash;
    if (name.size > 1 && find_long(p, hf_text_first(name, hf_text_find(name, '=')), &clash) != NULL)
        return parse_long(p, argument + 1);
    if (is_bundle(p, name)) {
        for (size_t i = 0; i < name.size; i++)
            option_set(p, find_short(p, name.data[i]), NULL);
        return HF_OK;
    }
    const struct hf_option *option = find_short(p, argument[1]);
    if (option != NULL && (name.size == 1 || takes_value(option)))
        return option_apply(p, option, name.size > 1 ? argument + 2 : NULL);
    return parse_long(p, argument + 1);
}

enum hf_status hf_options_parse(const struct hf_option_group *groups, void *options, int argc,
    char **argv, struct hf_operands *operands, struct hf_error *err)
{
    struct parser p = {
        .groups = groups, .options = options, .argc = argc, .argv = argv, .err = err};
    bool only_operands = false;
    for (p.at = 1; p.at < argc; p.at++) {
        const char *argument = argv[p.at];
        if (!only_operands && strcmp(argument, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && argument[0] == '-' && argument[1] != '\0') {
            enum hf_status status = parse_option(&p);
            if (status != HF_OK)
                return status;
        } else {
            operands->items[operands->count++] = argument;
            only_operands = only_operands || has_group(&p, hf_options_end_at_operand);
        }
    }
    return HF_OK;
}
