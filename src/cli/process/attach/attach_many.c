#include "cli/process/attach/attach_many.h"

#include "attach/keeper/keeper_line.h"
#include "cli/process/attach/attach_recording.h"
#include "cli/process/attach/attach_result.h"
#include "cli/process/attach/attach_service.h"
#include "cli/process/attach/attach_specs.h"
#include "cli/process/attach/attach_sum.h"
#include "cli/process/attach/attach_tree.h"
#include "os/process/cgroup.h"
#include "os/process/shielded_worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The words of a command line, and the numbers of these processes, whose files may be read so. */
struct looks_words {
    char **items; /* ends with NULL */
    char numbers[HF_LOOKS_MOST][12];
};

static enum hf_status looks_words_init(struct looks_words *words, char **given,
    const struct hf_look *looks, size_t count, struct hf_error *err)
{
    size_t known = 0;
    while (given[known] != NULL)
        known++;
    words->items = calloc(known + count + 1, sizeof *words->items);
    if (words->items == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < known; i++)
        words->items[i] = given[i];
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(
            words->numbers[i], sizeof words->numbers[i], "%" PRIu32, looks[i].process.pid);
        words->items[known + i] = words->numbers[i];
    }
    return HF_OK;
}

static void looks_words_done(struct looks_words *words)
{
    free(words->items);
}

/* One process of several: all but what the keeper does. What fails is said by who follows all. */
static enum hf_status look_work(const struct hf_attach_options *options, const struct hf_look *look,
    struct hf_session_options *how)
{
    struct hf_attach_specs specs = {0};
    struct hf_session session = {0};
    struct hf_error err = {0};
    enum hf_status status = hf_attach_specs_choose(&specs, options, how, &err);
    if (status == HF_OK)
        status = hf_session_open(&session, how, &err);
    if (status == HF_OK)
        status = hf_session_count(&session, &err);
    if (status == HF_OK)
        hf_recording_put_cost(look->recording, &session);
    if (status == HF_OK && !look->recording->shall_end)
        status = hf_attach_record(options, &session, look, &err);
    if (status == HF_OK && session.begin_ns == 0)
        status = hf_error_set(&err, HF_ERR_INPUT, "attach ended before its probes were in place");
    if (status == HF_OK)
        hf_recording_put(look->recording, &session);
    else
        hf_recording_put_failure(look->recording, status, &err);
    hf_session_close(&session);
    hf_attach_specs_done(&specs);
    return HF_OK;
}

/* In a process of its own: looks.h. */
static enum hf_status look_at(struct hf_attach_options *options, struct hf_session_options *how,
    const struct hf_look *look, char **given, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    struct looks_words words = {0};
    struct hf_session_options one = *how;
    bool is_worker;
    one.pid = look->process.pid;
    one.recording = look->recording;
    one.duration_ns = UINT64_MAX;
    one.is_one_of_many = true;
    one.is_late = look->is_late;
    struct hf_keeper *keeper = hf_keeper_new(one.pid);
    if (keeper == NULL)
        return hf_error_memory(err);
    const struct hf_reader_service service = hf_attach_service(keeper, &one);
    if (common->no_sandbox) {
        one.keeper = keeper;
        (void)look_work(options, look, &one);
        hf_keeper_free(keeper);
        return HF_OK;
    }
    enum hf_status status = looks_words_init(&words, given, look, 1, err);
    if (status == HF_OK)
        status = hf_reader_begin(
            &hf_cmd_attach, common, words.items, &service, &is_worker, &common->code, err);
    if (status == HF_OK && is_worker)
        return look_work(options, look, &one);
    common->has_code = true;
    if (status == HF_OK)
        status = hf_attach_gather(common, &one, words.items, &service, err);
    if (!common->has_code)
        return status;
    looks_words_done(&words);
    hf_keeper_free(keeper);
    return HF_OK;
}

static enum hf_status write_looks(struct hf_attach_options *options,
    const struct hf_session_options *how, const struct hf_looks *looks, struct hf_error *err)
{
    struct hf_session sum;
    struct hf_profile *profile;
    struct hf_live_ages ages;
    enum hf_status status =
        hf_attach_sum(looks, how, &options->report.view.request.names, &sum, &profile, &ages, err);
    return status == HF_OK ? hf_attach_write_result(options, &sum, profile, &ages, err) : status;
}

/* In a worker of its own, where files of profiles are not read with rights. */
static enum hf_status finish_looks(struct hf_attach_options *options,
    const struct hf_session_options *how, const struct hf_looks *looks, char **given,
    struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    struct looks_words words = {0};
    bool is_worker = false;
    hf_shielded_worker_end(); /* nothing is in the processes any more */
    if (common->no_sandbox)
        return write_looks(options, how, looks, err);
    enum hf_status status = looks_words_init(&words, given, looks->items, looks->count, err);
    if (status == HF_OK)
        status = hf_reader_begin(
            &hf_cmd_attach, common, words.items, NULL, &is_worker, &common->code, err);
    common->has_code = status == HF_OK && !is_worker;
    if (is_worker)
        status = write_looks(options, how, looks, err);
    looks_words_done(&words);
    return status;
}

enum hf_status hf_attach_to_many(struct hf_attach_options *options, struct hf_session_options *how,
    char **words, struct hf_error *err)
{
    char folder[PATH_MAX];
    struct hf_look *look = NULL;
    struct hf_looks *looks = calloc(1, sizeof *looks);
    if (looks == NULL)
        return hf_error_memory(err);
    enum hf_status status = HF_OK;
    looks->members.tree = how->pid;
    looks->members.cgroup = options->cgroup;
    if (options->unit != NULL) {
        status = hf_cgroup_of_unit(HF_CGROUP_MOUNT, options->unit, folder, err);
        looks->members.cgroup = folder;
    }
    hf_session_prepare();
    if (status == HF_OK)
        status = hf_attach_tree_follow(looks, how, options->report.view.common.quiet, &look, err);
    bool is_look = look != NULL;
    if (status == HF_OK && is_look)
        status = look_at(options, how, look, words, err);
    else if (status == HF_OK)
        status = finish_looks(options, how, looks, words, err);
    if (!is_look) /* the workers are not a look's own */
        hf_looks_done(looks);
    free(looks);
    return status;
}
