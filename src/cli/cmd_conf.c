/*
 * cmd_conf.c: MALLOC_CONF explained: conf check OPTIONS [PROGRAM], conf explain [OPTION...].
 */
#include "base/attr.h"
#include "base/escape.h"
#include "base/num.h"
#include "cli/command.h"
#include "cli/conf_json.h"
#include "conf/check.h"
#include "conf/explain.h"
#include "conf/repair.h"

#include <string.h>

struct conf_options {
    struct hf_common common;
    bool is_json, is_all;
    const char *version;
};

#define AT(field) offsetof(struct conf_options, field)

static const struct hf_option conf_options[] = {
    {"jemalloc", 0, HF_OPTION_TEXT, 0, AT(version), "VERSION",
        "check for this version, as 5.2.1; default: that of PROGRAM, else 5.3.0"},
    {"json", 0, HF_OPTION_FLAG, 0, AT(is_json), NULL, "print a JSON document"},
    {"all", 0, HF_OPTION_FLAG, 0, AT(is_all), NULL,
        "explain every option, not just those of profiling"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Options", conf_options},
    {"Help", hf_common_options},
    {0},
};

/* "5.2.1" or "5.2" */
static bool read_version(struct hf_text text, uint32_t *out_version)
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
static void put_export(struct hf_out *out, struct hf_text line)
{
    struct hf_out quoted = {0};
    hf_out_string(&quoted, "export MALLOC_CONF='");
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

static void put_text(struct hf_out *out, const struct hf_conf_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        put_finding(out, &check->findings[i]);
    if (check->fault_count == 0 || check->fixed.size != 0) {
        struct hf_out state = {0};
        hf_conf_describe(&state, check);
        hf_out_string(&state, "\n");
        hf_conf_dumps(&state, check);
        hf_out_string(out, check->fault_count == 0 ? "ok: " : "meant: ");
        hf_out_text(out, hf_out_view(&state));
        hf_out_done(&state);
    }
    if (check->fault_count != 0 && check->fixed.size != 0)
        put_export(out, hf_out_view(&check->fixed));
}

static enum hf_status check(
    const struct conf_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    if (operands->count != 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "conf check takes the options in one argument: heapflame conf check \"$MALLOC_CONF\"");
    struct hf_conf_check check = {0};
    if (options->version != NULL &&
        !read_version(hf_text_of(options->version), &check.target.version))
        return hf_error_set(err, HF_ERR_USAGE,
            "--jemalloc: expected a version as 5.2.1, found '%s'", options->version);
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    status = hf_conf_check_line(&check, hf_text_of(operands->items[1]), err);
    if (status == HF_OK) {
        if (options->is_json)
            hf_conf_json_check(&output.out, &check, hf_text_of(operands->items[1]));
        else
            put_text(&output.out, &check);
    }
    status = hf_output_close(&output, status, err);
    if (status == HF_OK && check.fault_count != 0)
        status = hf_error_set(err, HF_ERR_INPUT, "the options do not do what they say: %zu %s",
            check.fault_count, check.fault_count == 1 ? "fault" : "faults");
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

static enum hf_status explain(
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
    for (size_t i = 0; status == HF_OK && operands->count == 1 && i < hf_conf_option_count; i++) {
        const struct hf_conf_option *option = &hf_conf_options[i];
        if (!options->is_all && !option->is_profiling)
            continue;
        status = explain_one(&output.out, options->is_json, option->key, is_first, err);
        is_first = false;
    }
    if (options->is_json)
        hf_out_string(&output.out, "]}\n");
    return hf_output_close(&output, status, err);
}

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    if (operands->count > 0 && strcmp(operands->items[0], "check") == 0)
        return check(options, operands, err);
    if (operands->count > 0 && strcmp(operands->items[0], "explain") == 0)
        return explain(options, operands, err);
    return hf_error_set(err, HF_ERR_USAGE, "say what to do: conf check or conf explain");
}

const struct hf_command hf_cmd_conf = {
    .name = "conf",
    .summary = "Check or explain the options of jemalloc, MALLOC_CONF.",
    .operands = "check OPTIONS [PROGRAM] | explain [OPTION...]",
    .words = "check explain",
    .details = "conf check says what jemalloc makes of the options, and prints the line that was\n"
               "meant. For example: heapflame conf check \"$MALLOC_CONF\" ./server\n"
               "conf explain tells about each option, without one about all of profiling.",
    .groups = groups,
    .options_size = sizeof(struct conf_options),
    .run = run,
};
