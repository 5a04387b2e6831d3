#include "spec/owner_rules.h"

#include "base/containers/vec.h"
#include "spec/embedded.h"
#include "spec/line.h"
#include "spec/pattern.h"

#include <stdlib.h>

/*
 * There are hundreds of rules, and each begins or ends with a byte that few names begin or end
 * with. So the rules of a subject are in chains: by their first byte; if that is a "*" or "?", by
 * their last; if that is one, too, in one that every name is compared with.
 */
#define OWNER_CHAINS (2 * 256 + 1)
#define OWNER_CHAIN_ANY (2 * 256)
#define OWNER_SUBJECTS (HF_OWNER_MODULE + 1)

static size_t owner_first_byte(struct hf_text text)
{
    return (unsigned char)text.data[0];
}

static size_t owner_last_byte(struct hf_text text)
{
    return 256 + (size_t)(unsigned char)text.data[text.size - 1];
}

static bool is_wild(char c)
{
    return c == '*' || c == '?';
}

/* Of a module either the path or the name of the file is compared, so no byte is certain. */
static size_t owner_chain_of(const struct hf_owner_rule *rule)
{
    if (rule->subject == HF_OWNER_MODULE)
        return OWNER_CHAIN_ANY;
    if (!is_wild(rule->glob.data[0]))
        return owner_first_byte(rule->glob);
    return is_wild(rule->glob.data[rule->glob.size - 1]) ? OWNER_CHAIN_ANY
                                                         : owner_last_byte(rule->glob);
}

static struct hf_owner_chain *owner_chain_at(
    const struct hf_owner_rules *rules, enum hf_owner_subject subject, size_t chain)
{
    return &rules->chains[(size_t)subject * OWNER_CHAINS + chain];
}

/* Adds a rule, which is the last of its chain. */
static bool owner_add_rule(struct hf_owner_rules *rules, struct hf_owner_rule rule)
{
    if (rules->chains == NULL)
        rules->chains = calloc(OWNER_SUBJECTS * OWNER_CHAINS, sizeof *rules->chains);
    if (rules->chains == NULL ||
        !hf_vec_reserve(&rules->items, &rules->capacity, rules->count + 1, sizeof *rules->items))
        return false;
    struct hf_owner_chain *chain = owner_chain_at(rules, rule.subject, owner_chain_of(&rule));
    rules->items[rules->count++] = rule;
    if (chain->last != 0)
        rules->items[chain->last - 1].next = (uint32_t)rules->count;
    else
        chain->first = (uint32_t)rules->count;
    chain->last = (uint32_t)rules->count;
    return true;
}

static bool owner_add_globs(
    struct hf_owner_rules *rules, struct hf_spec_line *l, struct hf_owner_rule like)
{
    do {
        like.glob = hf_spec_take_text(l);
        if (like.glob.size == 0)
            return hf_spec_expected(l, "a name");
        if (!owner_add_rule(rules, like)) {
            l->status = hf_error_memory(l->err);
            return false;
        }
    } while (hf_spec_next_word(l));
    return true;
}

/* All that is left of the line: "[heap of V8]". */
static struct hf_text owner_take_rest(struct hf_spec_line *l)
{
    struct hf_text text = hf_spec_take_text(l);
    while (hf_spec_next_word(l)) {
        struct hf_text word = hf_spec_take_text(l);
        if (word.size == 0)
            break;
        text.size = (size_t)(word.data - text.data) + word.size;
    }
    return text;
}

static bool owner_read_line(
    struct hf_owner_rules *rules, struct hf_spec_line *l, struct hf_owner_rule *like)
{
    static const char *const firsts[] = {
        "wrapper", "library", "helper", "entry", "init", "reserve", "pool", "own", "via", "as"};
    static const char *const subjects[] = {"function", "source", "module"};
    if (!hf_spec_next_word(l))
        return true;
    int first = hf_spec_take_word(l, firsts, HF_COUNT(firsts));
    if (first < 0)
        return hf_spec_expected(
            l, "own, wrapper, helper, library, entry, init, reserve, pool, via or as");
    bool has_more = hf_spec_next_word(l);
    if (first > HF_OWNER_OWN) {
        bool is_via = first == HF_OWNER_OWN + 1;
        struct hf_text text = {NULL, 0};
        if (has_more)
            text = is_via ? hf_spec_take_text(l) : owner_take_rest(l);
        *(is_via ? &like->via : &like->as) = text;
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
            .via = like->via,
            .as = like->as});
}

enum hf_status hf_owner_rules_parse(
    struct hf_owner_rules *rules, struct hf_text text, const char *name, struct hf_error *err)
{
    struct hf_spec_line l = {.name = name, .err = err};
    struct hf_owner_rule like = {.via = {NULL, 0}};
    bool is_sound = hf_spec_begin(&l, &rules->arena, text);
    while (is_sound && hf_spec_next_line(&l))
        is_sound = owner_read_line(rules, &l, &like);
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
    if (rules->count == 0 || text.size == 0)
        return NULL;
    const size_t chains[] = {owner_first_byte(text), owner_last_byte(text), OWNER_CHAIN_ANY};
    size_t best = rules->count + 1;
    for (size_t i = 0; i < HF_COUNT(chains); i++) {
        size_t at = owner_chain_at(rules, subject, chains[i])->first;
        while (at != 0 && at < best) {
            const struct hf_owner_rule *rule = &rules->items[at - 1];
            if (hf_glob_matches(rule->glob, owner_part(rule, text)))
                best = at;
            at = rule->next;
        }
    }
    return best <= rules->count ? &rules->items[best - 1] : NULL;
}

void hf_owner_rules_done(struct hf_owner_rules *rules)
{
    free(rules->items);
    free(rules->chains);
    hf_arena_done(&rules->arena);
    *rules = (struct hf_owner_rules){0};
}
