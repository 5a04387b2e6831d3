/*
 * debug_servers.h: the servers of debug files that $DEBUGINFOD_URLS names, asked for one file.
 *
 * All are asked at once; the first whose answer begins sends it, and the others are left alone
 * unless it fails. A server that was not to be reached, or was silent, is given up: it is not asked
 * again for GIVEN_UP_SECONDS, however many files are wanted. Source of what the variables mean:
 * debuginfod-client-config(7).
 *
 *     DEBUGINFOD_URLS          http and https URLs, with blanks between, which may end with
 *                              "/buildid"; those behind "ima:enforcing" are not asked, because
 *                              nobody here could check the signatures of IMA
 *     DEBUGINFOD_TIMEOUT       seconds in which a server must send 100 KiB, or all (90); 0: no end
 *     DEBUGINFOD_MAXTIME       seconds in which a file must be complete (0: HF_LIMIT_HTTP_SECONDS,
 *                              which is always the end)
 *     DEBUGINFOD_MAXSIZE       bytes of a file (0: HF_LIMIT_HTTP_BODY, likewise)
 *     DEBUGINFOD_RETRY_LIMIT   how often a server is asked again that broke off or failed (2); not
 *                              one that was silent
 *     DEBUGINFOD_HEADERS_FILE  lines to send with each request; redirects are not followed then,
 *                              since nobody said that another server may see them
 *     DEBUGINFOD_VERBOSE       each answer is told (hf_debug_servers_listener)
 *     DEBUGINFOD_PROGRESS      each file that came is told
 *
 * In a worker (os/process/sandbox.h) its broker asks (http_line.h), and keeps in mind who was
 * given up.
 *
 * Safety: one thread at a time.
 *
 * Example:
 *
 *     #include <unistd.h>
 *
 *     struct hf_debug_servers_answer answer;
 *     status = hf_debug_servers_ask(
 *         &(struct hf_debug_servers_question){
 *             .path = "buildid/6f3c/debuginfo", .what = "the debug file of libc.so.6"},
 *         &answer, err);
 *     if (status == HF_OK && answer.outcome == HF_DEBUG_SERVERS_FOUND)
 *         close(answer.fd);
 */
#ifndef HF_NET_DEBUG_SERVERS_H
#define HF_NET_DEBUG_SERVERS_H

#include "base/attr.h"
#include "base/error.h"
#include "base/text.h"
#include "base/watch.h"
#include "net/http.h"

#include <stdint.h>

#define HF_DEBUG_SERVERS_MAX 32 /* more are not asked, and that is said */
#define HF_DEBUG_SERVERS_SAID 1024

/* $DEBUGINFOD_URLS; "" if it is not set. */
const char *hf_debug_servers_urls(void);

/* Of a file, by the variables; and whether they say anything of it. */
uint64_t hf_debug_servers_most_bytes(void);
bool hf_debug_servers_has_most_bytes(void);

/* Somebody who is told what happens, in sentences. NULL: nobody. */
struct hf_debug_servers_listener {
    void (*tell)(void *context, const char *sentence);
    void *context;
};

/* All is borrowed. */
struct hf_debug_servers_question {
    const char *path;    /* "buildid/HEX/debuginfo", ".../section/.debug_line", ".../source/a.c" */
    const char *what;    /* for people: "the debug file of libc.so.6" */
    uint32_t refused;    /* bits of servers that are not asked: their answer was no good */
    uint64_t most_bytes; /* of a section or source; 0: as the variables have it */
    struct hf_watch watch;
    struct hf_debug_servers_listener listener;
};

enum hf_debug_servers_outcome {
    HF_DEBUG_SERVERS_FOUND,
    HF_DEBUG_SERVERS_ABSENT,    /* every server says that it has none */
    HF_DEBUG_SERVERS_TOO_LARGE, /* one has it, but it is more than is wanted */
    HF_DEBUG_SERVERS_FAILED,
};

struct hf_debug_servers_answer {
    enum hf_debug_servers_outcome outcome;
    unsigned server; /* found: whose it is */
    int fd;          /* found: the bytes, in memory, for the caller to close; else -1 */
    /* Found: the URL. Else what each server said: "URL: sentence; URL: sentence". No passwords. */
    char said[HF_DEBUG_SERVERS_SAID];
};

/* An error is our own: no memory, no libcurl. */
HF_MUST_CHECK enum hf_status hf_debug_servers_ask(const struct hf_debug_servers_question *question,
    struct hf_debug_servers_answer *out_answer, struct hf_error *err);

/* True if `path` can be one of a question: nothing else is asked on behalf of a worker. */
bool hf_debug_servers_is_path(struct hf_text path);

#endif
