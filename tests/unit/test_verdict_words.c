/* Each sentence of a verdict, of facts that are made up. */
#include "analysis/verdict.h"

#include "check.h"

#include <math.h>

#define MIB 1048576.0

static const double times_s[] = {60, 1800, 3600}, values[] = {1 * MIB, 7 * MIB, 5 * MIB};

static struct hf_trend trend;
static struct hf_survival survival;
static struct hf_verdict_facts facts;

/* Grows by 1 MiB a minute, 0.5 to 1.5, exactly recorded; births are not known. */
static void begin(void)
{
    trend = (struct hf_trend){.shape = HF_TREND_GROWING,
        .slope = MIB / 60,
        .low = MIB / 120,
        .high = MIB / 40,
        .rise = 4 * MIB,
        .growth = 59 * MIB,
        .samples = INFINITY,
        .bend = 0.01,
        .bend_error = 0.1,
        .break_s = 660,
        .halves = 0.9,
        .level = 9 * MIB};
    survival = (struct hf_survival){.kind = HF_SURVIVAL_LEAK,
        .rate = MIB / 30,
        .rate_low = MIB / 60,
        .rate_high = MIB / 20,
        .age_s = 90,
        .lost = 0.034,
        .gone_s = 12,
        .has_onset = true,
        .onset_s = 600,
        .survivors = 40,
        .onset_low_s = 300,
        .onset_high_s = 900};
    facts = (struct hf_verdict_facts){.trend = &trend,
        .times_s = times_s,
        .values = values,
        .count = HF_COUNT(times_s),
        .share = 0.426,
        .old_freed = NAN,
        .is_bytes = true,
        .began_s = 30};
}

static void check_sentence(enum hf_verdict_kind kind, const char *expected)
{
    struct hf_out out = {0};
    const struct hf_verdict verdict = {.kind = kind, .confidence = 0.9};
    hf_verdict_sentence(&verdict, &facts, HF_TEXT("f"), &out);
    check_out(&out, expected);
    hf_out_done(&out);
}

static void check_evidence(enum hf_verdict_kind kind, const char *expected)
{
    struct hf_out out = {0};
    const struct hf_verdict verdict = {.kind = kind, .confidence = 0.9};
    hf_verdict_evidence(&verdict, &facts, &out);
    check_out(&out, expected);
    hf_out_done(&out);
}

/* The first profile is of 02:00 on a day; blocks stay since ten minutes and a half later. */
static void check_by_the_clock(void)
{
    static const struct hf_verdict_left left = {1 << 30, 3600, 3000, 4440};
    static const struct hf_verdict_left tomorrow = {1 << 30, 86400, 80000, INFINITY};
    struct hf_verdict_event event = {"mark", HF_TEXT("deploy-17"), 300};
    facts.has_clock = true;
    facts.first_ms = INT64_C(1700013600000);
    facts.blocks = 604;
    facts.freed = 0;
    facts.freed_in = HF_TEXT("g");
    facts.event = &event;
    facts.left = &left;
    check_sentence(HF_VERDICT_LEAK,
        "LEAK since 02:10 UTC, 5.5 min after mark deploy-17: f keeps 2.0 MiB/min (1.0 MiB to 3.0 "
        "MiB), 43 % of all growth; at this rate the limit of 1.0 GiB is reached at 04:00 UTC ± 12 "
        "min; of 604 blocks 0 were freed; siblings are freed in g.");
    event.time_s = 600;
    facts.left = &tomorrow;
    facts.freed = 1;
    facts.freed_in = (struct hf_text){0};
    check_sentence(HF_VERDICT_LEAK,
        "LEAK since 02:10 UTC, about at mark deploy-17: f keeps 2.0 MiB/min (1.0 MiB to 3.0 MiB), "
        "43 % of all growth; at this rate the limit of 1.0 GiB is reached at 2023-11-16 03:00 UTC; "
        "of 604 blocks 1 was freed.");
    facts.has_clock = false;
    facts.event = NULL;
    facts.left = &left;
    facts.blocks = 0;
    check_sentence(HF_VERDICT_LEAK,
        "LEAK since 50 min before the last profile: f keeps 2.0 MiB/min (1.0 MiB to 3.0 MiB), 43 % "
        "of all growth; at this rate the limit of 1.0 GiB is reached in 60 min ± 12 min; of 40 "
        "sampled blocks that stayed, at most 3 % were freed.");
    facts.left = NULL;
}

