/*
 * read_profile.c: reads one profile, for bench/read.py. Prints a line:
 *
 *     peak-bytes need-bytes stacks nodes frames samples
 *
 * and, for tests/e2e/budget.py, what it took of its budget (base/budget.h):
 *
 *     given-bytes memory-bytes memory-allowed steps steps-allowed
 *
 * The peak is the kernel's VmHWM, of the whole process (a parent's rusage would hold its own, too).
 * The need is what the profile's distinct stacks consist of, each part counted once, with no room
 * to grow, no index and no malloc around it:
 *     nodes of the stack tree      x 8 bytes (parent, frame)
 *     frames                       x 40 bytes (struct hf_frame)
 *     strings                      their bytes
 *     samples                      x 8 bytes (node, thread), and 8 for each of its values
 */
#include "base/budget.h"
#include "base/strings/num.h"
#include "formats/format.h"

#include <inttypes.h>
#include <stdio.h>

static size_t need_bytes(const struct hf_profile *profile)
{
    size_t need = profile->stacks.count * sizeof *profile->stacks.nodes;
    need += profile->frames.count * sizeof(struct hf_frame);
    for (uint32_t i = 0; i < profile->strings.count; i++)
        need += hf_profile_text(profile, i).size;
    size_t row = hf_profile_stride(profile) * sizeof *profile->values;
    return need + profile->sample_count * (sizeof *profile->samples + row);
}

static size_t count_stacks(const struct hf_profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->sample_count; i++)
        count += profile->samples[i].thread == HF_THREAD_ALL;
    return count;
}

/* "VmHWM:     1234 kB" of /proc/self/status; 0 if it is not there. */
static uint64_t peak_bytes(void)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_text line;
    bool has_line = true;
    uint64_t kibibytes = 0;
    if (hf_input_open(&input, "/proc/self/status", &err) != HF_OK)
        return 0;
    while (has_line && hf_input_line(&input, &line, &has_line, &err) == HF_OK) {
        if (!hf_text_starts(line, "VmHWM:"))
            continue;
        line = hf_text_from(line, strlen("VmHWM:"));
        while (line.size != 0 && (line.data[0] == ' ' || line.data[0] == '\t'))
            line = hf_text_from(line, 1);
        if (!hf_num_take_u64(&line, &kibibytes))
            break;
    }
    hf_input_close(&input);
    return kibibytes * 1024;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3) {
        fputs("usage: read-profile FILE [PERCENT OF THE BUDGET]\n", stderr);
        return 2;
    }
    uint64_t percent;
    if (argc == 3 && hf_num_u64(hf_text_of(argv[2]), &percent))
        hf_budget_set_factor((double)percent / 100);
    struct hf_error err = {0};
    struct hf_input input;
    struct hf_profile *profile;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    enum hf_status status = hf_input_open(&input, argv[1], &err);
    if (status == HF_OK)
        status = hf_format_read(&input, &profile, &err);
    hf_budget_leave(before);
    fprintf(stderr, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
        (uint64_t)budget.given_bytes, (uint64_t)budget.memory_peak,
        hf_budget_memory_allowed(&budget), (uint64_t)budget.steps,
        hf_budget_steps_allowed(&budget));
    if (status != HF_OK) {
        char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX + 64];
        hf_error_format(&err, text, sizeof text);
        fprintf(stderr, "read-profile: %s\n", text);
        hf_input_close(&input);
        return 3;
    }
    hf_input_close(&input);
    printf("%" PRIu64 " %zu %zu %zu %" PRIu32 " %zu\n", peak_bytes(), need_bytes(profile),
        count_stacks(profile), profile->stacks.count, profile->frames.count, profile->sample_count);
    hf_profile_free(profile);
    return 0;
}
