/*
 * cmd_conf.c: MALLOC_CONF explained: conf check OPTIONS [PROGRAM], conf explain [OPTION...].
 */
#include "base/attr.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/num.h"
#include "cli/command.h"
#include "cli/profiles/conf_json.h"
#include "conf/check.h"
#include "conf/explain.h"
#include "conf/repair.h"
#include "symbol/jemalloc_build.h"

#include <string.h>

struct conf_options {
    struct hf_common common;
    bool is_json, is_all;
    const char *version;
};

#define COMPILED_IN "compiled into the program"

#define AT(field) struct conf_options, field

static const struct hf_option conf_options[] = {
    {"jemalloc", 0, HF_OPT_TEXT(AT(version), "VERSION"),
        "check for this version, e.g. 5.2.1 (default: that of PROGRAM, else 5.3.0)"},
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {"all", 0, HF_OPT_FLAG(AT(is_all)), "explain every option, not only those of profiling"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Options", conf_options},
    {"Help", hf_common_options},
    {0},
};

/* "5.2.1" or "5.2" */
static bool conf_read_version(struct hf_text text, uint32_t *out_version)
{
    uint32_t version = 0;
    for (int part = 0; part < 3; part++) {
        struct hf_text digits = hf_text_first(text, hf_text_find(text, '.'));
        uint64_t number = 0;
        bool is_missing = part == 2 && digits.size == 0;
        if (!is_missing && (!hf_num_u64(digits, &number) || number > 255))
            return false;
        version = version << 8 | (uint32_t)number;
        text = hf_text_from(text, digits.size + 1);
    }
    *out_version = version;
    return text.size == 0;
}

static void put_finding(struct hf_out *out, const struct hf_conf_finding *finding)
{
    hf_out_string(out, finding->is_fault ? "wrong: " : "warning: ");
    if (finding->column != 0)
        hf_out_printf(out, "column %zu: ", finding->column);
    hf_escape_terminal(out, hf_text_of(finding->text));
    hf_out_char(out, '\n');
}

/* A line for the shell: export NAME='...' */
static void put_export(struct hf_out *out, const char *variable, struct hf_text line)
{
    struct hf_out quoted = {0};
    hf_out_printf(&quoted, "export %s='", variable);
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] == '\'')
            hf_out_string(&quoted, "'\\'");
        hf_out_char(&quoted, line.data[i]);
    }
    hf_out_string(&quoted, "'");
    hf_escape_terminal(out, hf_out_view(&quoted));
    hf_out_char(out, '\n');
    hf_out_done(&quoted);
}

/* "jemalloc 5.3.0 in /lib/libjemalloc.so.2, profiling built in, environment variable ...; " */
static void conf_put_build(struct hf_out *out, const struct hf_jemalloc_build *build)
{
    if (build->place == HF_JEMALLOC_NOWHERE)
        return;
    struct hf_text version = hf_text_of(build->version);
    version = hf_text_first(version, hf_text_find_last(version, '-')); /* without the hash */
    if (hf_text_ends(version, "-0"))
        version.size -= 2;
    hf_out_string(out, "jemalloc ");
    hf_out_text(out, version.size != 0 ? version : HF_TEXT("of unknown version"));
    hf_out_string(out, build->place == HF_JEMALLOC_LIBRARY ? " in " : " linked in");
    if (build->place == HF_JEMALLOC_LIBRARY)
        hf_escape_terminal(out, hf_text_of(build->path));
    hf_out_printf(out, ", profiling %s, environment variable %s; ",
        build->has_profiling ? "built in" : "not built in", build->variable);
}

/* "    compiled into the program: prof:true" */
static void conf_put_source(struct hf_out *out, const char *name, const char *line)
{
    if (line == NULL)
        return;
    hf_out_printf(out, "    %s: ", name);
    hf_escape_terminal(out, hf_text_of(line));
    hf_out_char(out, '\n');
}

static void conf_put_text(struct hf_out *out, const struct hf_conf_check *check, const char *line,
    const struct hf_jemalloc_build *build)
{
    for (size_t i = 0; i < check->count; i++)
        put_finding(out, &check->findings[i]);
    bool is_repaired = !hf_text_is(hf_out_view(&check->fixed), line) && check->fixed.size != 0;
    if (check->fault_count == 0 || is_repaired) {
        hf_out_string(out, check->fault_count == 0 ? "ok: " : "meant: ");
        conf_put_build(out, build);
        hf_conf_describe(out, check);
        hf_out_char(out, '\n');
        hf_conf_dumps(out, check);
    }
    conf_put_source(out, COMPILED_IN, build->built_in);
    conf_put_source(out, build->link, build->linked);
    if (check->fault_count != 0 && is_repaired)
        put_export(out, build->variable[0] != '\0' ? build->variable : "MALLOC_CONF",
            hf_out_view(&check->fixed));
}

