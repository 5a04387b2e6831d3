#include "answer/filters.h"

#include <string.h>

static enum hf_status filters_compile(
    struct hf_fold_options *fold, const struct hf_request_fold *wanted, struct hf_error *err)
{
    const struct {
        const char *name, *pattern;
        struct hf_regex **regex;
    } all[] = {
        {"focus", wanted->focus, &fold->focus},
        {"ignore", wanted->ignore, &fold->ignore},
        {"retain", wanted->retain, &fold->retain},
        {"exclude", wanted->exclude, &fold->exclude},
        {"callers-of", wanted->callers_of, &fold->callers},
    };
    for (size_t i = 0; i < HF_COUNT(all); i++) {
        if (all[i].pattern == NULL || all[i].pattern[0] == '\0')
            continue;
        enum hf_status status = hf_regex_new(all[i].pattern, all[i].regex, err);
        if (status != HF_OK) {
            hf_error_context(err, "--%s", all[i].name);
            return status;
        }
    }
    return HF_OK;
}

static unsigned filters_marks(const struct hf_request_fold *wanted)
{
    return (wanted->marks_kernel || wanted->marks_all ? HF_MARK_KERNEL : 0) |
           (wanted->marks_inlined || wanted->marks_all ? HF_MARK_INLINED : 0) |
           (wanted->marks_jit || wanted->marks_all ? HF_MARK_JIT : 0);
}

enum hf_status hf_filters_init(
    struct hf_filters *filters, const struct hf_request_fold *wanted, struct hf_error *err)
{
    struct hf_fold_options *fold = &filters->fold;
    *fold = (struct hf_fold_options){
        .granularity = (enum hf_granularity)wanted->granularity,
        .keep_allocator = wanted->keep_allocator,
        .keeps_threads = wanted->keeps_threads || wanted->places != NULL,
        .marks = filters_marks(wanted),
    };
    enum hf_status status = filters_compile(fold, wanted, err);
    if (wanted->thread != NULL && strcmp(wanted->thread, "*") != 0)
        fold->thread = wanted->thread;
    return status;
}

void hf_filters_done(struct hf_filters *filters)
{
    hf_regex_free(filters->fold.focus);
    hf_regex_free(filters->fold.ignore);
    hf_regex_free(filters->fold.retain);
    hf_regex_free(filters->fold.exclude);
    hf_regex_free(filters->fold.callers);
}

bool hf_filters_hide(const struct hf_request_fold *wanted)
{
    return wanted->focus != NULL || wanted->ignore != NULL || wanted->thread != NULL ||
           wanted->callers_of != NULL;
}
