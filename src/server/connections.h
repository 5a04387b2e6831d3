/*
 * connections.h: HTTP by libmicrohttpd in a loop (capture/loop.h): one thread, one request for each
 * connection.
 *
 * A *visit* is one request. It is answered when it comes, or, after hf_visit_wait, later. Only what
 * comes before a body is read: nobody has anything to send to this server. A client that takes too
 * long to ask (CONNECTIONS_ASK_SECONDS) or to take its answer is cut off, whatever it does
 * meanwhile; of more clients than HF_LIMIT_CLIENTS, the later ones wait.
 */
#ifndef HF_SERVER_CONNECTIONS_H
#define HF_SERVER_CONNECTIONS_H

#include "base/strings/out.h"
#include "capture/loop.h"
#include "server/httpd.h"

#include <netinet/in.h>
#include <sys/types.h>

#define HF_VISIT_TARGET_MAX 256

/* What is read of it is for who answers. */
struct hf_visit {
    struct hf_text method, host, authorization; /* empty: there is none */
    char target[HF_VISIT_TARGET_MAX];           /* "" if it is longer */
    bool is_strange; /* with a body, or with one of those headers twice: not to be answered */
    char own_address[INET6_ADDRSTRLEN], peer_address[INET6_ADDRSTRLEN]; /* of the connection */
    bool has_peer_user;                                                 /* peer_user.h */
    uid_t peer_user;
    unsigned status;       /* of the answer; 0: none yet */
    struct hf_visit *next; /* the caller's, e.g. for those that wait */
    /* Its own. */
    struct hf_connections *connections;
    struct MHD_Connection *connection;
    struct MHD_Response *response;
    struct client *client;
    bool was_seen, is_waiting;
};

/* A header that an answer has beside those that all have. */
struct hf_reply_header {
    const char *name, *value; /* borrowed */
};

#define HF_REPLY_HEADERS_MAX 4

struct hf_reply {
    unsigned status;
    const char *type;
    struct hf_text text; /* copied */
    int fd;              /* in place of the text: a file of `size` bytes, which is copied; -1 */
    uint64_t size;
    struct hf_reply_header headers[HF_REPLY_HEADERS_MAX]; /* up to one without a name */
};

struct hf_connections {
    /* The caller's: answers, by hf_visit_reply or hf_visit_wait; is told of what was answered (may
     * be NULL). A visit lives until then. */
    void (*come)(void *context, struct hf_visit *visit);
    void (*gone)(void *context, const struct hf_visit *visit);
    void *context;
    /* Its own. */
    struct hf_httpd httpd;
    struct MHD_Daemon *daemon;
    struct hf_loop *loop;
    struct hf_loop_source source;
    struct client *first;
    uint64_t closed_count; /* connections, ever */
    bool is_over;
};

/* From here on the loop serves those who come to `socket`, which is its own then; it may not move.
 * HF_ERR_SYSTEM: there is no libmicrohttpd. Call end in any case. */
HF_MUST_CHECK enum hf_status hf_connections_begin(
    struct hf_connections *connections, int socket, struct hf_loop *loop, struct hf_error *err);

/* No visit may be waiting any more. */
void hf_connections_end(struct hf_connections *connections);

/* Answers. Where memory runs out, the connection ends without an answer. */
void hf_visit_reply(struct hf_visit *visit, const struct hf_reply *reply);

/* It is answered later; called where it would be answered. */
void hf_visit_wait(struct hf_visit *visit);

#endif
