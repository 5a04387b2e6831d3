/*
 * command.h: what a command is, and what all commands share: help, exit codes, output, notes.
 *
 * One file per command: cmd_NAME.c. src/cli is the only floor that prints and decides exit codes.
 */
#ifndef HF_CLI_COMMAND_H
#define HF_CLI_COMMAND_H

#include "base/error.h"
#include "base/strings/legible_text.h"
#include "base/strings/out.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "os/file_writer.h"
#include "profile/notes.h"

enum hf_exit {
    HF_EXIT_OK = 0,
    HF_EXIT_EXCEEDED = 1, /* `check`: a budget was exceeded; nothing else */
    HF_EXIT_USAGE = 2,
    HF_EXIT_INPUT = 3,
    HF_EXIT_PARTIAL = 4,
    HF_EXIT_FAILED = 5,
    HF_EXIT_OF_RUN =
        125, /* of a command that else exits as the program it runs: all of the above */
};

struct hf_command {
    const char *name;
    const char *summary;  /* one line of `heapflame --help` */
    const char *operands; /* "PROFILE..." */
    const char *words;    /* what the first operand is one of, for completion; NULL: a file */
    const char *details;  /* paragraphs of --help after the summary; may be NULL */
    const struct hf_option_group *groups;
    size_t options_size; /* bytes of the options struct; every one starts with struct hf_common */
    bool runs_another;   /* errors exit with HF_EXIT_OF_RUN */
    /* With these options all of its work is done without rights (reader.h); NULL: with none. */
    bool (*is_reader)(const void *options);
    const char *const *outputs;      /* files that it writes though nobody names them; NULL: none */
    void (*defaults)(void *options); /* may be NULL: all zero */
    /* What needs rights though it is for a reader's run, and how it is given back, by the reader
     * and by the command, also if it failed; NULL: nothing. */
    enum hf_status (*before)(void *options, struct hf_error *err);
    void (*release)(void *options);
    /* Does the work; returns a status, or HF_OK with notes printed through hf_report_notes. */
    enum hf_status (*run)(void *options, struct hf_operands *operands, struct hf_error *err);
    /* What is left to do with rights once a reader's run went well; NULL: nothing. */
    enum hf_status (*after)(void *options, struct hf_operands *operands, struct hf_error *err);
};

/* For hf_command.is_reader: always. */
bool hf_command_is_reader(const void *options);

/* Head of every options struct. */
struct hf_common {
    bool help;
    bool quiet;      /* no notes on standard error */
    bool no_sandbox; /* read with all rights */
    bool is_partial; /* set by the command: data was lost, exit 4 */
    bool has_code;   /* set by the command: exit with `code`, which is another process's */
    int code;
    struct hf_progress progress; /* of what is read for it */
};

/* Options of every command: --help, --quiet. */
extern const struct hf_option hf_common_options[];

extern const struct hf_command *const hf_commands[]; /* ends with NULL */

/* Help of one command, from its table. */
void hf_command_help(const struct hf_command *command, struct hf_out *out);

/* Parses, runs, prints the error if there is one; the process's exit status. */
int hf_command_main(const struct hf_command *command, int argc, char **argv);

/* Ends `text` and prints it to standard output; the process's exit status. */
int hf_command_print(struct hf_out *text);

/* Prints the notes to standard error, losses first marked; remembers a loss in `common`. */
void hf_report_notes(struct hf_common *common, const struct hf_notes *notes);

/*
 * Where the text of a command goes: `path`, or standard output for NULL and "-". Whatever is
 * written, what comes out is legible (base/strings/legible_text.h). `is_private`: as
 * hf_file_writer_open.
 */
struct hf_output {
    struct hf_out out;
    struct hf_file_writer writer;
    struct hf_legible_text legible;
    struct hf_out raw; /* behind it */
};
HF_MUST_CHECK enum hf_status hf_output_open(
    struct hf_output *output, const char *path, bool is_private, struct hf_error *err);

/* The same for what escapes its names itself, for the place they are for (render/, formats/), or is
 * no text: as it is, except to a terminal. Who may open one stands in script/lint.d/csource.py. */
HF_MUST_CHECK enum hf_status hf_output_open_data(
    struct hf_output *output, const char *path, bool is_private, struct hf_error *err);

/* Ends the output: flushes and puts the file in place if `status` is HF_OK, else removes it. */
HF_MUST_CHECK enum hf_status hf_output_close(
    struct hf_output *output, enum hf_status status, struct hf_error *err);

#endif
