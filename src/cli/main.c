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

/*
 * Every command, in the order of --help. `script/lint complete` holds what belongs to each:
 * `script/new command NAME` makes it.
 */
#define HF_COMMANDS(USE)                                                                           \
    USE(run)                                                                                       \
    USE(watch)                                                                                     \
    USE(env)                                                                                       \
    USE(attach)                                                                                    \
    USE(doctor)                                                                                    \
    USE(gc)                                                                                        \
    USE(top)                                                                                       \
    USE(diff)                                                                                      \
    USE(trend)                                                                                     \
    USE(check)                                                                                     \
    USE(ship)                                                                                      \
    USE(mark)                                                                                      \
    USE(flame)                                                                                     \
    USE(graph)                                                                                     \
    USE(fold)                                                                                      \
    USE(convert)                                                                                   \
    USE(bundle)                                                                                    \
    USE(fleet)                                                                                     \
    USE(dump)                                                                                      \
    USE(heap)                                                                                      \
    USE(who)                                                                                       \
    USE(contexts)                                                                                  \
    USE(serve)                                                                                     \
    USE(conf)                                                                                      \
    USE(symbols)                                                                                   \
    USE(completions)                                                                               \
    USE(jeprof)                                                                                    \
    USE(flamegraph_pl)                                                                             \
    USE(stackcollapse_stap_pl)                                                                     \
    USE(difffolded_pl)                                                                             \
    USE(addr2line)                                                                                 \
    USE(llvm_symbolizer)

#define COMMAND(name) extern const struct hf_command hf_cmd_##name;
HF_COMMANDS(COMMAND)
#undef COMMAND

#define COMMAND(name) &hf_cmd_##name,
const struct hf_command *const hf_commands[] = {HF_COMMANDS(COMMAND) NULL};
#undef COMMAND

static struct hf_out usage(void)
{
    struct hf_out text = {0};
    hf_out_string(&text,
        "usage: heapflame COMMAND [options] ...\n\n"
        "Shows which code keeps the memory of a native Linux process.\n\nCommands:\n");
    for (size_t i = 0; hf_commands[i] != NULL; i++)
        hf_out_printf(&text, "  %-22s %s\n", hf_commands[i]->name, hf_commands[i]->summary);
    hf_out_string(&text,
        "\nheapflame COMMAND --help explains a command; heapflame --version prints the version.\n");
    return text;
}

static const struct hf_command *command_find(const char *name)
{
    for (size_t i = 0; hf_commands[i] != NULL; i++) {
        if (strcmp(hf_commands[i]->name, name) == 0)
            return hf_commands[i];
    }
    return NULL;
}

/* "/usr/bin/jeprof" called through a link: the command of that name. */
static const struct hf_command *command_of_link(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    return command_find(slash != NULL ? slash + 1 : argv0);
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
    command = command_find(argv[1]);
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
