/*
 * main.c: which command is meant, by the first argument or by the name of the link.
 */
#include "base/credentials.h"
#include "cli/command.h"
#include "cli/say.h"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

extern const struct hf_command hf_cmd_top, hf_cmd_diff, hf_cmd_flame, hf_cmd_graph, hf_cmd_fold,
    hf_cmd_convert, hf_cmd_bundle, hf_cmd_dump, hf_cmd_completions, hf_cmd_jeprof,
    hf_cmd_flamegraph_pl, hf_cmd_stackcollapse_stap_pl, hf_cmd_difffolded_pl, hf_cmd_conf,
    hf_cmd_addr2line, hf_cmd_symbols, hf_cmd_run, hf_cmd_watch, hf_cmd_env, hf_cmd_trend,
    hf_cmd_contexts, hf_cmd_check, hf_cmd_attach, hf_cmd_doctor, hf_cmd_mark, hf_cmd_gc;

const struct hf_command *const hf_commands[] = {
    &hf_cmd_run,
    &hf_cmd_watch,
    &hf_cmd_env,
    &hf_cmd_attach,
    &hf_cmd_doctor,
    &hf_cmd_gc,
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

static struct hf_out usage(void)
{
    struct hf_out text = {0};
    hf_out_string(&text,
        "usage: heapflame COMMAND [options] ...\n\n"
        "Says which code keeps the memory of a native Linux process.\n\nCommands:\n");
    for (size_t i = 0; hf_commands[i] != NULL; i++)
        hf_out_printf(&text, "  %-22s %s\n", hf_commands[i]->name, hf_commands[i]->summary);
    hf_out_string(&text,
        "\nheapflame COMMAND --help tells about one command; heapflame --version the version.\n");
    return text;
}

/* "/usr/bin/jeprof" called through a link: the command of that name. */
static const struct hf_command *command_of_link(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    return hf_command_find(slash != NULL ? slash + 1 : argv0);
}

/* One that is closed must not get the number of a file that is opened later. */
static void hold_standard_streams(void)
{
    for (int stream = 0; stream < 3; stream++) {
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            (void)open("/", O_PATH | O_CLOEXEC);
    }
}

static int lead(int argc, char **argv)
{
    const struct hf_command *command = argc > 0 ? command_of_link(argv[0]) : NULL;
    struct hf_out text = {0};
    if (command != NULL)
        return hf_command_main(command, argc, argv);
    if (argc < 2) {
        text = usage();
        hf_say_lines(hf_out_view(&text));
        hf_out_done(&text);
        return HF_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        hf_out_string(&text, "heapflame " HF_VERSION "\n");
        return hf_command_print(&text);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        text = usage();
        return hf_command_print(&text);
    }
    command = hf_command_find(argv[1]);
    if (command == NULL) {
        hf_credentials_hide(argv[1], false);
        hf_say("there is no command '%s' (see heapflame --help)", argv[1]);
        return HF_EXIT_USAGE;
    }
    return hf_command_main(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    int code = lead(argc, argv);
    /* Only now do some file systems say that they have no room. */
    if (close(STDOUT_FILENO) != 0 && code == HF_EXIT_OK) {
        hf_say("cannot write the output: %s", strerror(errno));
        return HF_EXIT_FAILED;
    }
    return code;
}
