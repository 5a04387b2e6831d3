#include "analysis/owner_frames.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "profile/allocator.h"
#include "profile/modules.h"
#include "spec/owner_name.h"
#include "spec/project_rules.h"

#include <stdlib.h>

#define FRAME_STEPS 300 /* to look a frame up */
#define RULE_STEPS 3000 /* to compare a text with the rules, and for each of its bytes */
#define RULE_BYTE_STEPS 150
#define NAME_STEPS 4000 /* to look its words up */

static enum hf_status owner_compile(
    const char *pattern, const char *option, struct hf_regex **out_regex, struct hf_error *err)
{
    enum hf_status status = pattern != NULL ? hf_regex_new(pattern, out_regex, err) : HF_OK;
    if (status != HF_OK)
        hf_error_context(err, "%s", option);
    return status;
}

static enum hf_status add_project_rules(
    struct hf_owner_rules *rules, struct hf_notes *notes, struct hf_error *err)
{
    bool is_refused;
    struct hf_error own = {0};
    enum hf_status status = hf_project_rules_add(rules, &is_refused, &own);
    if (is_refused && notes != NULL)
        hf_notes_add(notes, HF_NOTE_INFO, "rules of owners are not used: %s", own.text);
    if (status != HF_OK && err != NULL)
        *err = own;
    return status;
}

enum hf_status hf_owner_frames_init(struct hf_owner_frames *frames, const char *own,
    const char *wrapper, struct hf_notes *notes, struct hf_error *err)
{
    *frames = (struct hf_owner_frames){0};
    enum hf_status status = owner_compile(own, "--own", &frames->own, err);
    if (status == HF_OK)
        status = owner_compile(wrapper, "--wrapper", &frames->wrapper, err);
    if (status == HF_OK)
        status = add_project_rules(&frames->rules, notes, err);
    return status == HF_OK ? hf_owner_rules_add_presets(&frames->rules, err) : status;
}

void hf_owner_frames_done(struct hf_owner_frames *frames)
{
    hf_owner_rules_done(&frames->rules);
    hf_regex_free(frames->own);
    hf_regex_free(frames->wrapper);
    hf_intern_done(&frames->labels);
    hf_intern_done(&frames->texts);
    free(frames->items);
    free(frames->known);
    free(frames->holders);
    *frames = (struct hf_owner_frames){0};
}

static bool owner_matches(const struct hf_owner_judge *j, struct hf_regex *regex,
    struct hf_text name, struct hf_text file)
{
    return regex != NULL && (hf_regex_matches(regex, name) || hf_regex_matches(regex, file) ||
                                hf_regex_matches(regex, hf_out_view(&j->label)));
}

/* The id of a text, with room for what is known of it. */
static enum hf_status owner_text_of(
    struct hf_owner_frames *frames, struct hf_text text, uint32_t *out_id, struct hf_error *err)
{
    uint32_t before = frames->texts.count;
    if (!hf_intern_put(&frames->texts, text.data, text.size, out_id) ||
        !hf_vec_reserve(
            &frames->known, &frames->known_capacity, frames->texts.count, sizeof *frames->known))
        return hf_error_memory(err);
    if (*out_id == before)
        frames->known[*out_id] = (struct hf_owner_text){0};
    return HF_OK;
}

enum hf_status hf_owner_judge_rule(struct hf_owner_frames *frames, enum hf_owner_subject subject,
    struct hf_text text, const struct hf_owner_rule **out_rule, struct hf_error *err)
{
    uint32_t id;
    *out_rule = NULL;
    enum hf_status status = text.size != 0 ? owner_text_of(frames, text, &id, err) : HF_OK;
    if (status != HF_OK || text.size == 0)
        return status;
    int32_t *known = &frames->known[id].rules[subject];
    if (*known == 0) {
        if (!hf_budget_step(RULE_STEPS + RULE_BYTE_STEPS * text.size))
            return hf_budget_refuse(err);
        const struct hf_owner_rule *found = hf_owner_rules_find(&frames->rules, subject, text);
        *known = found != NULL ? (int32_t)(found - frames->rules.items) + 1 : -1;
    }
    *out_rule = *known > 0 ? &frames->rules.items[*known - 1] : NULL;
    return HF_OK;
}