static void test_sentences(void **state)
{
    (void)state;
    begin();
    check_sentence(HF_VERDICT_LEAK,
        "LEAK: f grows by 1.0 MiB/min (512.0 KiB to 1.5 MiB), 43 % of all growth.");
    facts.survival = &survival;
    check_sentence(HF_VERDICT_LEAK,
        "LEAK since 50 min before the last profile: f keeps 2.0 MiB/min (1.0 MiB to 3.0 MiB), 43 % "
        "of all growth; of 40 sampled blocks that stayed, at most 3 % were freed.");
    check_by_the_clock();
    survival.has_onset = false;
    check_sentence(HF_VERDICT_LEAK,
        "LEAK: f keeps 1.0 MiB/min (512.0 KiB to 1.5 MiB), 43 % of all growth; of 40 sampled "
        "blocks that stayed, at most 3 % were freed.");
    survival.has_onset = true;
    survival.kind = HF_SURVIVAL_UNDECIDED;
    check_sentence(HF_VERDICT_LEAK,
        "LEAK: f grows by 1.0 MiB/min (512.0 KiB to 1.5 MiB), 43 % of all growth.");
    check_sentence(HF_VERDICT_FILLING_CACHE,
        "f is a filling cache: it grows more and more slowly, towards 9.0 MiB.");
    check_sentence(HF_VERDICT_FULL_CACHE,
        "f is a full cache: it grew for 10 min, and has not grown in the 49 min since.");
    check_sentence(HF_VERDICT_BURST, "f grew once, by 6.0 MiB in a short time.");
    check_sentence(HF_VERDICT_UNDECIDED, "f grows +1.0 MiB/min (+512.0 KiB to +1.5 MiB); it is "
                                         "too early to tell whether it is a leak.");
    check_sentence(HF_VERDICT_TOO_LITTLE, "f: there is too little data for a verdict.");
}

static void test_steady(void **state)
{
    static const struct {
        enum hf_trend_shape shape;
        enum hf_survival_kind kind;
        const char *expected;
    } rows[] = {
        {HF_TREND_STEADY, HF_SURVIVAL_RENEWED, "f is steady between 1.0 MiB and 7.0 MiB."},
        {HF_TREND_SAWTOOTH, HF_SURVIVAL_ENDED, "f goes up and down between 1.0 MiB and 7.0 MiB."},
        {HF_TREND_FALLING, HF_SURVIVAL_ENDED, "f shrinks, between 1.0 MiB and 7.0 MiB."},
        {HF_TREND_GROWING, HF_SURVIVAL_UNDECIDED, "f is steady between 1.0 MiB and 7.0 MiB."},
        {HF_TREND_GROWING, HF_SURVIVAL_RENEWED,
            "f is renewed all the time, and holds what is needed, between 1.0 MiB and 7.0 MiB."},
        {HF_TREND_SATURATING, HF_SURVIVAL_RENEWED,
            "f is renewed all the time, and holds what is needed, between 1.0 MiB and 7.0 MiB."},
        {HF_TREND_SATURATING, HF_SURVIVAL_ENDED,
            "f has kept little of what it allocated lately, between 1.0 MiB and 7.0 MiB."},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        begin();
        trend.shape = rows[i].shape;
        survival.kind = rows[i].kind;
        facts.survival = &survival;
        check_sentence(HF_VERDICT_STEADY, rows[i].expected);
    }
    facts.survival = NULL;
    trend.shape = HF_TREND_GROWING;
    check_sentence(HF_VERDICT_STEADY, "f is steady between 1.0 MiB and 7.0 MiB.");
}

