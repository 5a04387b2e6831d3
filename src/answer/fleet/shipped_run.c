#include "answer/fleet/shipped_run.h"

#include "base/checksum.h"
#include "base/strings/out.h"
#include "profile/modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define START_MAX 32

/* Above it, the kernel puts modules where it likes, another place each time. */
#define RANDOM_PLACES (UINT64_C(1) << 32)

/* What is mapped once for all of a run, before the program begins. */
static bool is_of_start(struct hf_text name)
{
    return hf_text_starts(name, "ld-") || hf_text_starts(name, "libc.so") ||
           hf_text_starts(name, "libc-");
}

/* 0: nothing of it was put at a random place. In any order of the modules the same. */
static uint64_t sum_places(const struct hf_profile *profile)
{
    uint64_t sum = 0;
    uint32_t program = hf_modules_program(profile);
    for (size_t i = 1; i < profile->module_count; i++) {
        const struct hf_module *module = &profile->modules[i];
        struct hf_text path = hf_profile_text(profile, module->path);
        uint64_t start = UINT64_MAX;
        for (size_t s = 0; s < module->segment_count; s++) {
            uint64_t begin = module->segments[s].start - module->segments[s].file_offset;
            start = begin < start ? begin : start;
        }
        if (module->segment_count != 0 && start >= RANDOM_PLACES &&
            (i == program || is_of_start(hf_text_basename(path))))
            sum += hf_mix(start ^ hf_checksum(path.data, path.size), HF_CHECKSUM_FACTOR) | 1;
    }
    return sum;
}

static bool shipped_run_put_start(const struct hf_profile *profile, char out_start[START_MAX])
{
    const struct hf_capture_facts *capture = &profile->capture;
    uint64_t places = sum_places(profile);
    if (capture->began_ms != 0)
        (void)snprintf(out_start, START_MAX, "%" PRIu64, capture->began_ms);
    else if (capture->process_start != 0)
        (void)snprintf(out_start, START_MAX, "ticks-%" PRIu64, capture->process_start);
    else if (places != 0)
        (void)snprintf(out_start, START_MAX, "map-%016" PRIx64, places);
    else
        return false;
    return true;
}

static const char *shipped_run_keep(struct hf_shipped_run *run, struct hf_text text)
{
    return hf_arena_copy(&run->texts, text.data != NULL ? text.data : "", text.size);
}

static enum hf_status name_run(struct hf_shipped_run *run, const struct hf_profile *profile,
    const char *program, struct hf_error *err)
{
    char start[START_MAX], pid[16] = "-";
    struct hf_out name = {0};
    if (!shipped_run_put_start(profile, start))
        return hf_error_set(err, HF_ERR_USAGE,
            "does not tell which run of a process it is of: name that run with --instance");
    if (run->identity.pid != 0)
        (void)snprintf(pid, sizeof pid, "%" PRIu32, run->identity.pid);
    hf_out_printf(&name, "%s/%s/%s/%s", run->node, program[0] != '\0' ? program : "-", pid, start);
    enum hf_status status = hf_out_finish(&name, err);
    if (status == HF_OK) {
        run->name = shipped_run_keep(run, hf_out_view(&name));
        status = run->name != NULL ? HF_OK : hf_error_memory(err);
    }
    hf_out_done(&name);
    return status;
}

enum hf_status hf_shipped_run_of(struct hf_shipped_run *run, const struct hf_profile *profile,
    const struct hf_shipping_terms *terms, struct hf_error *err)
{
    char build[HF_BUILD_NAME_MAX];
    *run = (struct hf_shipped_run){0};
    enum hf_status status = hf_process_identity_of(profile, &run->identity, err);
    if (status != HF_OK)
        return status;
    const char *program = hf_process_identity_program(&run->identity);
    hf_process_identity_build(&run->identity, build);
    const char *service = terms->service != NULL ? terms->service : program;
    if (service[0] == '\0')
        return hf_error_set(err, HF_ERR_USAGE,
            "does not tell which program it is of: name the service with --service");
    run->service = shipped_run_keep(run, hf_text_of(service));
    run->build = shipped_run_keep(run, hf_text_of(terms->build != NULL ? terms->build : build));
    run->node = shipped_run_keep(run, hf_text_of(terms->node));
    if (run->service == NULL || run->build == NULL || run->node == NULL)
        return hf_error_memory(err);
    if (terms->instance == NULL)
        return name_run(run, profile, program, err);
    run->name = shipped_run_keep(run, hf_text_of(terms->instance));
    return run->name != NULL ? HF_OK : hf_error_memory(err);
}

void hf_shipped_run_done(struct hf_shipped_run *run)
{
    hf_process_identity_done(&run->identity);
    hf_arena_done(&run->texts);
    *run = (struct hf_shipped_run){0};
}

struct hf_batch_instance hf_shipped_run_instance(const struct hf_shipped_run *run)
{
    return (struct hf_batch_instance){hf_text_of(run->name), hf_text_of(run->service),
        hf_text_of(run->build), hf_text_of(run->node)};
}
