/*
 * reader.h: commands that read bytes of strangers do all of their work in a worker without rights
 * (os/process/sandbox.h). What is left to the command itself is to answer for it.
 */
#ifndef HF_CLI_READER_H
#define HF_CLI_READER_H

#include "cli/command.h"
#include "cli/progress.h"
#include "net/http_broker.h"
#include "os/process/broker.h"
#include "os/process/rights.h"
#include "os/process/sandbox.h"

#include <limits.h>

/* What a worker may ask beside files and servers, and what it may do itself. All is borrowed. */
struct hf_reader_service {
    uint32_t first; /* question; those before are answered as for every command */
    hf_broker_service *serve;
    void (*worker_ended)(void *context); /* after each; it may have died at any point */
    void *context;                       /* of both */
    /* Told how a worker ended that is not started again: true if what it did is not lost, and so
     * who called goes on with that. NULL: it is. */
    bool (*survives)(void *survivor, const char *cause);
    void *survivor;
    struct hf_rights_kept kept;
};

/*
 * Starts the worker. In it, *out_is_worker: the caller goes on with the work, and exits. In the
 * command the work is done, and *out_code is what to exit with. HF_ERR_SYSTEM, and HF_ERR_INPUT if
 * a file killed the worker: there is no answer. `service` may be NULL: nothing.
 */
HF_MUST_CHECK enum hf_status hf_reader_begin(const struct hf_command *command,
    const struct hf_common *common, char **words, const struct hf_reader_service *service,
    bool *out_is_worker, int *out_code, struct hf_error *err);

/*
 * What the broker of a worker may do for it: the rules of os/process/broker.h, and what they
 * borrow, which must stay where it is. `words` and `outputs` as there.
 */
struct hf_reader_rules {
    struct hf_broker_rules rules;
    /* Its own. */
    struct hf_http_broker http;
    struct hf_progress progress;
    char server[256];
    bool is_quiet;
    char cache[PATH_MAX], debuginfo[PATH_MAX];
};
void hf_reader_rules_init(struct hf_reader_rules *rules, bool is_quiet, const char *const *words,
    const char *const *outputs);

/* "lost: the names in FILE, because its reader crashed": of a worker that did. */
void hf_reader_say_lost(struct hf_common *common, const struct hf_worker_ending *ending);

#endif
