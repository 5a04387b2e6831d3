#include "cli/profiles/conf_json.h"

#include "base/strings/json.h"
#include "conf/explain.h"
#include "conf/option_words.h"

static void put_findings(struct hf_out *out, const struct hf_conf_check *check)
{
    hf_out_string(out, "\"findings\": [");
    for (size_t i = 0; i < check->count; i++) {
        const struct hf_conf_finding *finding = &check->findings[i];
        hf_json_member(out, i == 0 ? "\n    {" : ",\n    {", "kind",
            hf_text_of(finding->is_fault ? "wrong" : "warning"));
        if (finding->column != 0)
            hf_out_printf(out, ", \"column\": %zu", finding->column);
        hf_json_member(out, ", ", "text", hf_text_of(finding->text));
        hf_out_char(out, '}');
    }
    hf_out_string(out, "]");
}

static void put_member(struct hf_out *out, const char *key, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    hf_json_member(out, ", ", key, hf_text_of(value));
}

static void conf_json_put_build(struct hf_out *out, const struct hf_jemalloc_build *build)
{
    static const char *const places[] = {"nowhere", "inside", "library"};
    hf_out_printf(out, ",\n  \"jemalloc\": {\"found\": \"%s\"", places[build->place]);
    if (build->place != HF_JEMALLOC_NOWHERE) {
        put_member(out, "path", build->path);
        put_member(out, "version", build->version);
        hf_out_printf(out, ", \"profiling\": %s", build->has_profiling ? "true" : "false");
        put_member(out, "variable", build->variable);
        put_member(out, "built_in", build->built_in);
        put_member(out, "linked", build->linked);
    }
    put_member(out, "missing", build->missing);
    hf_out_char(out, '}');
}

void hf_conf_json_check(struct hf_out *out, const struct hf_conf_check *check, struct hf_text line,
    const struct hf_jemalloc_build *build)
{
    hf_out_printf(out, "{\"schema\": \"heapflame.conf/1\", \"ok\": %s, \"complains\": %s,\n  ",
        check->fault_count == 0 ? "true" : "false",
        hf_conf_complains(&check->target, line) ? "true" : "false");
    put_findings(out, check);
    hf_json_member(out, ",\n  ", "fixed", hf_out_view(&check->fixed));
    hf_out_printf(out, ",\n  \"profiling\": %s,\n  \"settings\": {",
        hf_conf_is_profiling(check) ? "true" : "false");
    bool is_first = true;
    for (size_t i = 0; i < hf_conf_option_count(); i++) {
        if (!check->settings[i].is_set)
            continue;
        hf_json_member(
            out, is_first ? "" : ", ", hf_conf_option_at(i)->key, check->settings[i].text);
        is_first = false;
    }
    hf_out_char(out, '}');
    if (build != NULL)
        conf_json_put_build(out, build);
    hf_out_string(out, "}\n");
}

void hf_conf_json_option(struct hf_out *out, const struct hf_conf_option *option, bool is_first)
{
    char kind[HF_CONF_KIND_MAX], since[HF_CONF_VERSION_MAX];
    hf_json_member(out, is_first ? "\n  {" : ",\n  {", "key", hf_text_of(option->key));
    hf_json_member(out, ", ", "takes", hf_text_of(hf_conf_kind(option, kind)));
    hf_json_member(out, ", ", "default", hf_text_of(option->fallback));
    hf_json_member(out, ", ", "since", hf_text_of(hf_conf_since(option, since)));
    hf_json_member(out, ", ", "meaning", hf_text_of(option->meaning));
    if (option->until != 0) {
        hf_json_member(out, ", ", "until", hf_text_of(hf_conf_version_name(option->until, since)));
    }
    if (option->build_flag != NULL) {
        hf_json_member(out, ", ", "build_flag", hf_text_of(option->build_flag));
    }
    if (option->trap != NULL) {
        hf_json_member(out, ", ", "trap", hf_text_of(option->trap));
    }
    hf_out_char(out, '}');
}
