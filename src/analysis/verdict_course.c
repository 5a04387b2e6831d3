#include "analysis/verdict_course.h"

#include <math.h>

#define HALF 0.5  /* of a look */
#define Z_5 1.645 /* one side, 5 % */

/* What is known at one look, and what was told then. */
struct course_walk {
    const struct hf_verdict_facts *facts;
    const struct hf_survival_course *course;
    double noise;
    bool moves;         /* at this look the shape alone decides */
    bool is_leak;       /* told, */
    bool is_by_shape;   /* because of the shape */
    bool is_for;        /* this look is for a leak */
    size_t agree;       /* looks for it, with none between that is not undecided, */
    double against;     /* against it, */
    size_t doubt;       /* and that doubt it */
    bool is_gone;       /* by this look: most of its survivors */
    size_t points_last; /* that the last look for a leak knew */
};

/* The mean of the last quarter's blocks, and that of the first one's. */
bool hf_verdict_moves(const double *values, const double *objects, size_t count, bool lengthens)
{
    size_t part = count / 4 != 0 ? count / 4 : 1;
    double bytes[2] = {0}, blocks[2] = {0};
    for (size_t i = 0; i < part; i++) {
        bytes[0] += values[i];
        blocks[0] += objects[i];
        bytes[1] += values[count - 1 - i];
        blocks[1] += objects[count - 1 - i];
    }
    bool are_few = blocks[1] < HF_VERDICT_MOVES_BLOCKS * (double)part;
    return (are_few || lengthens) &&
           bytes[1] * blocks[0] > HF_VERDICT_MOVES_SIZE * bytes[0] * blocks[1];
}

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

/*
 * The total has levelled off, or bends: and not so little that the bend of a cache is rejected.
 * With fewer survivors, that is no leak, whether or not it bends enough to be told a cache: so what
 * fills ever more slowly is not called a leak until it is full.
 */
static bool slows_at(const struct course_walk *w, size_t look)
{
    struct hf_trend trend;
    (void)shape_at(w, points_of(w, look), &trend);
    double straight = (HF_VERDICT_CACHE_BEND - trend.bend) / trend.bend_error;
    return trend.shape == HF_TREND_LEVELLED ||
           (trend.shape == HF_TREND_SATURATING && straight <= Z_5);
}

static bool is_cache(enum hf_verdict_kind kind)
{
    return kind == HF_VERDICT_FULL_CACHE || kind == HF_VERDICT_FILLING_CACHE;
}

/* Old blocks die; early, and beside some that may stay, that says less. */
static double weight_of_renewal(const struct hf_survival_look *at, size_t look)
{
    if (at->may_stay)
        return 0;
    return look + 1 <= (size_t)2 * HF_VERDICT_EARLY ? HALF : 1;
}

/* How much this look says against a leak. Shapes take time to be found: they are asked only where
 * they decide. */
static double weight_against(const struct course_walk *w, size_t look)
{
    const struct hf_survival_look *at = &w->course->looks[look];
    if (w->moves)
        return is_cache(shape_kind_at(w, look)) ? 1 : 0;
    switch (at->kind) {
    case HF_SURVIVAL_RENEWED: return weight_of_renewal(at, look);
    case HF_SURVIVAL_ENDED: return at->fall >= HF_SURVIVAL_FALL ? 1 : 0;
    case HF_SURVIVAL_UNDECIDED:
        return !at->is_doubted && at->fall >= HF_SURVIVAL_FALL && slows_at(w, look) ? 1 : 0;
    case HF_SURVIVAL_UNKNOWN:
    case HF_SURVIVAL_LEAK: break;
    }
    return 0;
}

static bool moves_at(const struct course_walk *w, size_t look)
{
    return w->course->looks[look].kind == HF_SURVIVAL_RENEWED &&
           hf_verdict_moves(w->facts->values, w->facts->objects, points_of(w, look),
               w->course->looks[look].lengthens);
}

static void course_see(struct course_walk *w, size_t look)
{
    const struct hf_survival_look *at = &w->course->looks[look];
    w->moves = moves_at(w, look);
    w->is_for = w->moves ? shape_kind_at(w, look) == HF_VERDICT_LEAK : at->kind == HF_SURVIVAL_LEAK;
    bool is_doubt = at->kind == HF_SURVIVAL_UNDECIDED && at->is_doubted;
    double against = w->is_leak ? weight_against(w, look) : 0;
    w->is_gone = at->is_gone && !w->is_by_shape;
    /* That fewer come does not begin the count anew: asked of all sets, it changes no verdict. */
    if (w->is_for)
        w->agree++;
    else if (w->moves || at->kind != HF_SURVIVAL_UNDECIDED || is_doubt)
        w->agree = 0;
    w->against = against > 0 ? w->against + against : 0;
    w->doubt = is_doubt ? w->doubt + 1 : 0;
    w->points_last = w->is_for ? points_of(w, look) : w->points_last;
}

/* Survivors and the shape are two that agree. */
static bool begins(const struct course_walk *w, size_t look)
{
    if (!w->is_for)
        return false;
    if (!w->moves && w->course->looks[look].is_sure)
        return true;
    if (w->course->looks[look].is_thin)
        return look + 1 > (size_t)2 * HF_VERDICT_EARLY && w->agree >= HF_VERDICT_AGREE_THIN;
    if (look + 1 <= HF_VERDICT_EARLY)
        return w->agree >= HF_VERDICT_AGREE_EARLY;
    return w->agree >= HF_VERDICT_AGREE || shape_kind_at(w, look) == HF_VERDICT_LEAK;
}

static bool is_taken_back(const struct course_walk *w, size_t look)
{
    double enough = HF_VERDICT_AGREE;
    if (w->is_by_shape)
        enough = fmax(HF_VERDICT_AGREE_SHAPE, (double)(look + 1) / (double)HF_VERDICT_SHAPE_PART);
    return w->is_gone || w->against >= enough || w->doubt >= HF_VERDICT_AGREE;
}

/* As it was found by the last look that showed it; undecided if a loss explains it. */
static struct hf_verdict leak_of(const struct course_walk *w)
{
    struct hf_verdict_facts facts = *w->facts;
    struct hf_trend trend;
    if (w->is_by_shape) {
        struct hf_verdict verdict = shape_at(w, w->points_last, &trend);
        verdict.is_by_shape = true;
        return verdict;
    }
    facts.survival = &w->course->leak;
    return hf_verdict_of(&facts);
}

struct hf_verdict hf_verdict_of_course(
    const struct hf_verdict_facts *facts, const struct hf_survival_course *course, double noise)
{
    struct hf_verdict now = hf_verdict_of(facts);
    struct course_walk w = {.facts = facts, .course = course, .noise = noise};
    for (size_t look = 0; look < course->count; look++) {
        course_see(&w, look);
        w.is_leak = w.is_leak ? !is_taken_back(&w, look) : begins(&w, look);
        w.is_by_shape = w.is_leak && (w.is_for ? w.moves : w.is_by_shape);
    }
    if (!w.is_leak) {
        now.kind = now.kind == HF_VERDICT_LEAK ? HF_VERDICT_UNDECIDED : now.kind;
        return now;
    }
    struct hf_verdict leak = leak_of(&w);
    leak.held_s = facts->times_s[facts->count - 1] - facts->times_s[w.points_last - 1];
    return leak;
}
