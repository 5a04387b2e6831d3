/*
 * broker_line.h: what a worker without rights (os/process/sandbox.h) asks of the command that kept
 * them, and how the two speak: one question, one answer, over a socket that both inherited.
 *
 * Who needs a path does not ask here but in os/path.h, which asks only if it must; whoever writes a
 * file asks in os/file_writer.h and os/private_folder.h, whoever fetches a URL in net/http.h.
 *
 * Safety: any thread of the worker; they take turns.
 *
 * Example:
 *
 *     struct hf_broker_answer answer;
 *     hf_broker_ask(&(struct hf_broker_question){.kind = HF_BROKER_REAL, .fd = -1,
 *         .first = HF_TEXT("/proc/self/exe")}, &answer);
 *     if (answer.error == 0)
 *         hf_out_bytes(out, answer.text, answer.size);
 */
#ifndef HF_OS_BROKER_LINE_H
#define HF_OS_BROKER_LINE_H

#include "base/attr.h"
#include "base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum hf_broker_kind {
    HF_BROKER_OPEN,          /* first: a path; flags: of open(2) -> fd */
    HF_BROKER_FILE,          /* first: a path; flags: 1 no link -> fd of a regular file */
    HF_BROKER_STAMP,         /* first: a path -> text: struct hf_file_stamp */
    HF_BROKER_STAT,          /* first: a path; flags: of access(2) -> info */
    HF_BROKER_LINK,          /* first: a path -> text */
    HF_BROKER_REAL,          /* first: a path -> text */
    HF_BROKER_OUTPUT_OPEN,   /* first: a path; flags: 1 private, 2 new -> number, flags: 1 through,
                              * fd */
    HF_BROKER_OUTPUT_COMMIT, /* number -> text of the error */
    HF_BROKER_OUTPUT_CLOSE,  /* number */
    HF_BROKER_KEEP_OPEN,     /* first: a private folder; flags: folders that are made */
    HF_BROKER_KEEP_MAP,      /* first: a private folder, second: a name -> fd */
    HF_BROKER_KEEP_PUT,      /* the same, and fd: the bytes */
    HF_BROKER_KEEP_TRIM,     /* first: a private folder; number: bytes */
    HF_BROKER_DRAW,          /* fd: input of the program that draws -> fd: what it wrote */
    HF_BROKER_NEXT,          /* first: the last reply -> flags, text, fd: an order (standby.h) */
    HF_BROKER_SERVICES,      /* from here on: kinds of who stands above (os/process/broker.h) */
};

/* Flags of HF_BROKER_OUTPUT_OPEN. */
enum { HF_BROKER_IS_PRIVATE = 1, HF_BROKER_IS_NEW = 2 };

/* Of all texts of a question or an answer. */
#define HF_BROKER_TEXT_MAX 16384

struct hf_broker_question {
    uint32_t kind, flags;
    uint64_t number;
    struct hf_text first, second;
    int fd;      /* -1: none; stays the asker's */
    pid_t asker; /* set by the broker: the worker */
};

struct hf_broker_answer {
    int error; /* of errno.h; 0: done */
    uint32_t flags;
    uint64_t number;
    struct stat info;
    int fd; /* -1: none; the asker's from now on */
    size_t size;
    char text[HF_BROKER_TEXT_MAX]; /* `size` bytes, then NUL */
};

/* True in a worker: then paths are asked for. */
bool hf_broker_is_there(void);

/* In a worker. With a broker that is gone every answer is EPIPE. */
void hf_broker_ask(const struct hf_broker_question *question, struct hf_broker_answer *out_answer);

/* Who runs the command: the effective user, or, in a worker, that of the command. */
uid_t hf_broker_user(void);

/* What both sides see: how far a worker has come, for who has to say why it died. */
struct hf_worker_trace {
    bool has_input;         /* of standard input, which cannot be read again */
    bool has_output;        /* on standard output, which cannot be taken back */
    char reading[PATH_MAX]; /* the file whose bytes are being understood; "" for none */
};

/* Never NULL; a worker's is shared with its broker. */
struct hf_worker_trace *hf_broker_trace(void);

/* `path` is read from now on, until the next one is or, with NULL, an answer is written. */
void hf_broker_reading(const char *path);

/* In a new worker: who it asks, and for whom. */
void hf_broker_line_begin(int fd, uid_t user, struct hf_worker_trace *trace);

/* The side of the broker. A question's texts lie in `buffer`, its descriptor is the broker's. */
HF_MUST_CHECK bool hf_broker_hear(
    int fd, char buffer[HF_BROKER_TEXT_MAX + 2], struct hf_broker_question *out_question);
HF_MUST_CHECK bool hf_broker_tell(int fd, const struct hf_broker_answer *answer);

#endif
