#include "analysis/owner_stacks.h"

#include "analysis/owner_sources.h"
#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/map.h"
#include "base/containers/vec.h"
#include "profile/allocator.h"
#include "profile/modules.h"
#include "profile/places.h"
#include "profile/samples.h"
#include "source/functions.h"
#include "spec/owner_name.h"
#include "spec/project_rules.h"

#include <stdlib.h>

#define FRAME_STEPS 300 /* to look a frame up */
#define RULE_STEPS 3000 /* to compare a text with the rules, and for each of its bytes */
#define RULE_BYTE_STEPS 150
#define SCRIPT_STEPS 300 /* to look at a frame again, as to look one up */
#define NAME_STEPS 4000  /* to look its words up */

/* The first that the script itself calls drives the rest; what it alone calls does its work. */
#define DEPTH_OF_FIRST 2

/* What is needed to judge frames that were not seen before. */
struct owner_judge {
    struct hf_owner_frames *frames;
    const struct hf_profile *folded;
    struct hf_places places;
    struct hf_source_functions scripts;
    struct hf_profile *by_line;     /* that the sources are judged by; NULL: `folded` is */
    struct hf_map lines;            /* of C and C++, hashed -> the first label with a frame there */
    struct hf_text program, folder; /* its path; the folder of all that belongs to it, or empty */
    const struct hf_owner_rule *runtime; /* of the program, e.g. python3; NULL: the user's own */
    bool has_only_mappings;              /* of a program with a malloc of its own */
    struct hf_out label;
    uint32_t label_id; /* of a new one */
};

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

static bool owner_matches(
    const struct owner_judge *j, struct hf_regex *regex, struct hf_text name, struct hf_text file)
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

