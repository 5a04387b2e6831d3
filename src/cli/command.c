#include "cli/command.h"

#include "base/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct hf_option hf_common_options[] = {
    {"help", 'h', HF_OPTION_FLAG, 0, offsetof(struct hf_common, help), NULL,
        "print this help and exit"},
    {"quiet", 'q', HF_OPTION_FLAG, 0, offsetof(struct hf_common, quiet), NULL,
        "print no notes on standard error"},
    {0},
};

const struct hf_command *hf_command_find(const char *name)
{
    for (size_t i = 0; hf_commands[i] != NULL; i++) {
        if (strcmp(hf_commands[i]->name, name) == 0)
            return hf_commands[i];
    }
    return NULL;
}

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
    hf_out_printf(out, "usage: heapflame %s [options] %s\n\n%s\n", command->name, command->operands,
        command->summary);
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

/* One line on standard error: nothing of the input can steer the terminal. */
static void say(const char *mark, const char *text)
{
    struct hf_out line = {0};
    hf_out_string(&line, mark);
    hf_escape_terminal(&line, hf_text_of(text));
    hf_out_char(&line, '\n');
    fwrite(line.data, 1, line.size, stderr);
    hf_out_done(&line);
}

void hf_report_notes(struct hf_common *common, const struct hf_notes *notes)
{
    common->is_partial = common->is_partial || notes->has_loss;
    if (common->quiet)
        return;
    for (size_t i = 0; i < notes->count; i++) {
        const struct hf_note *note = &notes->items[i];
        say(note->kind == HF_NOTE_LOSS ? "heapflame: lost: " : "heapflame: note: ", note->text);
    }
    if (notes->dropped != 0)
        fprintf(stderr, "heapflame: note: %llu more notes are not shown\n",
            (unsigned long long)notes->dropped);
}

enum hf_status hf_output_open(
    struct hf_output *output, const char *path, bool is_private, struct hf_error *err)
{
    *output = (struct hf_output){0};
    enum hf_status status =
        hf_file_writer_open(&output->writer, path != NULL ? path : "-", is_private, err);
    if (status == HF_OK)
        output->out = hf_file_writer_out(&output->writer);
    return status;
}

enum hf_status hf_output_close(
    struct hf_output *output, enum hf_status status, struct hf_error *err)
{
    if (status == HF_OK)
        status = hf_out_finish(&output->out, err);
    if (status == HF_OK)
        status = hf_file_writer_commit(&output->writer, err);
    hf_file_writer_close(&output->writer);
    hf_out_done(&output->out);
    return status;
}

static int print_help(const struct hf_command *command)
{
    struct hf_out help = {0};
    hf_command_help(command, &help);
    fwrite(help.data, 1, help.size, stdout);
    hf_out_done(&help);
    return fflush(stdout) == 0 ? HF_EXIT_OK : HF_EXIT_FAILED;
}

int hf_command_main(const struct hf_command *command, int argc, char **argv)
{
    struct hf_error err = {0};
    struct hf_operands operands = {calloc((size_t)argc + 1, sizeof *operands.items), 0};
    struct hf_common *common = calloc(1, command->options_size);
    int code = HF_EXIT_FAILED;
    if (operands.items == NULL || common == NULL) {
        say("heapflame: ", "out of memory");
        goto done;
    }
    if (command->defaults != NULL)
        command->defaults(common);
    enum hf_status status = hf_options_parse(command->groups, common, argc, argv, &operands, &err);
    if (status == HF_OK && common->help) {
        code = print_help(command);
        goto done;
    }
    if (status == HF_OK)
        status = command->run(common, &operands, &err);
    code = exit_status(status);
    if (status != HF_OK) {
        char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX + 64];
        hf_error_format(&err, text, sizeof text);
        say("heapflame: ", text);
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
