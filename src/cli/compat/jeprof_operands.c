#include "answer/operand.h"
#include "base/strings/num.h"
#include "cli/compat/jeprof.h"
#include "formats/format.h"
#include "os/file.h"

#include <stdio.h>
#include <stdlib.h>

/* "localhost:8080" or "host:80/pprof/heap", and no file of that name. */
static bool is_host_and_port(const char *operand)
{
    struct hf_text text = hf_text_of(operand);
    struct hf_text host = hf_text_first(text, hf_text_find(text, ':'));
    struct hf_text port = hf_text_from(text, host.size + 1);
    port = hf_text_first(port, hf_text_find(port, '/'));
    uint64_t number;
    return host.size != 0 && hf_text_find(host, '/') == host.size && hf_num_u64(port, &number) &&
           !hf_file_is_readable(operand);
}

/* True for a profile that begins with its names: jeprof then takes no program. */
static bool jeprof_operands_has_names(const char *path)
{
    struct hf_input input;
    struct hf_text first_bytes;
    if (!hf_file_is_readable(path) || hf_input_open(&input, path, NULL) != HF_OK)
        return false;
    bool has = hf_input_peek(&input, HF_FORMAT_PEEK_BYTES, &first_bytes, NULL) == HF_OK &&
               hf_format_symbolized.bid(first_bytes) != HF_BID_NO;
    hf_input_close(&input);
    return has;
}

/* Replaces HOST:PORT by a URL. */
static enum hf_status make_urls(
    struct hf_jeprof_operands *found, const char **operands, size_t count, struct hf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        char *url;
        if (hf_operand_is_url(operands[i]) || !is_host_and_port(operands[i]))
            continue;
        if (asprintf(&url, "http://%s", operands[i]) < 0)
            return hf_error_memory(err);
        found->urls[found->url_count++] = url;
        operands[i] = url;
    }
    return HF_OK;
}

enum hf_status hf_jeprof_operands_init(struct hf_jeprof_operands *found,
    struct hf_jeprof_options *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_request *request = &options->report.view.request;
    struct hf_name_list *base = &request->comparison.base;
    *found = (struct hf_jeprof_operands){.title = operands->items[0]};
    found->urls = calloc(operands->count + base->count, sizeof *found->urls);
    if (found->urls == NULL)
        return hf_error_memory(err);
    enum hf_status status = make_urls(found, operands->items, operands->count, err);
    if (status == HF_OK)
        status = make_urls(found, base->items, base->count, err);
    if (status != HF_OK)
        return status;
    /* One operand is a profile that names its program itself. */
    bool has_program = operands->count > 1 && !hf_operand_is_url(operands->items[0]) &&
                       !jeprof_operands_has_names(operands->items[0]);
    if (has_program)
        request->names.exe = operands->items[0];
    found->profiles = operands->items + has_program;
    found->count = operands->count - has_program;
    return HF_OK;
}

void hf_jeprof_operands_done(struct hf_jeprof_operands *found)
{
    for (size_t i = 0; i < found->url_count; i++)
        free(found->urls[i]);
    free(found->urls);
    *found = (struct hf_jeprof_operands){0};
}

static int jeprof_operands_compare_uids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* One table for each thread, in the order of their numbers. */
static enum hf_status write_threads(struct hf_jeprof_options *options, const char *const *profiles,
    size_t count, struct hf_profile *profile, struct hf_error *err)
{
    uint64_t *uids = calloc(profile->thread_count + 1, sizeof *uids);
    enum hf_status status = uids != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < profile->thread_count && status == HF_OK; i++)
        uids[i] = profile->threads[i].uid;
    if (status == HF_OK)
        qsort(uids, profile->thread_count, sizeof *uids, jeprof_operands_compare_uids);
    options->report.view.request.given = profile;
    for (size_t i = 0; i < profile->thread_count && status == HF_OK; i++) {
        char uid[24];
        (void)snprintf(uid, sizeof uid, "%llu", (unsigned long long)uids[i]);
        struct hf_report_options report = options->report;
        report.view.request.fold.thread = report.table.thread = uid;
        status = hf_report_table(&report, profiles, count, err);
        options->report.view.common = report.view.common;
    }
    free(uids);
    return status;
}

enum hf_status hf_jeprof_table(struct hf_jeprof_options *options, const char *const *profiles,
    size_t count, struct hf_error *err)
{
    struct hf_view_options *view = &options->report.view;
    const char *thread = view->request.fold.thread;
    if (thread == NULL || !hf_text_is(hf_text_of(thread), "*")) {
        options->report.table.thread = thread;
        return hf_report_table(&options->report, profiles, count, err);
    }
    struct hf_profile *profile;
    enum hf_status status =
        hf_view_load(hf_view_options_request(view), profiles, count, &profile, err);
    if (status != HF_OK)
        return status;
    status = write_threads(options, profiles, count, profile, err);
    view->request.given = NULL;
    hf_profile_free(profile);
    return status;
}
