#include "statistics/load_clock.h"

/* The first of rising values that is not below; `count`: none is. */
static size_t load_clock_find(const double *values, size_t count, double value)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Between two neighbours, or beyond the ends by the line through both ends. */
static double load_clock_line(const double *x, const double *y, size_t count, double at)
{
    size_t right = load_clock_find(x, count, at), left;
    if (right < count && x[right] <= at)
        return y[right];
    if (right == 0 || right == count) {
        left = right == 0 ? 0 : count - 1;
        double over = x[count - 1] - x[0];
        return y[left] + (over > 0 ? (at - x[left]) * (y[count - 1] - y[0]) / over : 0);
    }
    left = right - 1;
    return y[left] + (at - x[left]) * (y[right] - y[left]) / (x[right] - x[left]);
}

double hf_load_clock_sum(const struct hf_load_clock *clock, double time_s)
{
    return load_clock_line(clock->times_s, clock->sums, clock->count, time_s);
}

struct hf_load_window hf_load_window_of(
    const struct hf_load_clock *clock, double from_s, double end_s)
{
    struct hf_load_window window = {.clock = clock, .from_s = from_s, .end_s = end_s};
    if (clock == NULL)
        return window;
    window.from = hf_load_clock_sum(clock, from_s);
    window.total = hf_load_clock_sum(clock, from_s + end_s) - window.from;
    return window;
}

double hf_load_window_at(const struct hf_load_window *window, double time_s)
{
    if (window->clock == NULL)
        return time_s;
    double sum = hf_load_clock_sum(window->clock, window->from_s + time_s) - window->from;
    return window->total > 0 ? sum * window->end_s / window->total : 0;
}

double hf_load_window_time(const struct hf_load_window *window, double clock_s)
{
    const struct hf_load_clock *clock = window->clock;
    if (clock == NULL)
        return clock_s;
    double sum = window->from + (window->end_s > 0 ? clock_s * window->total / window->end_s : 0);
    return load_clock_line(clock->sums, clock->times_s, clock->count, sum) - window->from_s;
}