/* The first rule for a text, which is looked for once; *out_rule NULL: none. */
static enum hf_status owner_rule_for(struct hf_owner_frames *frames, enum hf_owner_subject subject,
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

static bool is_by_path(const struct hf_owner_rule *rule)
{
    return rule != NULL && hf_text_find(rule->glob, '/') != rule->glob.size;
}

/* What lies in the folder of the program is the user's own, whatever a rule by its path says; but
 * where the program is an interpreter, it is the interpreter's: ~/.pyenv/versions/3.12.1/lib. */
static void apply_folder(
    const struct owner_judge *j, struct hf_text module, const struct hf_owner_rule **rule)
{
    if (!hf_modules_belong(j->program, j->folder, module))
        return;
    if (j->runtime == NULL && is_by_path(*rule))
        *rule = NULL;
    else if (*rule == NULL)
        *rule = j->runtime;
}

/* The same of a source file, or else of the module. */
static enum hf_status owner_rule_of_place(const struct owner_judge *j,
    const struct hf_probe_site *site, const struct hf_owner_rule **out_rule, struct hf_error *err)
{
    enum hf_status status = owner_rule_for(j->frames, HF_OWNER_SOURCE, site->file, out_rule, err);
    if (status != HF_OK || *out_rule != NULL)
        return status;
    status = owner_rule_for(j->frames, HF_OWNER_MODULE, site->module, out_rule, err);
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

/* What a frame is by the rules. */
static enum hf_status owner_apply_rules(const struct owner_judge *j, struct hf_text name,
    const struct hf_probe_site *site, struct hf_owner_frame *judged, struct hf_error *err)
{
    const struct hf_owner_rule *rule, *of_place = NULL;
    enum hf_status status = owner_rule_for(j->frames, HF_OWNER_FUNCTION, name, &rule, err);
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

/* Another function keeps what a frame makes. */
static enum hf_status owner_add_holder(struct owner_judge *j, const struct hf_source_line *holder,
    struct hf_owner_frame *judged, struct hf_error *err)
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

/* What the source of a script says of a function that nothing else is known of. */
static enum hf_status owner_apply_script(struct owner_judge *j, const struct hf_source_line *at,
    struct hf_owner_frame *judged, struct hf_error *err)
{
    struct hf_source_judgement script = hf_source_functions_judge(&j->scripts, *at);
    judged->is_sure = script.use != HF_SOURCE_MAY_KEEP;
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
        "push_back", "write", "take", "acquire", "make", "Push", "Put", "Add", "Insert", "Append",
        "Set", "Send", "Post"};
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
static enum hf_status owner_apply_source(struct owner_judge *j, const struct hf_source_line *at,
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

/*
 * Functions of C and C++ that share a line are of one macro, as the containers of many programs
 * are: DEFINE_MAP(answers, struct answer). A lambda may stand on the line of its function.
 */
static enum hf_status owner_compare_line(struct owner_judge *j, const struct hf_probe_site *site,
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
static enum hf_status judge_frame(struct owner_judge *j, const struct hf_frame *frame,
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
    if (status == HF_OK)
        status = owner_compare_line(j, &site, name, &judged, err);
    *out_judged = judged;
    return status;
}

static enum hf_status judge_label(
    struct owner_judge *j, uint32_t frame_id, uint32_t *out_label, struct hf_error *err)
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

/* A script of the program: what a library does with its values is not for its source to say. */
static bool is_of_script(struct owner_judge *j, struct hf_source_line at)
{
    const struct hf_owner_rule *rule;
    enum hf_source_language language = hf_source_language_of(at.file);
    return at.name.size != 0 && language != HF_SOURCE_NONE && !hf_source_is_compiled(language) &&
           owner_rule_for(j->frames, HF_OWNER_SOURCE, at.file, &rule, NULL) == HF_OK &&
           rule == NULL;
}

/* A function of a script was called at a node, or what is below it is of none. */
static enum hf_status judge_call(struct owner_judge *j, const struct hf_profile *from,
    uint32_t node, const uint64_t *bytes, uint64_t *own, struct hf_error *err)
{
    const struct hf_stack_node *nodes = from->stacks.nodes;
    struct hf_source_line callee = hf_owner_sources_line(from, nodes[node].frame), caller = {0};
    uint32_t above = nodes[node].parent;
    for (; above != HF_STACK_ROOT && hf_budget_step(SCRIPT_STEPS); above = nodes[above].parent) {
        caller = hf_owner_sources_line(from, nodes[above].frame);
        if (is_of_script(j, caller))
            break;
    }
    if (above == HF_STACK_ROOT || !is_of_script(j, caller))
        return HF_OK;
    own[above] -= bytes[node];
    enum hf_status status =
        hf_source_functions_see(&j->scripts, caller, callee.name, bytes[node], err);
    return status == HF_OK ? hf_source_functions_call(&j->scripts, caller, callee, err) : status;
}

/* Which lines of scripts keep what they make: by what is made there, and by what they called. */
static enum hf_status judge_scripts(
    struct owner_judge *j, const struct hf_profile *from, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t *bytes = NULL, *own = NULL;
    for (uint32_t i = 0; status == HF_OK && i < from->frames.count; i++) {
        struct hf_source_line at = hf_owner_sources_line(from, i);
        if (is_of_script(j, at))
            status = hf_source_functions_open(&j->scripts, at, err);
    }
    if (status != HF_OK || !hf_source_functions_are_known(&j->scripts))
        return status;
    status = hf_owner_sources_bytes(from, &bytes, err);
    if (status == HF_OK)
        status = hf_owner_sources_bytes(from, &own, err);
    for (uint32_t node = 1; status == HF_OK && node < from->stacks.count; node++) {
        if (is_of_script(j, hf_owner_sources_line(from, from->stacks.nodes[node].frame)))
            status = judge_call(j, from, node, bytes, own, err);
    }
    for (uint32_t node = 1; status == HF_OK && node < from->stacks.count; node++) {
        struct hf_source_line at = hf_owner_sources_line(from, from->stacks.nodes[node].frame);
        if (is_of_script(j, at) && own[node] != 0)
            status =
                hf_source_functions_see(&j->scripts, at, (struct hf_text){NULL, 0}, own[node], err);
    }
    hf_budget_free(own);
    hf_budget_free(bytes);
    return status;
}

/* A frame has a line of C, C++ or Rust. */
static bool has_compiled(const struct hf_profile *from)
{
    for (uint32_t i = 0; i < from->frames.count; i++) {
        struct hf_source_line at = hf_owner_sources_line(from, i);
        if (at.line != 0 && hf_source_is_compiled(hf_source_language_of(at.file)))
            return true;
    }
    return false;
}

/* By the sources of C, C++ and Rust, of functions that no rule says anything of. */
static enum hf_status judge_sources(struct owner_judge *j, const struct hf_profile *named,
    enum hf_granularity granularity, struct hf_error *err)
{
    if (!has_compiled(named))
        return HF_OK;
    const struct hf_fold_options options = {.granularity = HF_BY_LINE};
    if (granularity != HF_BY_LINE) {
        enum hf_status folded = hf_profile_fold(named, &options, &j->by_line, err);
        if (folded != HF_OK)
            return folded;
    }
    const struct hf_profile *from = granularity == HF_BY_LINE ? j->folded : j->by_line;
    const struct hf_owner_rule *rule = NULL;
    enum hf_status status = HF_OK;
    bool *is_program = hf_budget_calloc((size_t)from->frames.count + 1, sizeof *is_program);
    if (is_program == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; status == HF_OK && i < from->frames.count; i++) {
        struct hf_source_line at = hf_owner_sources_line(from, i);
        bool has_name = at.name.size != 0;
        if (has_name)
            status = owner_rule_for(j->frames, HF_OWNER_FUNCTION, at.name, &rule, err);
        bool is_other = rule != NULL && rule->class != HF_OWNER_ENTRY;
        if (status == HF_OK && !is_other && has_name)
            status = owner_rule_for(j->frames, HF_OWNER_SOURCE, at.file, &rule, err);
        is_other |= rule != NULL && rule->class != HF_OWNER_ENTRY;
        is_program[i] = has_name && !is_other;
    }
    if (status == HF_OK)
        status = hf_owner_sources_judge(&j->scripts, from, is_program, err);
    hf_budget_free(is_program);
    return status;
}

/* An interpreter is known by the name of its file. */
static enum hf_status find_runtime(struct owner_judge *j, struct hf_error *err)
{
    const struct hf_owner_rule *rule;
    enum hf_status status = owner_rule_for(j->frames, HF_OWNER_MODULE, j->program, &rule, err);
    if (status == HF_OK && !is_by_path(rule))
        j->runtime = rule;
    return status;
}

static enum hf_status judge_all(struct hf_owner_stacks *stacks, const struct hf_profile *from,
    enum hf_granularity granularity, struct hf_error *err)
{
    struct owner_judge j = {.frames = stacks->frames, .folded = stacks->folded};
    enum hf_status status = HF_OK;
    size_t resident;
    if (from != NULL) {
        j.has_only_mappings = from->capture.is_no_heap &&
                              hf_profile_find_type(from, HF_TEXT(HF_RESIDENT_SPACE), &resident);
        j.program = hf_profile_text(from, from->modules[hf_modules_program(from)].path);
        j.folder = hf_modules_folder(j.program);
        status = find_runtime(&j, err);
        if (status == HF_OK)
            status = hf_places_add(&j.places, from, granularity, err);
        if (status == HF_OK)
            status = judge_scripts(&j, from, err);
        if (status == HF_OK)
            status = judge_sources(&j, from, granularity, err);
    }
    for (uint32_t i = 0; status == HF_OK && i < stacks->folded->frames.count; i++)
        status = judge_label(&j, i, &stacks->labels[i], err);
    hf_places_done(&j.places);
    hf_source_functions_done(&j.scripts);
    hf_profile_free(j.by_line);
    hf_map_done(&j.lines);
    hf_out_done(&j.label);
    return status;
}

enum hf_status hf_owner_stacks_init(struct hf_owner_stacks *stacks, struct hf_owner_frames *frames,
    const struct hf_profile *folded, const struct hf_profile *from, enum hf_granularity granularity,
    struct hf_error *err)
{
    *stacks = (struct hf_owner_stacks){
        .frames = frames,
        .folded = folded,
        .labels = hf_budget_calloc((size_t)folded->frames.count + 1, sizeof *stacks->labels),
        .nodes = hf_budget_calloc(folded->stacks.count, sizeof *stacks->nodes),
    };
    enum hf_status status =
        stacks->labels != NULL && stacks->nodes != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        status = judge_all(stacks, from, granularity, err);
    if (status == HF_OK)
        hf_owner_stacks_walk(stacks);
    return status;
}

void hf_owner_stacks_done(struct hf_owner_stacks *stacks)
{
    hf_budget_free(stacks->labels);
    hf_budget_free(stacks->nodes);
    *stacks = (struct hf_owner_stacks){0};
}

const struct hf_owner_frame *hf_owner_stacks_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return &stacks->frames->items[stacks->labels[stacks->folded->stacks.nodes[node].frame]];
}

/* The lines of a script outside of its functions, as its runtime calls them. */
static bool is_script(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged)
{
    struct hf_text name = hf_intern_at(&stacks->frames->texts, judged->function);
    return hf_text_is(name, "<main>") || hf_text_is(name, "<module>");
}

static bool is_script_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return node != 0 && is_script(stacks, hf_owner_stacks_at(stacks, node));
}

/* The source of its caller says what becomes of what it is given there. */
static bool is_sure_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return node != 0 && hf_owner_stacks_at(stacks, node)->is_sure;
}

/* What it is given there it gives to another function, which keeps it. */
static bool has_holder_at(const struct hf_owner_stacks *stacks, uint32_t node)
{
    return node != 0 && hf_owner_stacks_at(stacks, node)->holder != 0;
}

/* `above`: of its caller. */
static bool is_own_frame(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged,
    const struct hf_owner_node *above)
{
    if (judged->function == HF_OWNER_NO_NAME)
        return false;
    if (judged->is_forced)
        return judged->class == HF_OWNER_OWN;
    if (stacks->frames->known[judged->function].is_learned)
        return false;
    if (judged->is_returned && above->is_followed)
        return false;
    if (judged->may_keep && stacks->frames->known[judged->function].is_keeper)
        return true;
    bool is_of_first = judged->is_part && above->depth <= DEPTH_OF_FIRST && !judged->is_sure;
    bool is_of_entry = (above->is_entry || (judged->is_sure && is_script_at(stacks, above->own))) &&
                       !(judged->is_sure && is_sure_at(stacks, above->own)) &&
                       !has_holder_at(stacks, above->own);
    if (judged->class == HF_OWNER_HELPER)
        return above->own == 0 || is_of_entry || is_of_first ||
               (judged->is_maker && above->is_driver);
    return judged->class == HF_OWNER_OWN || judged->class == HF_OWNER_ENTRY;
}

/* Who called an own frame, if not its own function did; `above`: of its caller. */
static uint32_t caller_of(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged,
    const struct hf_owner_node *above)
{
    bool is_itself =
        above->own != 0 && hf_owner_stacks_at(stacks, above->own)->function == judged->function;
    return is_itself ? above->caller : above->own;
}

/* A runtime's own memory, which whoever loaded its library does not own. */
static bool is_reserve(const struct hf_owner_stacks *stacks, uint32_t node)
{
    const struct hf_stacktree *tree = &stacks->folded->stacks;
    uint32_t parent = tree->nodes[node].parent;
    while (parent != HF_STACK_ROOT && hf_owner_stacks_at(stacks, parent)->class == HF_OWNER_RESERVE)
        parent = tree->nodes[parent].parent;
    return hf_owner_stacks_at(stacks, node)->class == HF_OWNER_RESERVE && parent != HF_STACK_ROOT &&
           hf_owner_stacks_at(stacks, parent)->class == HF_OWNER_INIT;
}

/* The program begins there, or a thread does, with a lambda: what that calls is not its own. */
static bool is_beginning(const struct hf_owner_stacks *stacks, const struct hf_owner_frame *judged,
    const struct hf_owner_node *above)
{
    struct hf_text name = hf_intern_at(&stacks->frames->texts, judged->function);
    return judged->class == HF_OWNER_ENTRY ||
           (above->own == 0 &&
               (hf_text_ends(name, "operator()") || hf_text_ends(name, "{{closure}}")));
}

/* From the root to the leaves: what each node's stack has. */
void hf_owner_stacks_walk(struct hf_owner_stacks *stacks)
{
    const struct hf_stacktree *tree = &stacks->folded->stacks;
    for (uint32_t node = 1; node < tree->count; node++) {
        const struct hf_owner_frame *judged = hf_owner_stacks_at(stacks, node);
        struct hf_owner_node at = stacks->nodes[tree->nodes[node].parent];
        bool has_name = judged->function != HF_OWNER_NO_NAME;
        bool is_passed = !has_name || hf_text_is(judged->via, "-");
        bool is_own = is_own_frame(stacks, judged, &at);
        bool is_ours = judged->class == HF_OWNER_OWN || judged->class == HF_OWNER_HELPER ||
                       judged->class == HF_OWNER_ENTRY;
        at.is_followed = judged->is_kept || (at.is_followed && (judged->is_returned || !is_ours));
        if (is_own) {
            at.is_entry = is_beginning(stacks, judged, &at);
            at.caller = caller_of(stacks, judged, &at);
            at.depth = at.is_entry || is_script(stacks, judged) ? 1 : at.depth + 1;
            at.own = node;
            at.own_via = 0;
            at.is_driver = judged->is_driver;
        } else if (!is_passed && at.own != 0 && at.own_via == 0) {
            at.own_via = node;
        }
        if (has_name && judged->class == HF_OWNER_LIBRARY) {
            at.other = node;
            at.other_via = 0;
        } else if (!is_passed && at.other != 0 && at.other_via == 0) {
            at.other_via = node;
        }
        if (!has_name)
            at.bare = node;
        if (is_reserve(stacks, node))
            at = (struct hf_owner_node){.bare = node};
        stacks->nodes[node] = at;
    }
}

uint32_t hf_owner_stacks_owner(
    const struct hf_owner_stacks *stacks, uint32_t node, uint32_t *out_via)
{
    const struct hf_owner_node *found = &stacks->nodes[node];
    *out_via = found->own != 0 ? found->own_via : found->other_via;
    if (found->own != 0)
        return found->own;
    if (found->other != 0)
        return found->other;
    return found->bare != 0 ? found->bare : node;
}
