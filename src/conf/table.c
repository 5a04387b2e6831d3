#include "conf/table.h"

#include "base/attr.h"

size_t hf_conf_option_count(void)
{
    return hf_conf_profiling.count + hf_conf_general.count;
}

const struct hf_conf_option *hf_conf_option_at(size_t index)
{
    return index < hf_conf_profiling.count
               ? &hf_conf_profiling.items[index]
               : &hf_conf_general.items[index - hf_conf_profiling.count];
}

size_t hf_conf_option_index(const struct hf_conf_option *option)
{
    size_t index = 0;
    while (hf_conf_option_at(index) != option)
        index++;
    return index;
}

bool hf_conf_option_is_profiling(const struct hf_conf_option *option)
{
    return hf_conf_option_index(option) < hf_conf_profiling.count;
}

const struct hf_conf_option *hf_conf_option_find(struct hf_text key)
{
    for (size_t i = 0; i < hf_conf_option_count(); i++) {
        if (hf_text_is(key, hf_conf_option_at(i)->key))
            return hf_conf_option_at(i);
    }
    return NULL;
}

const struct hf_conf_option *hf_conf_option_match(struct hf_text key)
{
    /* In the order in which jemalloc compares: "", "m" are metadata_thp, "d" is dss. */
    static const char *const by_prefix[] = {"metadata_thp", "dss", "percpu_arena"};
    for (size_t i = 0; i < HF_COUNT(by_prefix); i++) {
        if (hf_text_equal(hf_text_first(hf_text_of(by_prefix[i]), key.size), key))
            return hf_conf_option_find(hf_text_of(by_prefix[i]));
    }
    return hf_conf_option_find(key);
}
