#include "conf/findings.h"

#include "base/containers/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE_MAX 768

void hf_conf_say(struct hf_conf_check *check, bool is_fault, size_t column, const char *format, ...)
{
    char sentence[SENTENCE_MAX];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    size_t kept = size < (int)sizeof sentence ? (size_t)size : sizeof sentence - 1;
    const char *text = hf_arena_copy(&check->arena, sentence, kept);
    if (text == NULL || !hf_vec_reserve(&check->findings, &check->capacity, check->count + 1,
                            sizeof *check->findings)) {
        check->is_out_of_memory = true;
        return;
    }
    check->findings[check->count++] = (struct hf_conf_finding){is_fault, column, text};
    check->fault_count += is_fault;
}

void hf_conf_check_done(struct hf_conf_check *check)
{
    free(check->findings);
    free(check->meant);
    hf_arena_done(&check->arena);
    hf_out_done(&check->fixed);
    *check = (struct hf_conf_check){0};
}

struct hf_conf_setting hf_conf_setting_of(const struct hf_conf_check *check, const char *key)
{
    const struct hf_conf_option *option = hf_conf_option_find(hf_text_of(key));
    struct hf_conf_setting setting = check->settings[hf_conf_option_index(option)];
    if (setting.is_set)
        return setting;
    setting.text = hf_text_of(option->fallback);
    if (hf_conf_value(option, setting.text, &setting.number) != HF_CONF_TAKEN)
        setting.number = 0;
    return setting;
}

size_t hf_conf_column_of(const struct hf_conf_check *check, const char *key)
{
    size_t column = 0;
    for (size_t i = 0; i < check->meant_count; i++) {
        if (strcmp(check->meant[i].option->key, key) == 0)
            column = check->meant[i].column;
    }
    return column;
}

void hf_conf_add_setting(
    struct hf_conf_check *check, const char *key, const char *value, bool is_first)
{
    const struct hf_conf_option *option = hf_conf_option_find(hf_text_of(key));
    struct hf_conf_meant added = {option, 0, hf_text_of(value)};
    if (!hf_vec_reserve(
            &check->meant, &check->meant_capacity, check->meant_count + 1, sizeof *check->meant)) {
        check->is_out_of_memory = true;
        return;
    }
    size_t at = is_first ? 0 : check->meant_count;
    memmove(
        check->meant + at + 1, check->meant + at, (check->meant_count - at) * sizeof *check->meant);
    check->meant[at] = added;
    check->meant_count++;
    struct hf_conf_setting *setting = &check->settings[hf_conf_option_index(option)];
    setting->is_set = true;
    setting->text = added.value;
    if (hf_conf_value(option, added.value, &setting->number) != HF_CONF_TAKEN)
        setting->number = 0;
}
