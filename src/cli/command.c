#include "cli/command.h"

#include "base/budget.h"
#include "base/plural.h"
#include "cli/reader.h"
#include "cli/say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct hf_option hf_common_options[] = {
    {"help", 'h', HF_OPT_FLAG(struct hf_common, help), "print this help and exit"},
    {"quiet", 'q', HF_OPT_FLAG(struct hf_common, quiet), "print no notes on standard error"},
    {"no-sandbox", 0, HF_OPT_FLAG(struct hf_common, no_sandbox),
        "read the input with all rights of the user, without a sandbox"},
    {0},
};

#define HELP_COLUMN 30

static void help_option(const struct hf_option *option, struct hf_out *out)
{
    struct hf_out left = {0};
    hf_out_string(&left, "  ");
    if (option->short_name != 0)
        hf_out_printf(&left, "-%c, ", option->short_name);
    hf_out_printf(&left, "--%s", option->name);
    if (option->value_name != NULL)
        hf_out_printf(&left, " %s", option->value_name);
    hf_out_text(out, hf_out_view(&left));
    size_t column = left.size;
    if (column + 2 > HELP_COLUMN) {
        hf_out_char(out, '\n');
        column = 0;
    }
    hf_out_printf(out, "%*s%s\n", (int)(HELP_COLUMN - column), "", option->help);
    hf_out_done(&left);
}

void hf_command_help(const struct hf_command *command, struct hf_out *out)
{
    hf_out_printf(out, "usage: heapflame %s [options]%s%s\n\n%s\n", command->name,
        command->operands[0] != '\0' ? " " : "", command->operands, command->summary);
    if (command->details != NULL)
        hf_out_printf(out, "\n%s\n", command->details);
    for (const struct hf_option_group *g = command->groups; g->options != NULL; g++) {
        if (g->heading != NULL && g->heading[0] != '\0')
            hf_out_printf(out, "\n%s:\n", g->heading);
        for (const struct hf_option *o = g->options; o->name != NULL; o++) {
            if (o->help != NULL)
                help_option(o, out);
        }
    }
}

static int exit_status(enum hf_status status)
{
    switch (status) {
    case HF_OK: return HF_EXIT_OK;
    case HF_ERR_USAGE: return HF_EXIT_USAGE;
    case HF_ERR_INPUT:
    case HF_ERR_LIMIT: return HF_EXIT_INPUT;
    case HF_ERR_MEMORY:
    case HF_ERR_SYSTEM:
    case HF_ERR_NETWORK: return HF_EXIT_FAILED;
    }
    return HF_EXIT_FAILED;
}

void hf_report_notes(struct hf_common *common, const struct hf_notes *notes)
{
    common->is_partial = common->is_partial || notes->has_loss;
    if (common->quiet)
        return;
    for (size_t i = 0; i < notes->count; i++) {
        const struct hf_note *note = &notes->items[i];
        hf_say("%s: %s", note->kind == HF_NOTE_LOSS ? "lost" : "note", note->text);
    }
    if (notes->dropped != 0)
        hf_say("note: %llu more %s not shown", (unsigned long long)notes->dropped,
            hf_plural(notes->dropped, "note", "notes"));
}

static enum hf_status command_open_output(
    struct hf_output *output, const char *path, bool is_private, bool is_data, struct hf_error *err)
{
    *output = (struct hf_output){0};
    enum hf_status status =
        hf_file_writer_open(&output->writer, path != NULL ? path : "-", is_private, err);
    if (status != HF_OK)
        return status;
    output->raw = hf_file_writer_out(&output->writer);
    if (is_data && isatty(output->writer.fd) == 0) {
        output->out = output->raw;
    } else {
        output->legible.to = &output->raw;
        output->out = hf_legible_text_out(&output->legible);
    }
    return HF_OK;
}

enum hf_status hf_output_open(
    struct hf_output *output, const char *path, bool is_private, struct hf_error *err)
{
    return command_open_output(output, path, is_private, false, err);
}

