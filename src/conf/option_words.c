#include "conf/option_words.h"

#include <stdio.h>

const char *hf_conf_version_name(uint32_t version, char out[HF_CONF_VERSION_MAX])
{
    (void)snprintf(out, HF_CONF_VERSION_MAX, "%u.%u.%u", version >> 16 & 0xff, version >> 8 & 0xff,
        version & 0xff);
    return out;
}

const char *hf_conf_since(const struct hf_conf_option *option, char out[HF_CONF_VERSION_MAX])
{
    if (option->since > HF_CONF_NEWEST) {
        (void)snprintf(out, HF_CONF_VERSION_MAX, "after 5.3.0");
        return out;
    }
    return hf_conf_version_name(option->since, out);
}

const char *hf_conf_kind(const struct hf_conf_option *option, char out[HF_CONF_KIND_MAX])
{
    const char *also = option->may_be_choice ? option->choices : "";
    const char *between = option->may_be_choice ? " or " : "";
    switch (option->kind) {
    case HF_CONF_BOOL: (void)snprintf(out, HF_CONF_KIND_MAX, "true or false"); break;
    case HF_CONF_SIGNED:
        (void)snprintf(out, HF_CONF_KIND_MAX, "%s%sa number from %lld to %lld", also, between,
            (long long)option->min, (long long)option->max);
        break;
    case HF_CONF_UNSIGNED:
        (void)snprintf(out, HF_CONF_KIND_MAX, "%s%sa number from %llu to %llu", also, between,
            (unsigned long long)option->min, (unsigned long long)option->max);
        break;
    case HF_CONF_CHOICE:
    case HF_CONF_PREFIX: (void)snprintf(out, HF_CONF_KIND_MAX, "one of %s", option->choices); break;
    case HF_CONF_FRACTION:
        (void)snprintf(out, HF_CONF_KIND_MAX, "%s%sa number such as 0.25", also, between);
        break;
    case HF_CONF_RANGES:
        (void)snprintf(
            out, HF_CONF_KIND_MAX, "%s%sranges such as 1-160:4|161-320:2", also, between);
        break;
    case HF_CONF_TEXT: (void)snprintf(out, HF_CONF_KIND_MAX, "any text without a comma"); break;
    }
    return out;
}