enum hf_status hf_owner_judge_is_trait(struct hf_owner_frames *frames,
    const struct hf_source_line *at, bool *out_is, struct hf_error *err)
{
    const struct hf_owner_rule *rule = NULL;
    *out_is = hf_text_starts(at->name, "<") && hf_text_has(at->name, " as ") &&
              hf_source_language_of(at->file) == HF_SOURCE_RUST;
    enum hf_status status =
        *out_is ? hf_owner_judge_rule(frames, HF_OWNER_SOURCE, at->file, &rule, err) : HF_OK;
    *out_is = *out_is && rule == NULL;
    return status;
}

static bool is_by_path(const struct hf_owner_rule *rule)
{
    return rule != NULL && hf_text_find(rule->glob, '/') != rule->glob.size;
}

/* What lies in the folder of the program is the user's own, whatever a rule by its path says; but
 * where the program is an interpreter, it is the interpreter's: ~/.pyenv/versions/3.12.1/lib. */
static void apply_folder(
    const struct hf_owner_judge *j, struct hf_text module, const struct hf_owner_rule **rule)
{
    if (!hf_modules_belong(j->program, j->folder, module))
        return;
    if (j->runtime == NULL && is_by_path(*rule))
        *rule = NULL;
    else if (*rule == NULL)
        *rule = j->runtime;
}

/* The same of a source file, or else of the module. */
static enum hf_status owner_rule_of_place(const struct hf_owner_judge *j,
    const struct hf_probe_site *site, const struct hf_owner_rule **out_rule, struct hf_error *err)
{
    enum hf_status status =
        hf_owner_judge_rule(j->frames, HF_OWNER_SOURCE, site->file, out_rule, err);
    if (status != HF_OK || *out_rule != NULL)
        return status;
    status = hf_owner_judge_rule(j->frames, HF_OWNER_MODULE, site->module, out_rule, err);
    if (status == HF_OK)
        apply_folder(j, site->module, out_rule);
    return status;
}

/* What its name tells of a frame that no rule knows, or that a rule calls a library's. */
static void owner_apply_name(
    struct hf_owner_frame *judged, struct hf_text name, struct hf_text file, bool is_ruled)
{
    if (judged->class == HF_OWNER_LIBRARY && hf_owner_name_makes(name))
        judged->class = HF_OWNER_WRAPPER;
    if (is_ruled)
        return;
    enum hf_owner_name kind = hf_owner_name_kind(name, file);
    judged->is_driver = kind == HF_OWNER_NAME_DRIVER;
    judged->is_maker = kind == HF_OWNER_NAME_MAKER;
    if (kind == HF_OWNER_NAME_HELPER || kind == HF_OWNER_NAME_MAKER)
        judged->class = HF_OWNER_HELPER;
}

/* Another function keeps what a frame makes. */
static enum hf_status owner_add_holder(struct hf_owner_judge *j,
    const struct hf_source_line *holder, struct hf_owner_frame *judged, struct hf_error *err)
{
    struct hf_owner_frames *frames = j->frames;
    struct hf_owner_holder added = {.line = holder->line};
    enum hf_status status = owner_text_of(frames, holder->name, &added.name, err);
    if (status == HF_OK)
        status = owner_text_of(frames, holder->file, &added.file, err);
    if (status == HF_OK && !hf_vec_reserve(&frames->holders, &frames->holder_capacity,
                               frames->holder_count + 1, sizeof *frames->holders))
        status = hf_error_memory(err);
    if (status != HF_OK)
        return status;
    frames->holders[frames->holder_count++] = added;
    judged->holder = (uint32_t)frames->holder_count;
    return HF_OK;
}

