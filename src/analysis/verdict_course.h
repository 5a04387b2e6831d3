/*
 * verdict_course.h: the verdict on a place, as its profiles came: a leak is told when several
 * profiles agree, and taken back only by evidence against it, never for lack of evidence.
 * So a verdict does not come and go with each profile.
 *
 * Nothing is kept between commands: what a history keeps of its profiles says what would have been
 * told after each of them, so who reads a folder of files gets the verdict that a watcher of the
 * same profiles has.
 *
 * What each look says:
 *
 *   - for a leak: survivors stay and keep coming;
 *   - against it: old blocks die, and none is left that may have survived; or fewer come than the
 *     pauses of before explain (statistics/survival.h), and so few that the leak has ended, or that
 *     the total has levelled off or is a filling cache;
 *   - at once against it: half of what stayed is gone, as when a program frees all at its end;
 *   - doubt: survivors that were a leak surely die, or become fewer: then it is undecided.
 *
 * One look is enough if it surely began later: the time before shows that it is no cache that has
 * only begun to fill. A look that is undecided neither agrees nor disagrees.
 *
 * Few survivors must be seen at HF_VERDICT_AGREE_THIN looks, and not among the first.
 *
 * A leak among the first looks is found by HF_VERDICT_AGREE_EARLY of them, and those that say that
 * old blocks die count half for twice as long: what is renewed may hide what stays.
 *
 * Blocks that move when they grow die young, so that the shape of the total alone decides at a look
 * at which they do.
 */
#ifndef HF_ANALYSIS_VERDICT_COURSE_H
#define HF_ANALYSIS_VERDICT_COURSE_H

#include "analysis/verdict.h"

#define HF_VERDICT_AGREE 2       /* looks, none between them against it */
#define HF_VERDICT_AGREE_EARLY 4 /* among the first HF_VERDICT_EARLY: caches are filling then */
#define HF_VERDICT_EARLY 12
#define HF_VERDICT_AGREE_THIN 3  /* of few survivors; behind twice as many */
#define HF_VERDICT_AGREE_SHAPE 3 /* against a leak that the shape showed, */
#define HF_VERDICT_SHAPE_PART 5  /* and one in so many of all looks */

#define HF_VERDICT_MOVES_SIZE                                                                      \
    1.5 /* times the mean size of its blocks: they grow, not their number */
#define HF_VERDICT_MOVES_BLOCKS 256 /* more are no buffers that grow, unless they live longer */

/*
 * Whether what a place holds grows by larger blocks, not by more, because they move when they grow.
 * Blocks that are replaced by larger ones grow, too; but buffers that hold so much are few, or they
 * live ever longer (`lengthens`, as in struct hf_survival).
 */
bool hf_verdict_moves(const double *values, const double *objects, size_t count, bool lengthens);

/*
 * As hf_verdict_of, for a place whose births are known; the looks of `course` are of the last
 * points. `noise`: as in struct hf_trend_points.
 */
struct hf_verdict hf_verdict_of_course(
    const struct hf_verdict_facts *facts, const struct hf_survival_course *course, double noise);

#endif