static void test_numbers(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } durations[] = {{0, "0 s"}, {1.6, "2 s"}, {45, "45 s"}, {116, "116 s"}, {117, "1.9 min"},
        {118, "2.0 min"}, {596, "9.9 min"}, {597, "10 min"}, {600, "10 min"}, {7000, "117 min"},
        {7020, "1.9 h"}, {7200, "2.0 h"}, {36000, "10 h"}, {168479, "47 h"}, {168480, "1.9 d"},
        {172800, "2.0 d"}, {8640000, "100 d"}};
    static const struct {
        double slope;
        bool is_bytes;
        const char *text;
    } rates[] = {{0, true, "+0 B/min"}, {0, false, "+0.0/min"}, {-MIB / 60, true, "-1.0 MiB/min"},
        {0.5, true, "+30 B/min"}, {-1024, true, "-60.0 KiB/min"}, {-0.5, false, "-30.0/min"},
        {1.5, false, "+90.0/min"}, {1.66, false, "+99.6/min"}, {100.0 / 60, false, "+100/min"},
        {2, false, "+120/min"}, {20, false, "+1,200/min"}, {-100, false, "-6,000/min"},
        {1e30, true, "+over 16.0 EiB/min"}};
    struct hf_out out = {0};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(durations); i++) {
        hf_verdict_duration(durations[i].seconds, &out);
        check_out(&out, durations[i].text);
    }
    for (size_t i = 0; i < HF_COUNT(rates); i++) {
        hf_verdict_rate(rates[i].slope, rates[i].is_bytes, &out);
        check_out(&out, rates[i].text);
        hf_verdict_flow(fabs(rates[i].slope), rates[i].is_bytes, &out);
        check_out(&out, rates[i].text + 1); /* the same, without the sign */
    }
    hf_verdict_amount(-5, true, &out);
    check_out(&out, "0 B");
    hf_verdict_amount(1234567, false, &out);
    check_out(&out, "1,234,567");
    hf_verdict_amount(1e30, true, &out);
    check_out(&out, "over 16.0 EiB");
    hf_verdict_amount(1e30, false, &out);
    check_out(&out, "over 18,446,744,073,709,551,615");
    hf_out_done(&out);
}

static const double many_s[] = {60, 560, 1060, 1560, 2060, 2560, 3060, 3600},
                    many[] = {MIB, 2 * MIB, 3 * MIB, 4 * MIB, 4 * MIB, 5 * MIB, 6 * MIB, 7 * MIB};

static void begin_many(void)
{
    begin();
    facts.times_s = many_s;
    facts.values = many;
    facts.count = HF_COUNT(many);
}

#define WAY "It went from 1.0 MiB to 7.0 MiB in 59 min, in 8 points."
#define BEND " Bend 0.01 ± 0.20 (a straight line has 0, a cache 0.1 or more)."
#define NO_BEND " It ends about where it began, so the shape of its growth says nothing."
#define CACHE " A cache that is far from full and has freed nothing would look the same."
#define AGAIN " Look again after 59 min more: a leak keeps growing at the same rate."
#define SLOWS " Its growth slows down, but not like that of a cache that will soon be full."

static void test_evidence(void **state)
{
    (void)state;
    begin();
    check_evidence(HF_VERDICT_STEADY, "It went from 1.0 MiB to 5.0 MiB in 59 min, in 3 points.");
    check_evidence(HF_VERDICT_TOO_LITTLE,
        "It went from 1.0 MiB to 5.0 MiB in 59 min, in 3 points. Give at least 6 profiles over a "
        "longer time, or sample more often.");
    begin_many();
    check_evidence(HF_VERDICT_LEAK, WAY BEND CACHE);
    check_evidence(HF_VERDICT_STEADY, WAY BEND);
    trend.samples = 1234;
    check_evidence(HF_VERDICT_STEADY,
        "It went from 1.0 MiB to 7.0 MiB in 59 min, in 8 points; the growth is estimated from 1234 "
        "samples." BEND);
    trend.samples = INFINITY;
    static const bool bends[] = {[HF_TREND_GROWING] = true,
        [HF_TREND_SATURATING] = true,
        [HF_TREND_LEVELLED] = true,
        [HF_TREND_FALLING] = false};
    for (size_t shape = 0; shape < HF_COUNT(bends); shape++) {
        trend.shape = (enum hf_trend_shape)shape;
        check_evidence(HF_VERDICT_STEADY, bends[shape] ? WAY BEND : WAY);
    }
    trend.shape = HF_TREND_GROWING;
    trend.bend_error = 100;
    check_evidence(HF_VERDICT_STEADY, WAY NO_BEND);
    trend.bend_error = 0.1;
    trend.bend = -100;
    check_evidence(HF_VERDICT_STEADY, WAY NO_BEND);
}

