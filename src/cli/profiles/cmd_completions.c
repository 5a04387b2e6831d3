/*
 * cmd_completions.c: completion scripts for shells, from the option tables.
 */
#include "cli/command.h"

#include <string.h>

static const struct hf_option_group groups[] = {
    {"Help", hf_common_options},
    {0},
};

typedef void (*option_fn)(
    struct hf_out *out, const struct hf_command *command, const struct hf_option *option);

static void each_option(struct hf_out *out, const struct hf_command *command, option_fn write)
{
    for (const struct hf_option_group *g = command->groups; g->options != NULL; g++) {
        for (const struct hf_option *o = g->options; o->name != NULL; o++) {
            if (o->help != NULL)
                write(out, command, o);
        }
    }
}

static void bash_option(
    struct hf_out *out, const struct hf_command *command, const struct hf_option *option)
{
    (void)command;
    hf_out_printf(out, " --%s", option->name);
}

static void write_bash(struct hf_out *out)
{
    hf_out_string(out, "_heapflame()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} words= first=\n"
                       "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='--help --version");
    for (size_t i = 0; hf_commands[i] != NULL; i++)
        hf_out_printf(out, " %s", hf_commands[i]->name);
    hf_out_string(out, "'\n    else\n        case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; hf_commands[i] != NULL; i++) {
        hf_out_printf(out, "        %s) words='", hf_commands[i]->name);
        each_option(out, hf_commands[i], bash_option);
        hf_out_char(out, '\'');
        if (hf_commands[i]->words != NULL)
            hf_out_printf(out, " first='%s'", hf_commands[i]->words);
        hf_out_string(out, " ;;\n");
    }
    hf_out_string(out,
        "        esac\n    fi\n"
        "    if [ \"$COMP_CWORD\" -eq 2 ] && [ \"${word:0:1}\" != - ] && [ -n \"$first\" ]; then\n"
        "        words=$first\n    fi\n"
        "    if [ \"${word:0:1}\" = - ] || [ \"$words\" = \"$first\" ] ||\n        [ "
        "\"$COMP_CWORD\" -eq 1 ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n    fi\n}\n"
        "complete -o default -F _heapflame heapflame\n");
}

/* Text inside single quotes of zsh or fish: a quote ends them, gives itself, begins them again. */
static void put_quoted(struct hf_out *out, const char *text, const char *also_escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            hf_out_string(out, "'\\''");
        else if (strchr(also_escaped, *text) != NULL)
            hf_out_printf(out, "\\%c", *text);
        else
            hf_out_char(out, *text);
    }
}

static void zsh_option(
    struct hf_out *out, const struct hf_command *command, const struct hf_option *option)
{
    (void)command;
    hf_out_printf(out, " \\\n            '--%s[", option->name);
    put_quoted(out, option->help, "[]:");
    hf_out_char(out, ']');
    if (option->value_name != NULL)
        hf_out_printf(out, ":%s:_files", option->value_name);
    hf_out_char(out, '\'');
}

static void write_zsh(struct hf_out *out)
{
    hf_out_string(out, "#compdef heapflame\n_heapflame()\n{\n    if (( CURRENT == 2 )); then\n"
                       "        local -a commands=(");
    for (size_t i = 0; hf_commands[i] != NULL; i++) {
        hf_out_printf(out, "\n            '%s:", hf_commands[i]->name);
        put_quoted(out, hf_commands[i]->summary, ":");
        hf_out_char(out, '\'');
    }
    hf_out_string(out, ")\n        _describe command commands\n        return\n    fi\n"
                       "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                       "    case $command in\n");
    for (size_t i = 0; hf_commands[i] != NULL; i++) {
        hf_out_printf(out, "    %s)\n        _arguments", hf_commands[i]->name);
        each_option(out, hf_commands[i], zsh_option);
        if (hf_commands[i]->words != NULL)
            hf_out_printf(out, " \\\n            '1:what:(%s)'", hf_commands[i]->words);
        hf_out_string(out, " \\\n            '*:profile:_files' ;;\n");
    }
    hf_out_string(out, "    esac\n}\n_heapflame \"$@\"\n");
}

static void fish_option(
    struct hf_out *out, const struct hf_command *command, const struct hf_option *option)
{
    hf_out_printf(out, "complete -c heapflame -n '__fish_seen_subcommand_from %s' -l %s -d '",
        command->name, option->name);
    put_quoted(out, option->help, "");
    hf_out_printf(out, "'%s\n", option->value_name != NULL ? " -r" : "");
}

static void write_fish(struct hf_out *out)
{
    for (size_t i = 0; hf_commands[i] != NULL; i++) {
        hf_out_printf(
            out, "complete -c heapflame -n __fish_use_subcommand -a %s -d '", hf_commands[i]->name);
        put_quoted(out, hf_commands[i]->summary, "");
        hf_out_string(out, "'\n");
        if (hf_commands[i]->words != NULL)
            hf_out_printf(out,
                "complete -c heapflame -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                hf_commands[i]->name, hf_commands[i]->words);
        each_option(out, hf_commands[i], fish_option);
    }
}

static enum hf_status completions_run(
    void *options, struct hf_operands *operands, struct hf_error *err)
{
    static const struct {
        const char *name;
        void (*write)(struct hf_out *out);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    (void)options;
    for (size_t i = 0; operands->count == 1 && i < HF_COUNT(shells); i++) {
        if (strcmp(shells[i].name, operands->items[0]) != 0)
            continue;
        struct hf_output output;
        enum hf_status status = hf_output_open(&output, NULL, false, err);
        if (status != HF_OK)
            return status;
        shells[i].write(&output.out);
        return hf_output_close(&output, HF_OK, err);
    }
    return hf_error_set(err, HF_ERR_USAGE, "name one shell: bash, zsh or fish");
}

const struct hf_command hf_cmd_completions = {
    .name = "completions",
    .summary = "Print the completion script for a shell.",
    .operands = "bash|zsh|fish",
    .words = "bash zsh fish",
    .groups = groups,
    .options_size = sizeof(struct hf_common),
    .run = completions_run,
};
