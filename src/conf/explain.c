#include "conf/explain.h"

#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "conf/option_words.h"

#include <stdio.h>

#define WIDTH 80
#define INDENT 4

/* Words in lines of WIDTH columns, indented. */
static void write_wrapped(struct hf_out *out, const char *first, const char *text)
{
    size_t column = 0;
    const char *parts[] = {first, text};
    for (size_t p = 0; p < 2; p++) {
        struct hf_text rest = hf_text_of(parts[p]);
        while (rest.size != 0) {
            struct hf_text word = hf_text_first(rest, hf_text_find(rest, ' '));
            rest = hf_text_from(rest, word.size + 1);
            if (column != 0 && column + 1 + word.size > WIDTH) {
                hf_out_char(out, '\n');
                column = 0;
            }
            if (column == 0)
                hf_out_printf(out, "%*s", INDENT, "");
            else
                hf_out_char(out, ' ');
            hf_out_text(out, word);
            column = (column == 0 ? INDENT : column + 1) + word.size;
        }
    }
    hf_out_char(out, '\n');
}

void hf_conf_explain(struct hf_out *out, const struct hf_conf_option *option)
{
    char kind[HF_CONF_KIND_MAX], since[HF_CONF_VERSION_MAX], until[HF_CONF_VERSION_MAX];
    hf_out_printf(out, "%s: %s; default %s; since jemalloc %s", option->key,
        hf_conf_kind(option, kind), option->fallback[0] != '\0' ? option->fallback : "none",
        hf_conf_since(option, since));
    if (option->until != 0)
        hf_out_printf(out, ", gone after %s", hf_conf_version_name(option->until, until));
    hf_out_char(out, '\n');
    write_wrapped(out, "", option->meaning);
    if (option->trap != NULL)
        write_wrapped(out, "Beware:", option->trap);
    if (option->build_flag != NULL)
        write_wrapped(out, "Only if jemalloc was configured with", option->build_flag);
}

/* What sampling costs: measured at 512 KiB and at every allocation; between them it rises. */
static const char *overhead(uint64_t lg_sample)
{
    if (lg_sample == 0)
        return "an allocation takes about 280 times as long";
    if (lg_sample < 19)
        return "overhead more than 2 %";
    return lg_sample == 19 ? "overhead about 2 %" : "overhead below 2 %";
}

static uint64_t explain_number_of(const struct hf_conf_check *check, const char *key)
{
    return hf_conf_setting_of(check, key).number;
}

bool hf_conf_is_profiling(const struct hf_conf_check *check)
{
    bool is_on = explain_number_of(check, "prof") == 1 ||
                 explain_number_of(check, "prof_leak") == 1 ||
                 explain_number_of(check, "prof_leak_error") == 1;
    return is_on && (!check->target.is_known || check->target.has_profiling);
}

void hf_conf_describe(struct hf_out *out, const struct hf_conf_check *check)
{
    uint64_t lg_sample = explain_number_of(check, "lg_prof_sample");
    char period[HF_UNITS_MAX];
    if (!hf_conf_is_profiling(check)) {
        hf_out_string(out, "profiling is off");
        return;
    }
    bool is_active = explain_number_of(check, "prof_active") == 1 &&
                     explain_number_of(check, "prof_thread_active_init") == 1;
    hf_out_string(out, is_active ? "armed and active, " : "armed, not active yet, ");
    if (lg_sample == 0)
        hf_out_string(out, "every allocation is recorded, ");
    else
        hf_out_printf(out, "period %s, ", hf_units_exact((uint64_t)1 << (lg_sample & 63), period));
    hf_out_string(out, is_active ? overhead(lg_sample) : "next to no overhead until then");
}

static void explain_write_dump(
    struct hf_out *out, const struct hf_conf_check *check, const char *rest)
{
    struct hf_text prefix = hf_conf_setting_of(check, "prof_prefix").text;
    hf_out_string(out, "    ");
    hf_escape_terminal(out, prefix);
    hf_out_printf(out, ".PID.%s\n", rest);
}

void hf_conf_dumps(struct hf_out *out, const struct hf_conf_check *check)
{
    struct hf_conf_setting interval = hf_conf_setting_of(check, "lg_prof_interval");
    bool has_prefix = hf_conf_setting_of(check, "prof_prefix").text.size != 0;
    char size[HF_UNITS_MAX], line[128];
    if (!hf_conf_is_profiling(check) || !has_prefix)
        return;
    if ((int64_t)interval.number >= 0 && explain_number_of(check, "prof") == 1) {
        (void)snprintf(line, sizeof line, "N.iN.heap  every %s of allocation",
            hf_units_exact((uint64_t)1 << (interval.number & 63), size));
        explain_write_dump(out, check, line);
    }
    if (explain_number_of(check, "prof_gdump") == 1 && explain_number_of(check, "prof") == 1)
        explain_write_dump(out, check, "N.uN.heap  at each new maximum of virtual memory");
    if (explain_number_of(check, "prof_final") == 1)
        explain_write_dump(out, check, "N.f.heap   when the program ends by itself");
}