enum hf_status hf_output_open_data(
    struct hf_output *output, const char *path, bool is_private, struct hf_error *err)
{
    return command_open_output(output, path, is_private, true, err);
}

enum hf_status hf_output_close(
    struct hf_output *output, enum hf_status status, struct hf_error *err)
{
    if (status == HF_OK)
        status = hf_out_finish(&output->out, err);
    if (status == HF_OK && output->legible.to != NULL)
        status = hf_legible_text_finish(&output->legible, err);
    if (status == HF_OK)
        status = hf_file_writer_commit(&output->writer, err);
    hf_file_writer_close(&output->writer);
    hf_out_done(&output->out);
    hf_out_done(&output->raw);
    return status;
}

/* As every command ends that fails. */
static int command_fail(enum hf_status status, const struct hf_error *err)
{
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX + 64];
    hf_error_format(err, text, sizeof text);
    hf_say("%s", text);
    return exit_status(status);
}

int hf_command_print(struct hf_out *text)
{
    struct hf_output output;
    struct hf_error err = {0};
    enum hf_status status = hf_output_open(&output, NULL, false, &err);
    if (status == HF_OK)
        status = hf_out_finish(text, &err);
    if (status == HF_OK) {
        hf_out_text(&output.out, hf_out_view(text));
        status = hf_output_close(&output, status, &err);
    }
    hf_out_done(text);
    return status == HF_OK ? HF_EXIT_OK : command_fail(status, &err);
}

bool hf_command_is_reader(const void *options)
{
    (void)options;
    return true;
}

/* The work itself; *out_code is set where it was done by another process. */
static enum hf_status command_work(const struct hf_command *command, struct hf_common *common,
    struct hf_operands *operands, char **argv, struct hf_error *err)
{
    bool is_worker = false;
    enum hf_status status = HF_OK;
    bool is_split = command->is_reader != NULL && !common->no_sandbox && command->is_reader(common);
    if (command->before != NULL)
        status = command->before(common, err);
    if (status == HF_OK && is_split)
        status = hf_reader_begin(command, common, argv, NULL, &is_worker, &common->code, err);
    common->has_code = is_split && !is_worker;
    if (command->is_reader != NULL && (!is_split || is_worker))
        hf_budget_prefer_large_heap();
    if (status == HF_OK && (!is_split || is_worker))
        status = command->run(common, operands, err);
    bool went_well = status == HF_OK && (!common->has_code || common->code == HF_EXIT_OK);
    if (went_well && !is_worker && command->after != NULL)
        status = command->after(common, operands, err);
    if (command->release != NULL)
        command->release(common);
    return status;
}

int hf_command_main(const struct hf_command *command, int argc, char **argv)
{
    struct hf_error err = {0};
    struct hf_operands operands = {calloc((size_t)argc + 1, sizeof *operands.items), 0, argv};
    struct hf_common *common = calloc(1, command->options_size);
    int code = HF_EXIT_FAILED;
    if (operands.items == NULL || common == NULL) {
        hf_say("out of memory");
        goto done;
    }
    if (command->defaults != NULL)
        command->defaults(common);
    enum hf_status status = hf_options_parse(command->groups, common, argc, argv, &operands, &err);
    if (status == HF_OK && common->help) {
        struct hf_out help = {0};
        hf_command_help(command, &help);
        code = hf_command_print(&help);
        goto done;
    }
    if (status == HF_OK)
        status = command_work(command, common, &operands, argv, &err);
    code = HF_EXIT_OK;
    if (status != HF_OK) {
        code = command_fail(status, &err);
        code = command->runs_another ? HF_EXIT_OF_RUN : code;
    } else if (common->has_code) {
        code = common->code;
    } else if (common->is_partial) {
        code = HF_EXIT_PARTIAL;
    }
done:
    free(operands.items);
    free(common);
    return code;
}
