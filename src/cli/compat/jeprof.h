/*
 * jeprof.h: what the files of the command jeprof share.
 */
#ifndef HF_CLI_JEPROF_H
#define HF_CLI_JEPROF_H

#include "cli/report.h"

struct hf_jeprof_options {
    struct hf_report_options report; /* first: the shared option tables are over it */
    /* What to write */
    bool text, collapsed, dot, svg, raw, symbols;
    const char *list;
    const char *lib_prefix;
    bool version;
    /* Not needed, and not built: see cmd_jeprof.c */
    const char *needless;
    bool is_needless;
    bool callgrind, evince, gif, gv, interactive, pdf, ps, web;
    const char *disasm, *weblist;
};

/* Which of the operands are profiles. */
struct hf_jeprof_operands {
    const char *const *profiles;
    size_t count;
    const char *title; /* of the graph */
    char **urls;       /* made of HOST:PORT operands */
    size_t url_count;
};

/*
 * The first operand is the program unless it is a URL, HOST:PORT or a profile with names. HOST:PORT
 * operands become URLs, also those of --base. Free with done, also after an error.
 */
HF_MUST_CHECK enum hf_status hf_jeprof_operands_init(struct hf_jeprof_operands *found,
    struct hf_jeprof_options *options, struct hf_operands *operands, struct hf_error *err);
void hf_jeprof_operands_done(struct hf_jeprof_operands *found);

/* The table; with --thread '*' one for each thread. */
HF_MUST_CHECK enum hf_status hf_jeprof_table(struct hf_jeprof_options *options,
    const char *const *profiles, size_t count, struct hf_error *err);

/* --symbols: reads a memory map and addresses from standard input, prints a name for each. */
HF_MUST_CHECK enum hf_status hf_jeprof_symbols(
    struct hf_jeprof_options *options, const struct hf_operands *operands, struct hf_error *err);

#endif