/* What a frame is by the rules. */
static enum hf_status owner_apply_rules(struct hf_owner_judge *j, struct hf_text name,
    const struct hf_probe_site *site, struct hf_owner_frame *judged, struct hf_error *err)
{
    const struct hf_owner_rule *rule, *of_place = NULL;
    enum hf_status status = hf_owner_judge_rule(j->frames, HF_OWNER_FUNCTION, name, &rule, err);
    bool is_helper = rule != NULL && rule->class == HF_OWNER_HELPER;
    if (status == HF_OK && (rule == NULL || is_helper))
        status = owner_rule_of_place(j, site, &of_place, err);
    if (rule == NULL)
        rule = of_place;
    judged->class = rule != NULL ? rule->class : HF_OWNER_OWN;
    if (is_helper && of_place != NULL) /* a library's */
        judged->class = HF_OWNER_WRAPPER;
    if (rule != NULL)
        judged->via = rule->via;
    if (status == HF_OK && rule != NULL && rule->as.size != 0)
        status = owner_add_holder(j, &(struct hf_source_line){.name = rule->as}, judged, err);
    if (status == HF_OK && !hf_budget_step(NAME_STEPS))
        status = hf_budget_refuse(err);
    if (status == HF_OK)
        owner_apply_name(judged, name, site->file, rule != NULL);
    if (rule == NULL && judged->class == HF_OWNER_OWN && site->is_helper &&
        !hf_owner_name_keeps(name)) {
        judged->class = HF_OWNER_HELPER;
        judged->may_keep = site->may_keep;
    }
    return status;
}

/* What the source of a script says of a function that nothing else is known of. */
static enum hf_status owner_apply_script(struct hf_owner_judge *j, const struct hf_source_line *at,
    struct hf_owner_frame *judged, struct hf_error *err)
{
    struct hf_source_judgement script = hf_source_functions_judge(&j->scripts, *at);
    judged->is_sure = script.use != HF_SOURCE_MAY_KEEP;
    judged->keeps =
        !script.is_gone && (script.use == HF_SOURCE_KEEPS || script.use == HF_SOURCE_GIVES);
    judged->is_gone = script.is_gone;
    if (script.use == HF_SOURCE_HANDS_ON && script.is_called && judged->class == HF_OWNER_OWN) {
        judged->class = HF_OWNER_HELPER;
        judged->is_part = !script.is_shared;
    }
    return script.use == HF_SOURCE_GIVES ? owner_add_holder(j, &script.holder, judged, err) : HF_OK;
}

/* It is called as what puts something into a container, for others. */
static bool owner_is_verb(struct hf_text bare)
{
    static const char *const verbs[] = {"push", "put", "add", "insert", "append", "set", "send",
        "post", "enqueue", "emplace", "connect", "deliver", "publish", "offer", "subscribe",
        "push_back", "write", "take", "acquire", "Push", "Put", "Add", "Insert", "Append", "Set",
        "Send", "Post"};
    for (size_t i = 0; i < HF_COUNT(verbs); i++) {
        if (hf_text_is(bare, verbs[i]))
            return true;
    }
    return false;
}

/* A method of what is a container by its name. */
static bool owner_is_of_container(const struct hf_source_line *holder)
{
    struct hf_text bare = hf_source_bare_name(holder->name);
    struct hf_out push = {0};
    hf_out_text(&push, hf_text_first(holder->name, holder->name.size - bare.size));
    hf_out_string(&push, "push");
    bool is_it = hf_out_finish(&push, NULL) != HF_OK ||
                 hf_owner_name_kind(hf_out_view(&push), holder->file) != HF_OWNER_NAME_NONE;
    hf_out_done(&push);
    return is_it && bare.size < holder->name.size;
}

