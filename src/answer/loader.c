#include "answer/loader.h"

#include "answer/endpoint.h"
#include "answer/operand.h"
#include "base/attr.h"
#include "base/budget.h"
#include "base/strings/num.h"
#include "formats/folded/folded_input.h"
#include "formats/folded/folded_stacks.h"
#include "formats/format.h"
#include "os/file.h"
#include "os/path.h"
#include "profile/merge.h"
#include "profile/samples.h"

#include <string.h>

static enum hf_status load_url(const char *url, const struct hf_loader_options *options,
    struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_endpoint_profile fetched;
    enum hf_status status = hf_endpoint_fetch(url, options, &fetched, err);
    if (status != HF_OK)
        return status;
    *out_profile = fetched.profile;
    fetched.profile = NULL;
    hf_endpoint_profile_done(&fetched);
    return HF_OK;
}

/* The process that jemalloc puts into the name of a dump, "jeprof.4711.0.f.heap"; 0: unknown. */
static uint32_t process_of(struct hf_text name)
{
    uint64_t number;
    struct hf_text parts[4]; /* from the end: "heap", "f" or "i7" "m7" "u7", "0", "4711" */
    for (size_t i = 0; i < HF_COUNT(parts); i++) {
        size_t dot = hf_text_find_last(name, '.');
        parts[i] = hf_text_from(name, dot + 1);
        name = hf_text_first(name, dot);
    }
    bool is_dump = hf_text_is(parts[0], "heap") && parts[1].size != 0 &&
                   strchr("fimu", parts[1].data[0]) != NULL && hf_num_u64(parts[2], &number);
    return is_dump && hf_num_u64(parts[3], &number) && number <= INT32_MAX ? (uint32_t)number : 0;
}

static enum hf_status load_process(uint32_t pid, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, pid, NULL, err);
    if (status != HF_OK)
        return status;
    status = hf_found_table_read(&table, pid, lifetimes, out_profile, err);
    hf_found_table_close(&table);
    return status;
}

/* Reads a file into a profile of its own or, as `how` says, into *profile. */
static enum hf_status load_file(const char *name, const struct hf_loader_options *options,
    const struct hf_folded_how *how, struct hf_profile **profile, struct hf_error *err)
{
    struct hf_input input;
    enum hf_status status = hf_input_open(&input, name, err);
    if (status != HF_OK)
        return status;
    input.is_tcmalloc_v1 = options->is_tcmalloc_v1;
    input.tasks_by = options->tasks_by;
    input.lifetimes = options->lifetimes;
    struct hf_text shown = hf_text_basename(hf_text_of(input.name));
    input.watch = hf_listener_begin(options->listener, "reading", shown.data);
    status = how == NULL ? hf_format_read(&input, profile, err)
                         : hf_folded_input_read(&input, how, *profile, err);
    if (status == HF_OK && how == NULL && (*profile)->capture.process_id == 0)
        (*profile)->capture.process_id = process_of(shown);
    hf_listener_end(options->listener);
    hf_input_close(&input);
    return status;
}

static enum hf_status load_any(const char *name, const struct hf_loader_options *options,
    struct hf_profile **out_profile, struct hf_error *err)
{
    uint32_t pid;
    if (hf_operand_is_url(name))
        return load_url(name, options, out_profile, err);
    return hf_operand_is_process(name, &pid)
               ? load_process(pid, options->lifetimes, out_profile, err)
               : load_file(name, options, NULL, out_profile, err);
}

/* Of the profiles that do not have them, none has the lifetimes and sizes that are asked for. */
static enum hf_status load_whole(const char *name, const struct hf_loader_options *options,
    struct hf_profile **out_profile, struct hf_error *err)
{
    const struct hf_lifetimes *lifetimes = options->lifetimes;
    enum hf_status status = load_any(name, options, out_profile, err);
    bool needs = lifetimes != NULL && lifetimes->needs_classes;
    if (status != HF_OK || !needs ||
        ((*out_profile)->capture.has_classes && !(*out_profile)->capture.has_no_freed))
        return status;
    hf_profile_free(*out_profile);
    return hf_error_set(err, HF_ERR_INPUT,
        "%s: has no lifetimes and sizes of freed blocks; expected a profile that heapflame run "
        "wrote "
        "as .hfb or .pb.gz, or the PID of a process that it records",
        hf_operand_is_url(name) ? "the URL" : name);
}

