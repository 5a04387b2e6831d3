#include "base/strings/nearest_name.h"

unsigned hf_name_distance(struct hf_text a, struct hf_text b)
{
    unsigned row[HF_NAME_MAX + 1];
    if (a.size > HF_NAME_MAX || b.size > HF_NAME_MAX)
        return HF_NAME_MAX + 1;
    for (unsigned j = 0; j <= b.size; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a.size; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= b.size; j++) {
            unsigned change = diagonal + (a.data[i - 1] != b.data[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < change)
                change = row[j] + 1;
            if (row[j - 1] + 1 < change)
                change = row[j - 1] + 1;
            row[j] = change;
        }
    }
    return row[b.size];
}