/*
 * The same of C, C++ and Rust. A function that keeps what it makes is no helper, whoever calls it,
 * unless its name says so; nor does a helper hold what another function gives it.
 */
static enum hf_status owner_apply_source(struct hf_owner_judge *j, const struct hf_source_line *at,
    bool is_helper_by_types, struct hf_owner_frame *judged, struct hf_error *err)
{
    struct hf_source_judgement source = hf_source_functions_judge(&j->scripts, *at);
    const struct hf_source_line *holder = &source.holder;
    judged->is_returned = source.use == HF_SOURCE_HANDS_ON;
    bool is_helper = judged->class == HF_OWNER_HELPER;
    struct hf_text own = hf_source_bare_name(at->name), held_by = hf_source_bare_name(holder->name);
    bool is_sure = !owner_is_verb(own) &&
                   (is_helper_by_types || hf_owner_name_kind(own, at->file) == HF_OWNER_NAME_NONE);
    bool is_holder =
        source.is_known || (hf_owner_name_kind(holder->name, holder->file) == HF_OWNER_NAME_NONE &&
                               hf_owner_name_kind(held_by, holder->file) == HF_OWNER_NAME_NONE &&
                               !owner_is_verb(held_by) && !owner_is_of_container(holder));
    bool gives = source.use == HF_SOURCE_GIVES && is_holder;
    bool keeps = (source.use == HF_SOURCE_KEEPS && (!is_helper || is_sure)) ||
                 (source.use == HF_SOURCE_STORES && !is_helper);
    /* Where the program begins, what it is told to keep says less than who makes that. */
    if (!gives && (!keeps || judged->class == HF_OWNER_ENTRY))
        return HF_OK;
    judged->is_kept = true;
    if (is_helper)
        judged->class = HF_OWNER_OWN;
    return gives ? owner_add_holder(j, holder, judged, err) : HF_OK;
}

/* A trait of Rust that a type of the program has may be a library's, as iterators are: where its
 * source says that it keeps what it makes, it is the program's function that does. */
static enum hf_status owner_apply_trait(struct hf_owner_judge *j, const struct hf_source_line *at,
    struct hf_owner_frame *judged, struct hf_error *err)
{
    bool is_trait = false;
    enum hf_owner_class class = judged->class;
    if (class != HF_OWNER_WRAPPER)
        return HF_OK;
    enum hf_status status = hf_owner_judge_is_trait(j->frames, at, &is_trait, err);
    if (status != HF_OK || !is_trait)
        return status;
    judged->class = HF_OWNER_HELPER;
    status = owner_apply_source(j, at, true, judged, err);
    judged->class = judged->is_kept ? HF_OWNER_OWN : class;
    return status;
}

/*
 * Functions of C and C++ that share a line are of one macro, as the containers of many programs
 * are: DEFINE_MAP(answers, struct answer). A lambda may stand on the line of its function.
 */
static enum hf_status owner_compare_line(struct hf_owner_judge *j, const struct hf_probe_site *site,
    struct hf_text name, struct hf_owner_frame *judged, struct hf_error *err)
{
    struct hf_owner_frame *items = j->frames->items;
    bool is_new;
    if (site->line == 0 || judged->is_forced || judged->class != HF_OWNER_OWN ||
        !hf_owner_is_c_file(site->file) || hf_text_has(name, "{lambda") ||
        hf_text_has(name, "operator()"))
        return HF_OK;
    uint64_t place = hf_hash_u64(hf_hash_bytes(site->file.data, site->file.size) + site->line);
    const uint32_t *first = hf_map_put(&j->lines, place, j->label_id, &is_new);
    if (first == NULL)
        return hf_error_memory(err);
    if (!is_new && items[*first].function != judged->function)
        items[*first].class = judged->class = HF_OWNER_HELPER;
    return HF_OK;
}

