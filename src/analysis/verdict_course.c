#include "analysis/verdict_course.h"

#include <math.h>

/* What is known at one look, and what was told then. */
struct course_walk {
    const struct hf_verdict_facts *facts;
    const struct hf_survival_course *course;
    double noise;
    bool moves;         /* the shape alone decides */
    bool is_leak;       /* told */
    size_t agree;       /* looks that follow each other, for a leak, */
    size_t against;     /* against it, */
    size_t doubt;       /* and that doubt it */
    bool is_gone;       /* by this look: most of its survivors */
    size_t points_last; /* that the last look for a leak knew */
};

static size_t points_of(const struct course_walk *w, size_t look)
{
    return w->facts->count - w->course->count + look + 1;
}

/* By the first points alone; `survival`: NULL, or one that says that blocks move. */
static struct hf_verdict shape_at(
    const struct course_walk *w, size_t points, struct hf_trend *out_trend)
{
    struct hf_verdict_facts facts = *w->facts;
    const struct hf_survival moves = {.kind = HF_SURVIVAL_UNKNOWN, .moves = w->moves};
    *out_trend =
        hf_trend_of(&(struct hf_trend_points){facts.times_s, facts.values, points, w->noise});
    facts.trend = out_trend;
    facts.count = points;
    facts.old_freed = NAN;
    facts.survival = &moves;
    return hf_verdict_of(&facts);
}

static enum hf_verdict_kind shape_kind_at(const struct course_walk *w, size_t look)
{
    struct hf_trend trend;
    return shape_at(w, points_of(w, look), &trend).kind;
}

static bool is_cache(enum hf_verdict_kind kind)
{
    return kind == HF_VERDICT_FULL_CACHE || kind == HF_VERDICT_FILLING_CACHE;
}

/* Shapes take time to be found: they are asked only where they decide. */
static void course_see(struct course_walk *w, size_t look)
{
    const struct hf_survival_look *at = &w->course->looks[look];
    enum hf_survival_kind kind = w->moves ? HF_SURVIVAL_UNKNOWN : at->kind;
    bool is_for = kind == HF_SURVIVAL_LEAK;
    bool is_against = kind == HF_SURVIVAL_RENEWED || kind == HF_SURVIVAL_ENDED;
    bool is_doubt = kind == HF_SURVIVAL_UNDECIDED && at->is_doubted;
    if (w->moves) {
        enum hf_verdict_kind shape = shape_kind_at(w, look);
        is_for = shape == HF_VERDICT_LEAK;
        is_against = is_cache(shape);
    } else if (kind == HF_SURVIVAL_UNDECIDED && !is_doubt && w->is_leak) {
        is_against = is_cache(shape_kind_at(w, look));
    }
    w->is_gone = at->is_gone && !w->moves;
    w->agree = is_for ? w->agree + 1 : 0;
    w->against = is_against ? w->against + 1 : 0;
    w->doubt = is_doubt ? w->doubt + 1 : 0;
    w->points_last = is_for ? points_of(w, look) : w->points_last;
}

/* Survivors and the shape are two that agree. */
static bool begins(const struct course_walk *w, size_t look)
{
    if (look + 1 <= HF_VERDICT_EARLY)
        return w->agree >= HF_VERDICT_AGREE_EARLY;
    return w->agree >= HF_VERDICT_AGREE ||
           (w->agree != 0 && shape_kind_at(w, look) == HF_VERDICT_LEAK);
}

static bool is_taken_back(const struct course_walk *w, size_t look)
{
    double enough = HF_VERDICT_AGREE;
    if (w->moves)
        enough = fmax(HF_VERDICT_AGREE_SHAPE, (double)(look + 1) / (double)HF_VERDICT_SHAPE_PART);
    return w->is_gone || (double)w->against >= enough || w->doubt >= HF_VERDICT_AGREE;
}

/* As it was found by the last look that showed it; undecided if a loss explains it. */
static struct hf_verdict leak_of(const struct course_walk *w)
{
    struct hf_verdict_facts facts = *w->facts;
    struct hf_trend trend;
    if (w->moves)
        return shape_at(w, w->points_last, &trend);
    facts.survival = &w->course->leak;
    return hf_verdict_of(&facts);
}

struct hf_verdict hf_verdict_of_course(
    const struct hf_verdict_facts *facts, const struct hf_survival_course *course, double noise)
{
    struct hf_verdict now = hf_verdict_of(facts);
    struct course_walk w = {
        .facts = facts, .course = course, .noise = noise, .moves = facts->survival->moves};
    for (size_t look = 0; look < course->count; look++) {
        course_see(&w, look);
        w.is_leak = w.is_leak ? !is_taken_back(&w, look) : begins(&w, look);
    }
    if (!w.is_leak) {
        now.kind = now.kind == HF_VERDICT_LEAK ? HF_VERDICT_UNDECIDED : now.kind;
        return now;
    }
    struct hf_verdict leak = leak_of(&w);
    leak.held_s = facts->times_s[facts->count - 1] - facts->times_s[w.points_last - 1];
    return leak;
}
