/*
 * access.h: whose requests are answered: those that were meant for this server, and that have its
 * token, if there is one. (Without, only those of the same user: peer_user.h.)
 *
 * A page of a stranger's can have its name lead to this address (DNS rebinding), and its script
 * then asks the server from within the user's browser; but the browser says in Host by which name
 * it asks. So the name must be one of ours: localhost, a loopback address, the address that the
 * connection came to, or one that the user named.
 *
 *     Host = name [":" port] | "[" IPv6 "]" [":" port]        (RFC 9110, section 7.2)
 *
 * The token comes as "Bearer TOKEN", or as the password of the user "heapflame" ("Basic BASE64"),
 * which a browser asks for. Either is compared in a time that does not depend on where it differs.
 */
#ifndef HF_SERVER_ACCESS_H
#define HF_SERVER_ACCESS_H

#include "base/containers/name_list.h"
#include "base/error.h"
#include "base/strings/out.h"

#include <stdbool.h>

#define HF_ACCESS_USER "heapflame"
#define HF_ACCESS_TOKEN_LEAST 16 /* characters: printable ASCII without blanks */
#define HF_ACCESS_TOKEN_MAX 256

struct hf_access {
    struct hf_name_list names; /* the caller's: by which the server may be asked beside its own */
    /* Its own. */
    bool has_token;
    struct hf_out bearer, basic; /* as they are in a header */
};

/* The token of a file, of which the first line counts. HF_ERR_INPUT: it is none, or others may read
 * the file. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_access_read_token(
    struct hf_access *access, const char *path, struct hf_error *err);
void hf_access_done(struct hf_access *access);

/* The name in a Host header, without brackets; false if it is not one. */
HF_MUST_CHECK bool hf_access_host_name(struct hf_text host, struct hf_text *out_name);

/* `address`: the one that the connection came to, as inet_ntop(3) writes it. */
HF_MUST_CHECK bool hf_access_allows_host(
    const struct hf_access *access, struct hf_text host, struct hf_text address);

/* `authorization`: the header; empty: there is none. */
HF_MUST_CHECK bool hf_access_allows(const struct hf_access *access, struct hf_text authorization);

#endif
