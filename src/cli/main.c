/*
 * main.c: which command is meant, by the first argument or by the name of the link.
 */
#include "cli/command.h"
#include "config.h"

#include <stdio.h>
#include <string.h>

extern const struct hf_command hf_cmd_top, hf_cmd_diff, hf_cmd_flame, hf_cmd_graph, hf_cmd_fold,
    hf_cmd_convert, hf_cmd_bundle, hf_cmd_dump, hf_cmd_completions, hf_cmd_jeprof,
    hf_cmd_flamegraph_pl, hf_cmd_stackcollapse_stap_pl, hf_cmd_difffolded_pl, hf_cmd_conf,
    hf_cmd_addr2line, hf_cmd_symbols, hf_cmd_run, hf_cmd_watch, hf_cmd_env, hf_cmd_trend,
    hf_cmd_contexts, hf_cmd_check, hf_cmd_attach, hf_cmd_doctor, hf_cmd_mark;

const struct hf_command *const hf_commands[] = {
    &hf_cmd_run,
    &hf_cmd_watch,
    &hf_cmd_env,
    &hf_cmd_attach,
    &hf_cmd_doctor,
    &hf_cmd_top,
    &hf_cmd_diff,
    &hf_cmd_trend,
    &hf_cmd_check,
    &hf_cmd_mark,
    &hf_cmd_flame,
    &hf_cmd_graph,
    &hf_cmd_fold,
    &hf_cmd_convert,
    &hf_cmd_bundle,
    &hf_cmd_dump,
    &hf_cmd_contexts,
    &hf_cmd_conf,
    &hf_cmd_symbols,
    &hf_cmd_completions,
    &hf_cmd_jeprof,
    &hf_cmd_flamegraph_pl,
    &hf_cmd_stackcollapse_stap_pl,
    &hf_cmd_difffolded_pl,
    &hf_cmd_addr2line,
    NULL,
};

static void print_usage(FILE *to)
{
    fputs("usage: heapflame COMMAND [options] ...\n\n"
          "Says which code keeps the memory of a native Linux process.\n\nCommands:\n",
        to);
    for (size_t i = 0; hf_commands[i] != NULL; i++)
        fprintf(to, "  %-22s %s\n", hf_commands[i]->name, hf_commands[i]->summary);
    fputs("\nheapflame COMMAND --help tells about one command; heapflame --version the version.\n",
        to);
}

/* "/usr/bin/jeprof" called through a link: the command of that name. */
static const struct hf_command *command_of_link(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    return hf_command_find(slash != NULL ? slash + 1 : argv0);
}

int main(int argc, char **argv)
{
    const struct hf_command *command = argc > 0 ? command_of_link(argv[0]) : NULL;
    if (command != NULL)
        return hf_command_main(command, argc, argv);
    if (argc < 2) {
        print_usage(stderr);
        return HF_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("heapflame " HF_VERSION);
        return HF_EXIT_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return HF_EXIT_OK;
    }
    command = hf_command_find(argv[1]);
    if (command == NULL) {
        fprintf(stderr, "heapflame: there is no command '%s' (see heapflame --help)\n", argv[1]);
        return HF_EXIT_USAGE;
    }
    return hf_command_main(command, argc - 1, argv + 1);
}
