/*
 * listen_address.h: where a server listens: "127.0.0.1:9464", "[::1]:9464", "0.0.0.0:9464".
 */
#ifndef HF_SERVER_LISTEN_ADDRESS_H
#define HF_SERVER_LISTEN_ADDRESS_H

#include "base/error.h"
#include "base/text.h"

#include <netinet/in.h>
#include <stdbool.h>

struct hf_listen_address {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } socket;
    socklen_t size;
    bool is_loopback; /* no other machine can reach it */
};

/* HF_ERR_USAGE: it is not an address with a port. No name is looked up. */
HF_MUST_CHECK enum hf_status hf_listen_address_parse(
    struct hf_listen_address *address, struct hf_text text, struct hf_error *err);

#define HF_LISTEN_ADDRESS_MAX 64
/* Writes it as it is parsed; of 0 as the port, the one that the socket got. */
void hf_listen_address_put(
    const struct hf_listen_address *address, char out_text[HF_LISTEN_ADDRESS_MAX]);

/* A socket that listens there, for the caller to close; the address gets its port. HF_ERR_SYSTEM:
 * somebody else does, or there is no such address here. */
HF_MUST_CHECK enum hf_status hf_listen_address_open(
    struct hf_listen_address *address, int *out_socket, struct hf_error *err);

#endif
