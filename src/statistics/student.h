/*
 * student.h: how likely Student's t is further from 0 than a value: for tests whose spread is
 * itself an estimate. By the continued fraction of the incomplete beta function (Abramowitz and
 * Stegun 26.5.8, evaluated after Lentz 1976), exact to 1e-10 of itself, however small.
 *
 * Example:
 *
 *     hf_out_printf(out, "%.3f", hf_student_beyond(2.776, 4)); // 0.050
 */
#ifndef HF_STATISTICS_STUDENT_H
#define HF_STATISTICS_STUDENT_H

/* On both sides. `freedom` is above 0; of an infinite t it is 0. */
double hf_student_beyond(double t, double freedom);

#endif
