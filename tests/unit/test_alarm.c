/* When survivors are worth a report: by hand, and how often chance alone rings. */
#include "statistics/alarm.h"

#include "check.h"

#include <math.h>

static const struct hf_alarm_rules rules = {
    .false_a_month = 0.05, .places = 10, .least_rate = 1, .learn_s = 35, .look_s = 60};

static struct hf_survival survivors_of(double count, double onset_s)
{
    return (struct hf_survival){
        .kind = HF_SURVIVAL_LEAK, .survivors = count, .age_s = 10, .onset_s = onset_s};
}

/* count x ln(10) - 0.9 x seconds in which they could have come. */
static void scores_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        double count, onset_s, now_s, sample, score;
    } cases[] = {
        {20, 0, 40, 1, 20 * 2.302585093 - 27}, {20, 20, 40, 1, 20 * 2.302585093 - 9},
        {20, 20, 40, 2, 20 * 2.302585093 - 4.5}, /* bytes of 2 a sample: half as many a second */
        {0, 0, 40, 1, -27},
        {5, 35, 40, 1, 5 * 2.302585093}, /* none is as old yet: no time has passed for them */
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_survival survival = survivors_of(cases[i].count, cases[i].onset_s);
        double score = hf_alarm_score(&rules, &survival, cases[i].sample, cases[i].now_s);
        if (fabs(score - cases[i].score) > 1e-6)
            fail_msg("case %zu: %.6f", i, score);
    }
}

/* The threshold is ln(43200 x 10 / 0.05) = 15.97. */
static void rings_at_the_threshold(void **unused)
{
    (void)unused;
    struct hf_survival survival = survivors_of(20, 0);
    struct hf_alarm_rules more = rules;
    assert_true(hf_alarm_rings(&rules, &survival, 1, 43.4));  /* 46.05 - 0.9 x 33.4 = 15.99 */
    assert_false(hf_alarm_rings(&rules, &survival, 1, 43.5)); /* 15.90 */
    more.false_a_month = 0.5;
    assert_true(hf_alarm_rings(&more, &survival, 1, 43.5));
    more = rules;
    more.places = 100;
    assert_false(hf_alarm_rings(&more, &survival, 1, 43.4));
    more = rules;
    more.learn_s = 44;
    assert_false(hf_alarm_rings(&more, &survival, 1, 43.4));
    survival.kind = HF_SURVIVAL_UNDECIDED;
    assert_false(hf_alarm_rings(&rules, &survival, 1, 43.4));
}

static double alarm_unit(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* The first second in which survivors that come at a rate ring; `seconds`: in none. Their onset is
 * the most likely one, as survival finds it: where the score has its most. */
static unsigned first_ring(double rate, unsigned seconds, uint64_t *state)
{
    double counts = 0, onset_s = 0;
    for (unsigned now = 1; now <= seconds; now++) {
        double next = 0;
        while (next -= log(alarm_unit(state)) / rate, next < 1)
            counts++;
        struct hf_survival survival = survivors_of(counts, onset_s);
        survival.age_s = 0;
        if (hf_alarm_rings(&rules, &survival, 1, now) && now > rules.learn_s)
            return now;
        if (hf_alarm_score(&rules, &survival, 1, now) <= 0) {
            counts = 0;
            onset_s = now;
        }
    }
    return seconds;
}

/* At a tenth of the least rate a month of looks is silent; at that rate it rings soon. */
static void rings_for_leaks_alone(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    unsigned delays = 0;
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(first_ring(0.1, 43200, &state), 43200);
        delays += first_ring(1, 1000, &state);
    }
    assert_true(delays / 20 <= 40); /* 35 are learned; 15.97 / (ln(10) - 0.9) = 11.4 would do */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_by_hand),
        cmocka_unit_test(rings_at_the_threshold),
        cmocka_unit_test(rings_for_leaks_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
