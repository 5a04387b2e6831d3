/* Verdicts with memory: of looks whose answers are given, a letter each. Small ones are weak: what
 * is renewed may hide what stays, and pauses of before explain why fewer come. */
#include "analysis/verdict_course.h"

#include "check.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define MIB (1024.0 * 1024)
#define LOOKS HF_SURVIVAL_LOOKS

enum total { FLAT, RISES, FULL, SLOWS, SLOWS_LITTLE };

static double times[LOOKS], values[LOOKS], objects[LOOKS];

/* Of each total the shape alone would say: steady, leak, full cache; and undecided of those that
 * slow down: the bend is that of a cache, or so little that it is none. */
static double value_at(enum total total, size_t point)
{
    double at = (double)point;
    if (total == SLOWS || total == SLOWS_LITTLE)
        return 10 * MIB + 10 * pow(at, total == SLOWS ? 0.6 : 0.8) * MIB;
    return 10 * MIB +
           (total == FLAT ? fmod(at, 3) * 1000 : (total == FULL ? fmin(at, 12) : at) * MIB);
}

static struct hf_survival_course course_of(const char *looks)
{
    static const char letters[] = {[HF_SURVIVAL_UNKNOWN] = '?',
        [HF_SURVIVAL_LEAK] = 'L',
        [HF_SURVIVAL_RENEWED] = 'R',
        [HF_SURVIVAL_ENDED] = 'E',
        [HF_SURVIVAL_UNDECIDED] = 'U'};
    struct hf_survival_course course = {.count = strlen(looks)};
    for (size_t i = 0; i < course.count; i++) {
        struct hf_survival_look *look = &course.looks[i];
        char strong = (char)toupper(looks[i]);
        char letter = strong == 'D'                    ? 'U'
                      : strong == 'G'                  ? '?'
                      : strong == 'T' || strong == 'S' ? 'L'
                                                       : strong;
        const char *at = memchr(letters, letter, sizeof letters);
        look->kind = (enum hf_survival_kind)(at - letters);
        look->is_doubted = looks[i] == 'D';
        look->is_gone = looks[i] == 'G';
        look->is_thin = looks[i] == 'T';
        look->is_sure = looks[i] == 'S';
        look->may_stay = looks[i] == 'r';
        look->fall = looks[i] == 'e' || looks[i] == 'u' ? HF_SURVIVAL_FALL - 0.1 : HF_SURVIVAL_FALL;
        course.last.kind = look->kind;
    }
    course.leak = (struct hf_survival){.kind = HF_SURVIVAL_LEAK, .survivors = 40, .sigmas = 3};
    return course;
}

static struct hf_verdict judge(const char *looks, enum total total, bool moves, double lost)
{
    struct hf_survival_course course = course_of(looks);
    struct hf_survival last = course.last;
    if (moves && last.kind == HF_SURVIVAL_RENEWED)
        last = (struct hf_survival){.kind = HF_SURVIVAL_UNKNOWN, .moves = true};
    for (size_t i = 0; i < course.count; i++) {
        times[i] = 60 * (double)i;
        values[i] = value_at(total, i);
        objects[i] = moves ? 1 : values[i];
    }
    struct hf_trend trend = hf_trend_of(&(struct hf_trend_points){times, values, course.count, 0});
    struct hf_verdict_facts facts = {.trend = &trend,
        .times_s = times,
        .values = values,
        .objects = objects,
        .count = course.count,
        .share = 1,
        .old_freed = NAN,
        .lost_samples = lost,
        .is_bytes = true,
        .survival = &last};
    return hf_verdict_of_course(&facts, &course, 0);
}

