#include "spec/owner_rules.h"

#include "base/containers/vec.h"
#include "spec/embedded.h"
#include "spec/line.h"
#include "spec/pattern.h"

#include <stdlib.h>

static bool owner_add_globs(
    struct hf_owner_rules *rules, struct hf_spec_line *l, struct hf_owner_rule like)
{
    do {
        like.glob = hf_spec_take_text(l);
        if (like.glob.size == 0)
            return hf_spec_expected(l, "a name");
        if (!hf_vec_reserve(
                &rules->items, &rules->capacity, rules->count + 1, sizeof *rules->items)) {
            l->status = hf_error_memory(l->err);
            return false;
        }
        rules->items[rules->count++] = like;
    } while (hf_spec_next_word(l));
    return true;
}

static bool owner_read_line(
    struct hf_owner_rules *rules, struct hf_spec_line *l, struct hf_text *via)
{
    static const char *const firsts[] = {
        "wrapper", "library", "helper", "entry", "init", "reserve", "own", "via"};
    static const char *const subjects[] = {"function", "source", "module"};
    if (!hf_spec_next_word(l))
        return true;
    int first = hf_spec_take_word(l, firsts, HF_COUNT(firsts));
    if (first < 0)
        return hf_spec_expected(l, "own, wrapper, helper, library, entry, init, reserve or via");
    bool has_more = hf_spec_next_word(l);
    if (first > HF_OWNER_OWN) {
        *via = has_more ? hf_spec_take_text(l) : (struct hf_text){NULL, 0};
        return !hf_spec_next_word(l) || hf_spec_expected(l, "the end of the line");
    }
    int subject = hf_spec_take_word(l, subjects, HF_COUNT(subjects));
    if (subject < 0)
        return hf_spec_expected(l, "function, source or module");
    if (!hf_spec_next_word(l))
        return hf_spec_expected(l, "a name, e.g. std::*");
    return owner_add_globs(rules, l,
        (struct hf_owner_rule){.class = (enum hf_owner_class)first,
            .subject = (enum hf_owner_subject)subject,
            .via = *via});
}

enum hf_status hf_owner_rules_parse(
    struct hf_owner_rules *rules, struct hf_text text, const char *name, struct hf_error *err)
{
    struct hf_spec_line l = {.name = name, .err = err};
    struct hf_text via = {NULL, 0};
    bool is_sound = hf_spec_begin(&l, &rules->arena, text);
    while (is_sound && hf_spec_next_line(&l))
        is_sound = owner_read_line(rules, &l, &via);
    return l.status;
}

enum hf_status hf_owner_rules_add_presets(struct hf_owner_rules *rules, struct hf_error *err)
{
#define OWNER_ARRAY(name)                                                                          \
    {"presets/owners/" #name ".rules", hf_owner_preset_##name, &hf_owner_preset_##name##_size},
    static const struct {
        const char *name, *text;
        const size_t *size;
    } files[] = {HF_OWNER_PRESETS(OWNER_ARRAY)};
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < HF_COUNT(files); i++)
        status = hf_owner_rules_parse(
            rules, (struct hf_text){files[i].text, *files[i].size}, files[i].name, err);
    return status;
}

/* What the GLOB of a module is compared with: its path, or the name of its file. */
static struct hf_text owner_part(const struct hf_owner_rule *rule, struct hf_text text)
{
    bool has_folder = hf_text_find(rule->glob, '/') != rule->glob.size;
    return rule->subject == HF_OWNER_MODULE && !has_folder ? hf_text_basename(text) : text;
}

const struct hf_owner_rule *hf_owner_rules_find(
    const struct hf_owner_rules *rules, enum hf_owner_subject subject, struct hf_text text)
{
    for (size_t i = 0; i < rules->count && text.size != 0; i++) {
        const struct hf_owner_rule *rule = &rules->items[i];
        if (rule->subject == subject && hf_glob_matches(rule->glob, owner_part(rule, text)))
            return rule;
    }
    return NULL;
}

void hf_owner_rules_done(struct hf_owner_rules *rules)
{
    free(rules->items);
    hf_arena_done(&rules->arena);
    *rules = (struct hf_owner_rules){0};
}
