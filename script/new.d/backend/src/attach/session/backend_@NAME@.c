/*
 * backend_@NAME@.c: how it follows calls, and what the kernel must have for it.
 */
#include "attach/session/backend.h"

static enum hf_status check_@NAME@(const struct hf_probe *probes, size_t count, bool with_faults,
    uint64_t period_bytes, struct hf_error *err)
{
    (void)probes;
    (void)count;
    (void)with_faults;
    (void)period_bytes;
    return hf_error_set(err, HF_ERR_USAGE, "the backend @NAME@ is not written yet");
}

static enum hf_status open_@NAME@(
    const struct hf_backend_options *options, void **out_backend, struct hf_error *err)
{
    (void)options;
    *out_backend = NULL;
    return hf_error_set(err, HF_ERR_USAGE, "the backend @NAME@ is not written yet");
}

static enum hf_status poll_@NAME@(void *backend, int wait_ms, struct hf_error *err)
{
    (void)backend;
    (void)wait_ms;
    (void)err;
    return HF_OK;
}

static enum hf_status stop_@NAME@(void *backend, struct hf_error *err)
{
    (void)backend;
    (void)err;
    return HF_OK;
}

static void close_@NAME@(void *backend)
{
    (void)backend;
}

static struct hf_backend_progress progress_of_@NAME@(const void *backend)
{
    (void)backend;
    return (struct hf_backend_progress){0};
}

const struct hf_backend hf_backend_@NAME@ = {
    .name = "@NAME@",
    .check = check_@NAME@,
    .open = open_@NAME@,
    .poll = poll_@NAME@,
    .stop = stop_@NAME@,
    .close = close_@NAME@,
    .progress = progress_of_@NAME@,
};
