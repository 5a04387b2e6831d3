#include "conf/repair.h"

#include "base/attr.h"
#include "base/strings/nearest_name.h"
#include "base/strings/units.h"

#include <inttypes.h>
#include <stdio.h>

static bool repair_is_separator(char c)
{
    return c != '\0' && strchr("; |&+\t\r\n", c) != NULL;
}

static struct hf_text trimmed(struct hf_text value)
{
    while (value.size != 0 && strchr(" \t\r\n\"';", value.data[0]) != NULL)
        value = hf_text_from(value, 1);
    while (value.size != 0 && strchr(" \t\r\n\"';", value.data[value.size - 1]) != NULL)
        value.size--;
    return value;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word_of(const char *words, struct hf_text value)
{
    char small[HF_CONF_VALUE_MAX];
    if (value.size == 0 || value.size > sizeof small)
        return false;
    for (size_t i = 0; i < value.size; i++)
        small[i] = lower(value.data[i]);
    return hf_conf_choice(words, (struct hf_text){small, value.size}, false).data != NULL;
}

static struct hf_text write_number(
    const struct hf_conf_option *option, uint64_t number, char room[HF_CONF_VALUE_MAX])
{
    int size = option->kind == HF_CONF_SIGNED
                   ? snprintf(room, HF_CONF_VALUE_MAX, "%" PRId64, (int64_t)number)
                   : snprintf(room, HF_CONF_VALUE_MAX, "%" PRIu64, number);
    return (struct hf_text){room, (size_t)size};
}

/* "512KiB", "1G", "524288": bytes; where an exponent is wanted, that of the power below. */
static struct hf_text number_meant(
    const struct hf_conf_option *option, struct hf_text value, char room[HF_CONF_VALUE_MAX])
{
    uint64_t number;
    if (hf_units_parse_bytes(value, &number)) {
        if (hf_text_starts(hf_text_of(option->key), "lg_") && number > option->max)
            number = 63 - (uint64_t)__builtin_clzll(number);
        if (number <= option->max && (option->min < 0 || number >= (uint64_t)option->min))
            return write_number(option, number, room);
    }
    if (hf_conf_value(option, value, &number) == HF_CONF_INVALID)
        return (struct hf_text){NULL, 0};
    return write_number(option, number, room);
}

struct hf_text hf_conf_repair_value(
    const struct hf_conf_option *option, struct hf_text value, char room[HF_CONF_VALUE_MAX])
{
    static const struct hf_text none = {NULL, 0};
    uint64_t number;
    value = trimmed(value);
    if (value.size == 0)
        return none;
    if (hf_conf_value(option, value, &number) == HF_CONF_TAKEN)
        return value;
    switch (option->kind) {
    case HF_CONF_BOOL:
        if (is_word_of("true,1,yes,on,y,t,enabled", value))
            return HF_TEXT("true");
        return is_word_of("false,0,no,off,n,f,disabled", value) ? HF_TEXT("false") : none;
    case HF_CONF_SIGNED:
    case HF_CONF_UNSIGNED: return number_meant(option, value, room);
    default: return none;
    }
}

const struct hf_conf_option *hf_conf_repair_key(struct hf_text key)
{
    char small[HF_NAME_MAX + 4] = "lg_";
    if (key.size == 0 || key.size > HF_NAME_MAX)
        return NULL;
    for (size_t i = 0; i < key.size; i++)
        small[i + 3] = key.data[i] == '-' ? '_' : lower(key.data[i]);
    struct hf_text plain = {small + 3, key.size}, as_exponent = {small, key.size + 3};
    const struct hf_conf_option *best = hf_conf_option_find(plain);
    if (best == NULL)
        best = hf_conf_option_find(as_exponent);
    unsigned best_distance = best != NULL ? 0 : HF_NAME_NEAR + 1;
    for (size_t i = 0; i < hf_conf_option_count(); i++) {
        struct hf_text known = hf_text_of(hf_conf_option_at(i)->key);
        if (known.size + HF_NAME_NEAR < plain.size || plain.size + HF_NAME_NEAR < known.size)
            continue;
        unsigned distance = hf_name_distance(plain, known);
        if (distance < best_distance && distance < key.size / 2) {
            best = hf_conf_option_at(i);
            best_distance = distance;
        }
    }
    return best;
}

size_t hf_conf_hidden_pair(struct hf_text value, size_t *out_end)
{
    for (size_t i = 0; i < value.size; i++) {
        if (!repair_is_separator(value.data[i]))
            continue;
        size_t start = i;
        while (start < value.size && repair_is_separator(value.data[start]))
            start++;
        size_t end = start;
        while (end < value.size && value.data[end] != ':' && value.data[end] != '=' &&
               !repair_is_separator(value.data[end]))
            end++;
        struct hf_text key = hf_text_first(hf_text_from(value, start), end - start);
        bool is_pair = end < value.size && !repair_is_separator(value.data[end]) &&
                       hf_conf_option_find(key) != NULL;
        *out_end = i;
        if (is_pair)
            return start;
        i = start - 1;
    }
    *out_end = value.size;
    return value.size;
}