/* Judges a frame whose label was not seen before, which is in `j->label`. */
static enum hf_status judge_frame(struct hf_owner_judge *j, const struct hf_frame *frame,
    struct hf_owner_frame *out_judged, struct hf_error *err)
{
    struct hf_owner_frame judged = {.function = HF_OWNER_NO_NAME};
    struct hf_text name = hf_profile_text(j->folded, frame->name);
    struct hf_probe_site site = {0};
    enum hf_status status = hf_places_find(&j->places, hf_out_view(&j->label), &site, err);
    if (site.file.size == 0)
        site.file = hf_profile_text(j->folded, frame->file);
    judged.is_allocator = !j->has_only_mappings && hf_allocator_is_frame(j->folded, frame);
    bool is_own = owner_matches(j, j->frames->own, name, site.file);
    judged.is_forced = is_own || owner_matches(j, j->frames->wrapper, name, site.file);
    judged.class = is_own ? HF_OWNER_OWN : HF_OWNER_WRAPPER;
    if (status == HF_OK && name.size != 0)
        status = owner_text_of(j->frames, name, &judged.function, err);
    bool maps = j->has_only_mappings && hf_allocator_is_function(name);
    if (maps && !judged.is_forced)
        judged.class = HF_OWNER_OWN; /* its first caller does not hold what it maps */
    else if (status == HF_OK && !judged.is_forced && !judged.is_allocator)
        status = owner_apply_rules(j, name, &site, &judged, err);
    bool is_ours = judged.class == HF_OWNER_OWN || judged.class == HF_OWNER_HELPER ||
                   judged.class == HF_OWNER_ENTRY;
    const struct hf_text file = hf_profile_text(j->folded, frame->file);
    const struct hf_source_line at = {name, file.size != 0 ? file : site.file, frame->line};
    bool is_compiled = hf_source_is_compiled(hf_source_language_of(at.file));
    if (status == HF_OK && is_ours && !judged.is_forced && name.size != 0)
        status = is_compiled ? owner_apply_source(j, &at, site.is_helper, &judged, err)
                             : owner_apply_script(j, &at, &judged, err);
    else if (status == HF_OK && !judged.is_forced && name.size != 0 && is_compiled)
        status = owner_apply_trait(j, &at, &judged, err);
    if (status == HF_OK)
        status = owner_compare_line(j, &site, name, &judged, err);
    *out_judged = judged;
    return status;
}

enum hf_status hf_owner_judge_label(
    struct hf_owner_judge *j, uint32_t frame_id, uint32_t *out_label, struct hf_error *err)
{
    struct hf_owner_frames *frames = j->frames;
    const struct hf_frame *frame = hf_profile_frame_at(j->folded, frame_id);
    uint32_t before = frames->labels.count;
    j->label.size = 0;
    hf_frame_label(j->folded, frame, &j->label);
    enum hf_status status = hf_out_finish(&j->label, err);
    if (status != HF_OK)
        return status;
    struct hf_text label = hf_out_view(&j->label);
    if (!hf_budget_step(FRAME_STEPS))
        return hf_budget_refuse(err);
    if (!hf_intern_put(&frames->labels, label.data, label.size, out_label) ||
        !hf_vec_reserve(
            &frames->items, &frames->capacity, frames->labels.count, sizeof *frames->items))
        return hf_error_memory(err);
    j->label_id = before;
    return *out_label == before ? judge_frame(j, frame, &frames->items[before], err) : HF_OK;
}

enum hf_status hf_owner_judge_program(
    struct hf_owner_judge *j, struct hf_text program, struct hf_error *err)
{
    const struct hf_owner_rule *rule;
    j->program = program;
    j->folder = hf_modules_folder(program);
    enum hf_status status = hf_owner_judge_rule(j->frames, HF_OWNER_MODULE, program, &rule, err);
    if (status == HF_OK && rule != NULL && rule->class == HF_OWNER_LIBRARY && !is_by_path(rule))
        j->runtime = rule;
    return status;
}
