#include "answer/history/place_peaks.h"

#include <math.h>

static double most_ever(const struct hf_place_peak *peak)
{
    return fmax(peak->bytes[0], fmax(peak->bytes[1], peak->bytes[2]));
}

static struct hf_place_peak *find_smallest_peak(struct hf_place_peaks *peaks)
{
    struct hf_place_peak *smallest = &peaks->items[0];
    for (size_t i = 1; i < peaks->count; i++) {
        if (most_ever(&peaks->items[i]) < most_ever(smallest))
            smallest = &peaks->items[i];
    }
    return smallest;
}

void hf_place_peaks_add(struct hf_place_peaks *peaks, uint64_t hash, double bytes)
{
    struct hf_place_peak *peak = NULL;
    for (size_t i = 0; peak == NULL && i < peaks->count; i++)
        peak = peaks->items[i].hash == hash ? &peaks->items[i] : NULL;
    if (peak == NULL && peaks->count < HF_PLACE_PEAKS) {
        peak = &peaks->items[peaks->count++];
        *peak = (struct hf_place_peak){.hash = hash};
    } else if (peak == NULL) {
        peak = find_smallest_peak(peaks);
        if (most_ever(peak) >= bytes)
            return;
        *peak = (struct hf_place_peak){.hash = hash};
    }
    peak->bytes[HF_PLACE_PEAKS_TURNS - 1] = fmax(peak->bytes[HF_PLACE_PEAKS_TURNS - 1], bytes);
}

void hf_place_peaks_turn(struct hf_place_peaks *peaks)
{
    for (size_t i = 0; i < peaks->count; i++) {
        double *bytes = peaks->items[i].bytes;
        bytes[0] = fmax(bytes[0], bytes[1]);
        bytes[1] = bytes[2];
        bytes[2] = 0;
    }
}

double hf_place_peaks_before(const struct hf_place_peaks *peaks, uint64_t hash)
{
    for (size_t i = 0; i < peaks->count; i++) {
        if (peaks->items[i].hash == hash)
            return peaks->items[i].bytes[0];
    }
    return 0;
}
