#include "statistics/outlier.h"

#include "statistics/student.h"

#include <math.h>
#include <stdlib.h>

static int order_values(const void *left, const void *right)
{
    const struct hf_outlier_value *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

bool hf_outlier_core_of(
    struct hf_outlier_value *values, size_t count, struct hf_outlier_core *out_core)
{
    if (count < HF_OUTLIER_VALUES_MIN)
        return false;
    struct hf_outlier_core core = {.count = count - count * 3 / 8};
    double squares = 0, own = 0, h = (double)core.count;
    size_t from = 0;
    qsort(values, count, sizeof *values, order_values);
    double median = (values[(count - 1) / 2].value + values[count / 2].value) / 2;
    while (from + core.count < count &&
           median - values[from].value > values[from + core.count].value - median)
        from++;
    for (size_t i = from; i < from + core.count; i++) {
        core.mean += values[i].value / h;
        own += values[i].variance / h;
    }
    for (size_t i = from; i < from + core.count; i++)
        squares += (values[i].value - core.mean) * (values[i].value - core.mean);
    core.spread = fmax(HF_OUTLIER_WIDER * sqrt(squares / (h - 1)), sqrt(own));
    core.low = values[from].value;
    core.high = values[from + core.count - 1].value;
    *out_core = core;
    return true;
}

double hf_outlier_probability(
    const struct hf_outlier_core *core, const struct hf_outlier_value *value)
{
    double h = (double)core->count;
    if (value->value >= core->low && value->value <= core->high)
        return 1;
    double scale = sqrt(core->spread * core->spread * (1 + 1 / h) + value->variance);
    return hf_student_beyond((value->value - core->mean) / scale, h - 1);
}
