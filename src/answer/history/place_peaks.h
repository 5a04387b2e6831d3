/*
 * place_peaks.h: the most that each place of a process ever held, as far as it is known: until the
 * beginning of each of the windows of leak_windows.h.
 *
 * A place is known by the hash of its label. Of more than HF_PLACE_PEAKS places, those with the
 * smallest peaks are forgotten; so memory is bounded.
 */
#ifndef HF_ANSWER_HISTORY_PLACE_PEAKS_H
#define HF_ANSWER_HISTORY_PLACE_PEAKS_H

#include <stddef.h>
#include <stdint.h>

#define HF_PLACE_PEAKS 512

/* Turns: what was before the last but one, between the last two, and since the last. */
#define HF_PLACE_PEAKS_TURNS 3

/* All zero is none. */
struct hf_place_peaks {
    struct hf_place_peak {
        uint64_t hash; /* of its label */
        double bytes[HF_PLACE_PEAKS_TURNS];
    } items[HF_PLACE_PEAKS];
    size_t count;
};

/* So much is in use of a place now. */
void hf_place_peaks_add(struct hf_place_peaks *peaks, uint64_t hash, double bytes);

/* Another turn begins now. */
void hf_place_peaks_turn(struct hf_place_peaks *peaks);

/* The most before the last but one turn began; 0: nothing is known. */
double hf_place_peaks_before(const struct hf_place_peaks *peaks, uint64_t hash);

#endif