static void waits_for_looks_that_agree(void **unused)
{
    (void)unused;
    static const struct {
        const char *looks;
        enum total total;
        enum hf_verdict_kind kind;
        double held_s;
    } cases[] = {
        /* Among the first twelve, four. */
        {"???????", RISES, HF_VERDICT_UNDECIDED, 0},
        {"???????LLL", RISES, HF_VERDICT_UNDECIDED, 0},
        {"???????LLLL", RISES, HF_VERDICT_LEAK, 0},
        {"???????LLUL", RISES, HF_VERDICT_UNDECIDED, 0},
        {"???????LLULL", RISES, HF_VERDICT_LEAK, 0}, /* an undecided look says nothing */
        {"???????LLRLL", RISES, HF_VERDICT_UNDECIDED, 0},
        {"???????LLDLL", RISES, HF_VERDICT_UNDECIDED, 0},
        {"???????LLLUU", RISES, HF_VERDICT_UNDECIDED, 0},
        /* Then two, or one and the shape. */
        {"???????RRRRRRRL", FLAT, HF_VERDICT_UNDECIDED, 0},
        {"???????RRRRRRRLL", FLAT, HF_VERDICT_LEAK, 0},
        {"???????RRRRRRRLUL", FLAT, HF_VERDICT_LEAK, 0},
        {"???????RRRRRRRLRL", FLAT, HF_VERDICT_UNDECIDED, 0},
        {"???????RRRRRRRLUU", FLAT, HF_VERDICT_STEADY, 0},
        /* One of many survivors that surely began later. */
        {"???????RRS", FLAT, HF_VERDICT_LEAK, 0},
        {"???????RRRRRRRS", FLAT, HF_VERDICT_LEAK, 0},
        {"???????RRRRRRRL", RISES, HF_VERDICT_LEAK, 0},
        {"???????RRRRRRRU", FLAT, HF_VERDICT_STEADY, 0},
        /* Of few survivors, three behind the first 24. */
        {"???????TTTTTTTTTTTTTTTTT", RISES, HF_VERDICT_UNDECIDED, 0},
        {"???????TTTTTTTTTTTTTTTTTT", RISES, HF_VERDICT_LEAK, 0},
        {"???????RRRRRRRRRRRRRRRRRTT", RISES, HF_VERDICT_UNDECIDED, 0},
        {"???????RRRRRRRRRRRRRRRRRTTT", FLAT, HF_VERDICT_LEAK, 0},
        {"???????RRRRRRRRRRRRRRRRRTL", FLAT, HF_VERDICT_LEAK, 0},
        /* It is told until something speaks against it. */
        {"???????LLLLUUUUUUU", RISES, HF_VERDICT_LEAK, 420},
        {"???????LLLLUUUUUUU", FLAT, HF_VERDICT_LEAK, 420},
        {"???????LLLLUUUUURU", RISES, HF_VERDICT_LEAK, 420},
        {"???????LLLLUUUUUEE", RISES, HF_VERDICT_STEADY, 0},
        {"???????LLLLUUUUEEU", RISES, HF_VERDICT_UNDECIDED, 0},
        /* Old blocks that die count half among the first 24. */
        {"???????LLLLUUUUURE", RISES, HF_VERDICT_LEAK, 420},
        {"???????LLLLUUUURRE", RISES, HF_VERDICT_STEADY, 0},
        {"???????LLLLUUUURRR", RISES, HF_VERDICT_LEAK, 420},
        {"???????LLLLUUURRRR", RISES, HF_VERDICT_STEADY, 0},
        {"???????LLLLLLLLLLLLLLLLRR", RISES, HF_VERDICT_LEAK, 120},
        {"???????LLLLLLLLLLLLLLLLLRR", RISES, HF_VERDICT_STEADY, 0},
        /* They say nothing if some may stay. */
        {"???????LLLLRRRrrrr", RISES, HF_VERDICT_LEAK, 420},
        {"???????LLLLRRRrR", RISES, HF_VERDICT_LEAK, 300},
        /* That fewer come says nothing if pauses explain it, neither does the total then. */
        {"???????LLLLeeeeeee", RISES, HF_VERDICT_LEAK, 420},
        {"???????LLLLuuuuuuuuuuuuuuuuuuu", FULL, HF_VERDICT_LEAK, 1140},
        {"???????LLLLUUUUUUUUUUUUUUUUUUU", FULL, HF_VERDICT_FULL_CACHE, 0},
        /* It need not be sure to be a cache; but it must bend like one. */
        {"???????LLLLuuuuuuuuuuuuuuuuuuu", SLOWS, HF_VERDICT_LEAK, 1140},
        {"???????LLLLUUUUUUUUUUUUUUUUUUU", SLOWS, HF_VERDICT_UNDECIDED, 0},
        {"???????LLLLUUUUUUUUUUUUUUUUUUU", SLOWS_LITTLE, HF_VERDICT_LEAK, 1140},
        {"???????LLLLUUUDUUU", RISES, HF_VERDICT_LEAK, 420},
        {"???????LLLLUUUDDUU", RISES, HF_VERDICT_UNDECIDED, 0},
        /* Half of what stayed is gone: at once. */
        {"???????LLLLUUG", FLAT, HF_VERDICT_STEADY, 0},
        {"???????LLLLUUGUU", FLAT, HF_VERDICT_STEADY, 0},
        /* And again. */
        {"???????LLLLRRRRRRRLL", FLAT, HF_VERDICT_LEAK, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_verdict verdict = judge(cases[i].looks, cases[i].total, false, 0);
        if (verdict.kind != cases[i].kind || fabs(verdict.held_s - cases[i].held_s) > 0.5)
            fail_msg("%s: %s, held for %.0f s", cases[i].looks, hf_verdict_name(verdict.kind),
                verdict.held_s);
    }
}

/* Blocks that move die young: only the total counts, and births say that it is known. */
static void judges_what_moves_by_shape(void **unused)
{
    (void)unused;
    const char looks[] = "???????RRRRRRRRRRRRRRRRRRRRRRR";
    assert_int_equal(judge(looks, RISES, true, 0).kind, HF_VERDICT_LEAK);
    assert_int_equal(judge(looks, FULL, true, 0).kind, HF_VERDICT_FULL_CACHE);
    assert_int_equal(judge(looks, FLAT, true, 0).kind, HF_VERDICT_STEADY);
    assert_true(judge(looks, RISES, true, 0).is_by_shape);
    assert_int_equal(judge(looks, RISES, false, 0).kind, HF_VERDICT_STEADY);
}

/* Thousands of blocks that are replaced by larger ones are no buffers that move, unless they live
 * ever longer, as a buffer does that moves whenever it has doubled. */
static void buffers_that_move_are_few(void **unused)
{
    (void)unused;
    double bytes[16], few[16], many[16];
    for (size_t i = 0; i < HF_COUNT(bytes); i++) {
        bytes[i] = (double)(i + 4) * MIB;
        few[i] = 40;
        many[i] = 3000;
    }
    assert_true(hf_verdict_moves(bytes, few, HF_COUNT(bytes), false));
    assert_false(hf_verdict_moves(bytes, many, HF_COUNT(bytes), false));
    assert_true(hf_verdict_moves(bytes, many, HF_COUNT(bytes), true));
}

/* A look at which they do not seem to move takes back what the shape showed only with many others.
 */
static void remembers_what_moved(void **unused)
{
    (void)unused;
    struct hf_verdict leak = judge("???????RRRRRRRRRRRRRRRRRRRRRRRUUU", RISES, true, 0);
    assert_true(leak.kind == HF_VERDICT_LEAK && leak.is_by_shape && leak.held_s > 0);
    leak = judge("???????RRRRRRRRRRRRRRRRRRRRRRREEEEE", RISES, true, 0);
    assert_true(leak.kind == HF_VERDICT_LEAK && leak.is_by_shape);
    leak = judge("???????RRRRRRRRRRRRRRRRRRRRRRREEEEEEEEEEE", RISES, true, 0);
    assert_int_equal(leak.kind, HF_VERDICT_STEADY);
    leak = judge("???????RRRRRRRRRRRRRRRRRRRRRRRLLLL", RISES, true, 0);
    assert_true(leak.kind == HF_VERDICT_LEAK && !leak.is_by_shape && leak.held_s == 0);
}

/* What may have been lost could explain it, whatever was told. */
static void loss_explains_a_held_leak(void **unused)
{
    (void)unused;
    assert_int_equal(judge("???????LLLLUUUU", RISES, false, INFINITY).kind, HF_VERDICT_UNDECIDED);
}

/* As sure as it was when it was found. */
static void is_as_sure_as_then(void **unused)
{
    (void)unused;
    struct hf_verdict then = judge("???????LLLL", RISES, false, 0);
    struct hf_verdict now = judge("???????LLLLUUUU", RISES, false, 0);
    assert_true(now.confidence > 0.99 && fabs(now.confidence - then.confidence) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_looks_that_agree),
        cmocka_unit_test(judges_what_moves_by_shape),
        cmocka_unit_test(buffers_that_move_are_few),
        cmocka_unit_test(remembers_what_moved),
        cmocka_unit_test(loss_explains_a_held_leak),
        cmocka_unit_test(is_as_sure_as_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