/* What the program itself adds to the line: its jemalloc, and the options that hold before. */
static enum hf_status look_at_program(struct hf_conf_check *check, struct hf_jemalloc_build *build,
    const char *program, struct hf_error *err)
{
    enum hf_status status = hf_jemalloc_build_find(build, program, err);
    if (status != HF_OK)
        return status;
    if (build->missing[0] != '\0')
        hf_conf_say(check, false, 0, "%s was not found, so it was not checked", build->missing);
    if (build->place == HF_JEMALLOC_NOWHERE) {
        hf_conf_say(check, true, 0,
            "neither %s nor its libraries contain jemalloc, so the options do nothing: link it "
            "with jemalloc, or start it with LD_PRELOAD=%s%s",
            program, build->path[0] != '\0' ? build->path : "libjemalloc.so.2",
            build->path[0] != '\0' ? "" : " once that is installed");
        return HF_OK;
    }
    check->target.is_known = true;
    check->target.has_profiling = build->has_profiling;
    if (check->target.version == 0)
        check->target.version = build->version_number;
    check->target.is_snapshot = build->is_snapshot;
    if (build->built_in != NULL)
        status = hf_conf_check_source(check, COMPILED_IN, hf_text_of(build->built_in), err);
    if (status == HF_OK && build->linked != NULL)
        status = hf_conf_check_source(check, build->link, hf_text_of(build->linked), err);
    return status;
}

static enum hf_status check_and_print(const struct conf_options *options, const char *line,
    const char *program, struct hf_conf_check *check, struct hf_error *err)
{
    struct hf_jemalloc_build build = {0};
    struct hf_output output;
    enum hf_status status = HF_OK;
    if (program != NULL)
        status = look_at_program(check, &build, program, err);
    if (status == HF_OK)
        status = hf_conf_check_line(check, hf_text_of(line), err);
    if (status == HF_OK)
        status = hf_output_open(&output, NULL, false, err);
    if (status == HF_OK) {
        if (options->is_json)
            hf_conf_json_check(
                &output.out, check, hf_text_of(line), program != NULL ? &build : NULL);
        else
            conf_put_text(&output.out, check, line, &build);
        status = hf_output_close(&output, HF_OK, err);
    }
    hf_jemalloc_build_done(&build);
    return status;
}

static enum hf_status conf_check(
    const struct conf_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    if (operands->count != 2 && operands->count != 3)
        return hf_error_set(err, HF_ERR_USAGE,
            "conf check: expected the options in one argument, then at most one program: heapflame "
            "conf check \"$MALLOC_CONF\" ./server");
    struct hf_conf_check check = {0};
    if (options->version != NULL &&
        !conf_read_version(hf_text_of(options->version), &check.target.version))
        return hf_error_set(err, HF_ERR_USAGE,
            "--jemalloc: expected a version, e.g. 5.2.1, found '%s'", options->version);
    enum hf_status status = check_and_print(
        options, operands->items[1], operands->count == 3 ? operands->items[2] : NULL, &check, err);
    if (status == HF_OK && check.fault_count != 0)
        status = hf_error_set(err, HF_ERR_INPUT, "the options do not do what they say: %zu %s",
            check.fault_count, hf_plural(check.fault_count, "fault", "faults"));
    hf_conf_check_done(&check);
    return status;
}

static enum hf_status explain_one(
    struct hf_out *out, bool is_json, const char *key, bool is_first, struct hf_error *err)
{
    const struct hf_conf_option *option = hf_conf_option_find(hf_text_of(key));
    const struct hf_conf_option *near = option == NULL ? hf_conf_repair_key(hf_text_of(key)) : NULL;
    if (option == NULL)
        return hf_error_set(err, HF_ERR_USAGE, "jemalloc knows no option '%s'%s%s%s", key,
            near != NULL ? "; did you mean " : "", near != NULL ? near->key : "",
            near != NULL ? "?" : "");
    if (is_json)
        hf_conf_json_option(out, option, is_first);
    else
        hf_conf_explain(out, option);
    return HF_OK;
}

static enum hf_status conf_explain(
    const struct conf_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    if (options->is_json)
        hf_out_string(&output.out, "{\"schema\": \"heapflame.conf-explain/1\", \"options\": [");
    for (size_t i = 1; status == HF_OK && i < operands->count; i++)
        status = explain_one(&output.out, options->is_json, operands->items[i], i == 1, err);
    bool is_first = true;
    for (size_t i = 0; status == HF_OK && operands->count == 1 && i < hf_conf_option_count(); i++) {
        const struct hf_conf_option *option = hf_conf_option_at(i);
        if (!options->is_all && !hf_conf_option_is_profiling(option))
            continue;
        status = explain_one(&output.out, options->is_json, option->key, is_first, err);
        is_first = false;
    }
    if (options->is_json)
        hf_out_string(&output.out, "]}\n");
    return hf_output_close(&output, status, err);
}

static enum hf_status conf_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    if (operands->count > 0 && strcmp(operands->items[0], "check") == 0)
        return conf_check(options, operands, err);
    if (operands->count > 0 && strcmp(operands->items[0], "explain") == 0)
        return conf_explain(options, operands, err);
    return hf_error_set(err, HF_ERR_USAGE, "expected conf check or conf explain");
}

const struct hf_command hf_cmd_conf = {
    .name = "conf",
    .summary = "Check or explain the options of jemalloc (MALLOC_CONF).",
    .operands = "check OPTIONS [PROGRAM] | explain [OPTION...]",
    .words = "check explain",
    .details = "conf check prints how jemalloc reads the options and, if something is wrong, a\n"
               "corrected line. For example: heapflame conf check \"$MALLOC_CONF\" ./server\n"
               "conf explain describes each OPTION, or all options of profiling.",
    .groups = groups,
    .options_size = sizeof(struct conf_options),
    .is_reader = hf_command_is_reader,
    .run = conf_run,
};
