/*
 * trend_series.c: many profiles of one process, made one at a time and never kept: what reading
 * them costs, and what trend adds to that (bench/trend.py).
 *
 *     usage: generate-profile heap_v2 STACKS | trend-series PROFILES
 *
 * The profile on standard input is taken again and again, with other numbers: of a tenth of its
 * stacks they grow, of the others they go up and down. Prints "read S add S analyse S stacks N
 * points N", in seconds of CPU.
 */
#include "analysis/growth/growth.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "profile/fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static _Noreturn void fail(const struct hf_error *err)
{
    fprintf(stderr, "trend-series: %s\n", err->text);
    exit(1);
}

static struct hf_out read_all(FILE *from)
{
    struct hf_out all = {0};
    char block[1 << 16];
    for (size_t got; (got = fread(block, 1, sizeof block, from)) != 0;)
        hf_out_bytes(&all, block, got);
    return all;
}

/* The same stacks with other numbers. */
static void make_profile(struct hf_text base, uint64_t round, struct hf_out *out)
{
    uint64_t stack = 0;
    out->size = 0;
    while (base.size != 0) {
        struct hf_text line = hf_text_first(base, hf_text_find(base, '\n'));
        base = hf_text_from(base, line.size + 1);
        if (hf_text_starts(line, "  t*: ") && stack++ != 0) {
            uint64_t objects = stack % 10 == 0 ? 10 + round : 10 + (round * 7 + stack) % 5;
            hf_out_printf(out, "  t*: %" PRIu64 ": %" PRIu64 " [0: 0]\n", objects, objects * 4096);
        } else {
            hf_out_text(out, line);
            hf_out_char(out, '\n');
        }
    }
}

static struct hf_profile *read_profile(struct hf_text text)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, text, "profile");
    if (hf_format_read(&input, &profile, &err) != HF_OK)
        fail(&err);
    hf_input_close(&input);
    return profile;
}

int main(int argc, char **argv)
{
    uint64_t profiles;
    struct hf_error err;
    struct hf_history history = {0};
    struct hf_growth growth;
    struct hf_profile *folded;
    struct hf_fold_options fold = {.granularity = HF_BY_FUNCTION, .keeps_threads = true};
    double read_s = 0, add_s = 0, from_s;
    if (argc != 2 || !hf_num_u64(hf_text_of(argv[1]), &profiles))
        return 2;
    struct hf_out base = read_all(stdin), text = {0};
    for (uint64_t round = 0; round < profiles; round++) {
        make_profile(hf_out_view(&base), round, &text);
        from_s = cpu_s();
        struct hf_profile *profile = read_profile(hf_out_view(&text));
        read_s += cpu_s() - from_s;
        from_s = cpu_s();
        if (round == 0 && hf_history_init(&history, profile, profile->default_type, &err) != HF_OK)
            fail(&err);
        if (hf_history_add(&history, profile, NULL, (int64_t)round * 60000, &err) != HF_OK)
            fail(&err);
        add_s += cpu_s() - from_s;
        hf_profile_free(profile);
    }
    from_s = cpu_s();
    if (hf_profile_fold(history.stacks, &fold, &folded, &err) != HF_OK ||
        hf_growth_find(&growth, &history, folded, NULL, &err) != HF_OK)
        fail(&err);
    printf("read %.2f add %.2f analyse %.2f stacks %zu points %zu\n", read_s, add_s,
        cpu_s() - from_s, history.stacks->sample_count / history.count, history.count);
    hf_growth_done(&growth);
    hf_profile_free(folded);
    hf_history_done(&history);
    hf_out_done(&base);
    hf_out_done(&text);
    return 0;
}