/* A name may end in "@start", "@peak" or "@end", unless there is a file that is called so. */
static enum hf_status load_one(const char *name, const struct hf_loader_options *options,
    struct hf_profile **out_profile, struct hf_error *err)
{
    char path[PATH_MAX];
    struct hf_text moment, before = hf_path_before_moment(hf_text_of(name), &moment);
    if (moment.size == 0 || hf_operand_is_url(name) || hf_path_exists(name))
        return load_whole(name, options, out_profile, err);
    if (!hf_path_format(path, "%.*s", (int)before.size, before.data))
        return hf_error_set(err, HF_ERR_INPUT, "%s: the name is too long", name);
    enum hf_status status = load_whole(path, options, out_profile, err);
    if (status != HF_OK)
        return status;
    status = hf_samples_keep_moment(*out_profile, moment, err);
    if (status != HF_OK) {
        hf_error_in(err, path);
        hf_profile_free(*out_profile);
    }
    return status;
}

static void set_budget(const struct hf_loader_options *options)
{
    if (options->input_budget != 0)
        hf_budget_set_factor(options->input_budget);
}

static enum hf_status loader_read_all(const char *const *names, size_t count,
    const struct hf_loader_options *options, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_profile *sum = NULL;
    for (size_t i = 0; i < count; i++) {
        struct hf_profile *next;
        enum hf_status status = load_one(names[i], options, &next, err);
        if (status == HF_OK && sum != NULL) {
            status = hf_profile_merge(sum, next, err);
            if (status != HF_OK) /* a URL may hold a password */
                hf_error_in(err, hf_operand_is_url(names[i]) ? "the URL" : names[i]);
            hf_profile_free(next);
        } else if (status == HF_OK) {
            sum = next;
        }
        if (status != HF_OK) {
            hf_profile_free(sum);
            return status;
        }
    }
    *out_profile = sum;
    return HF_OK;
}

enum hf_status hf_loader_read(const char *const *names, size_t count,
    const struct hf_loader_options *options, struct hf_profile **out_profile, struct hf_error *err)
{
    set_budget(options);
    struct hf_budget_scope before = hf_budget_enter(NULL); /* each input has one of its own */
    enum hf_status status = loader_read_all(names, count, options, out_profile, err);
    hf_budget_leave(before);
    if (status == HF_OK)
        hf_budget_give((*out_profile)->given_bytes);
    return status;
}

bool hf_loader_is_folded(const char *name)
{
    struct hf_input input;
    if (strcmp(name, "-") == 0 || !hf_file_is_readable(name) ||
        hf_input_open(&input, name, NULL) != HF_OK)
        return false;
    bool is_folded = hf_folded_input_is(&input);
    hf_input_close(&input);
    return is_folded;
}

static enum hf_status load_side(const char *const *names, size_t count,
    const struct hf_loader_options *options, enum hf_folded_side side,
    struct hf_folded_stacks *stacks, struct hf_error *err)
{
    const struct hf_folded_how how = {.side = side, .is_plain = true, .stacks = stacks};
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < count; i++)
        status = load_file(names[i], options, &how, &stacks->profile, err);
    return status;
}

static enum hf_status read_pair(const char *const *base, size_t base_count,
    const char *const *current, size_t current_count, const struct hf_loader_options *options,
    struct hf_profile **out_pair, struct hf_error *err)
{
    struct hf_profile *pair;
    struct hf_folded_stacks stacks;
    enum hf_status status = hf_profile_new(&pair, err);
    if (status != HF_OK)
        return status;
    status = hf_folded_stacks_init(&stacks, pair, NULL, err);
    if (status == HF_OK)
        status = load_side(current, current_count, options, HF_FOLDED_CURRENT, &stacks, err);
    if (status == HF_OK)
        status = load_side(base, base_count, options, HF_FOLDED_BASE, &stacks, err);
    hf_folded_stacks_done(&stacks);
    if (status != HF_OK) {
        hf_profile_free(pair);
        return status;
    }
    hf_profile_trim(pair);
    *out_pair = pair;
    return HF_OK;
}

enum hf_status hf_loader_read_pair(const char *const *base, size_t base_count,
    const char *const *current, size_t current_count, const struct hf_loader_options *options,
    struct hf_profile **out_pair, struct hf_error *err)
{
    set_budget(options);
    struct hf_budget_scope before = hf_budget_enter(NULL);
    enum hf_status status =
        read_pair(base, base_count, current, current_count, options, out_pair, err);
    hf_budget_leave(before);
    if (status == HF_OK)
        hf_budget_give((*out_pair)->given_bytes);
    return status;
}
