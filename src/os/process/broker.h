/*
 * broker.h: the command that kept its rights, while a worker without them does its work: it answers
 * the questions of os/broker_line.h, and says no to what the command line did not ask for.
 *
 * What a worker may have, though whoever took it over asks:
 *
 * - Files to read: what the command line names, whatever that is, and files in a folder that it
 *   names. Else regular files that everybody may read; of the others only those that begin as
 *   `magics` has it, maps of names that a JIT made, and, if it `gives_tables`, what lies beside
 *   live tables. Each is looked at before it is opened (os/path_look.h): never a device, a FIFO, a
 *   socket.
 * - Processes: of /proc/PID all, if the command line names the number; else what everybody may
 *   read, which is neither their memory nor their environment.
 * - Files to write: `outputs`; in the private folders that are listed, files of a plain name that
 *   pass `is_entry`.
 * - Programs: the one that draws graphs, which gets no rights either.
 * - The rest: what `services` offers.
 *
 * Safety: one thread.
 */
#ifndef HF_OS_BROKER_H
#define HF_OS_BROKER_H

#include "base/error.h"
#include "os/broker_line.h"
#include "os/file.h"
#include "os/file_writer.h"

#include <signal.h>

#define HF_BROKER_OUTPUTS_MAX 8
#define HF_BROKER_FOLDERS_MAX 2
#define HF_BROKER_REFUSED_MAX 8

/* Answers a question of HF_BROKER_SERVICES and above. */
typedef void hf_broker_service(
    void *context, const struct hf_broker_question *question, struct hf_broker_answer *answer);

struct hf_rights_kept;

/* All is borrowed. */
struct hf_broker_rules {
    const char *const *words;   /* of the command line; ends with NULL */
    const char *const *outputs; /* the only files that are written; ends with NULL */
    const char *const *magics;  /* how files begin that are given out; ends with NULL */
    bool gives_tables;
    struct {
        const char *path;
        bool (*is_entry)(struct hf_text name, struct hf_text bytes);
    } folders[HF_BROKER_FOLDERS_MAX];
    const char *const *drawing;        /* the program that draws and its arguments; NULL: none */
    const struct hf_rights_kept *kept; /* by the worker (os/process/rights.h); NULL: nothing */
    hf_broker_service *service;
    void *service_context;
};

struct hf_broker {
    const struct hf_broker_rules *rules;
    struct hf_file_writer outputs[HF_BROKER_OUTPUTS_MAX];
    bool is_open[HF_BROKER_OUTPUTS_MAX];
    /* Files that killed a worker before: they are not given out again, by whatever path. */
    struct {
        char *path;
        dev_t device;
        ino_t inode; /* 0: not known */
    } refused[HF_BROKER_REFUSED_MAX];
    size_t refused_count;
    pid_t worker;              /* that asks */
    const sigset_t *impatient; /* signals that are blocked while it waits for long; NULL: as ever */
};

void hf_broker_init(struct hf_broker *broker, const struct hf_broker_rules *rules);

/* Answers one question; false when nobody asks any more. */
HF_MUST_CHECK bool hf_broker_answer_one(struct hf_broker *broker, int fd);

/* Answers a question that was heard, and closes its descriptor; false as above. */
HF_MUST_CHECK bool hf_broker_answer(
    struct hf_broker *broker, int fd, const struct hf_broker_question *question);

/* An answer without anything in it. */
void hf_broker_answer_clear(struct hf_broker_answer *answer);

/* The command line names it: without it there is no answer. */
bool hf_broker_is_operand(const struct hf_broker *broker, const char *path);

/* From now on `path` is not given out: its reading killed a worker. False: that was known. */
bool hf_broker_refuse(struct hf_broker *broker, const char *path);

/* Removes what was not committed. */
void hf_broker_abandon_outputs(struct hf_broker *broker);

void hf_broker_done(struct hf_broker *broker);

#endif