static void test_evidence_of_births(void **state)
{
    (void)state;
    begin_many();
    facts.survival = &survival;
    check_evidence(HF_VERDICT_LEAK,
        WAY BEND " Blocks that became older than 90 s stay: at most 3 % of them were freed, and "
                 "new ones keep coming. It began between 54 min and 44 min before the last "
                 "profile." CACHE);
    survival.age_s = 0;
    check_evidence(HF_VERDICT_LEAK,
        WAY BEND " Its blocks stay: at most 3 % of them were freed, and new ones keep coming. It "
                 "began between 54 min and 44 min before the last profile." CACHE);
    survival.age_s = 90;
    survival.onset_high_s = 3600;
    check_evidence(HF_VERDICT_LEAK,
        WAY BEND " Blocks that became older than 90 s stay: at most 3 % of them were freed, and "
                 "new ones keep coming. It began between 54 min and 0 s before the last "
                 "profile." CACHE);
    survival.has_onset = false;
    survival.onset_high_s = 900;
    check_evidence(HF_VERDICT_LEAK,
        WAY BEND " Blocks that became older than 90 s stay: at most 3 % of them were freed, and "
                 "new ones keep coming. It began between the start of the recording and "
                 "44 min before the last profile." CACHE);
    survival.onset_high_s = 300;
    check_evidence(HF_VERDICT_LEAK,
        WAY BEND " Blocks that became older than 90 s stay: at most 3 % of them were freed, and "
                 "new ones keep coming." CACHE);
    survival.kind = HF_SURVIVAL_RENEWED;
    check_evidence(HF_VERDICT_STEADY, WAY BEND " Of what it allocates, 90 % is freed within 12 s.");
    survival.gone_s = NAN;
    check_evidence(HF_VERDICT_STEADY, WAY BEND);
    survival.kind = HF_SURVIVAL_UNDECIDED;
    check_evidence(HF_VERDICT_STEADY, WAY BEND);
    check_evidence(HF_VERDICT_UNDECIDED,
        WAY BEND " Too few of its blocks are old enough to tell whether they stay, or fewer "
                 "come." AGAIN);
}

/* Found before, and told still. */
static void test_evidence_of_a_held_leak(void **state)
{
    struct hf_out out = {0};
    const struct hf_verdict verdict = {.kind = HF_VERDICT_LEAK, .confidence = 0.9, .held_s = 720};
    (void)state;
    begin_many();
    hf_verdict_evidence(&verdict, &facts, &out);
    check_out(&out, WAY BEND " The profiles of the last 12 min alone would not show this, but "
                             "nothing in them speaks against it." CACHE);
    hf_out_done(&out);
}

static void test_doubts(void **state)
{
    (void)state;
    begin_many();
    check_evidence(HF_VERDICT_UNDECIDED, WAY BEND AGAIN);
    trend.shape = HF_TREND_SATURATING;
    check_evidence(HF_VERDICT_UNDECIDED, WAY BEND SLOWS AGAIN);
    trend.has_stopped = true;
    check_evidence(HF_VERDICT_UNDECIDED, WAY BEND " It has not grown lately." SLOWS AGAIN);
    trend.shape = HF_TREND_GROWING;
    facts.old_freed = HF_VERDICT_OLD_FREED - 0.001;
    check_evidence(HF_VERDICT_UNDECIDED, WAY BEND " It has not grown lately." AGAIN);
    facts.old_freed = HF_VERDICT_OLD_FREED;
    check_evidence(HF_VERDICT_UNDECIDED,
        WAY BEND " Later, 8 % of its old memory was freed, as a cache does." AGAIN);
    facts.lost_samples = INFINITY;
    check_evidence(HF_VERDICT_UNDECIDED,
        WAY BEND " The same amount may have been lost: record again with a larger --budget." AGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_evidence_of_births),
        cmocka_unit_test(test_evidence_of_a_held_leak),
        cmocka_unit_test(test_doubts),
    };
    return cmocka_run_group_tests_name("verdict_words", tests, NULL, NULL);
}
