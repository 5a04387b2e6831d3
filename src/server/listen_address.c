#include "server/listen_address.h"

#include "base/strings/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define WAITING_MAX 32 /* connections that nobody has taken yet */

static bool put_host(struct hf_listen_address *address, struct hf_text host, uint16_t port)
{
    char text[INET6_ADDRSTRLEN];
    bool is_six = hf_text_take(&host, "[") && hf_text_ends(host, "]");
    if (is_six)
        host.size--;
    if (host.size >= sizeof text || (host.size != 0 && memchr(host.data, '\0', host.size) != NULL))
        return false;
    (void)snprintf(text, sizeof text, "%.*s", (int)host.size, host.data);
    *address = (struct hf_listen_address){0};
    if (is_six) {
        struct sockaddr_in6 *six = &address->socket.six;
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        address->size = sizeof *six;
        bool is_address = inet_pton(AF_INET6, text, &six->sin6_addr) == 1;
        address->is_loopback = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
        return is_address;
    }
    struct sockaddr_in *four = &address->socket.four;
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    address->size = sizeof *four;
    bool is_address = inet_pton(AF_INET, text, &four->sin_addr) == 1;
    address->is_loopback = ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return is_address;
}

enum hf_status hf_listen_address_parse(
    struct hf_listen_address *address, struct hf_text text, struct hf_error *err)
{
    uint64_t port;
    size_t colon = hf_text_find_last(text, ':');
    if (colon != text.size && hf_num_u64(hf_text_from(text, colon + 1), &port) &&
        port <= UINT16_MAX && put_host(address, hf_text_first(text, colon), (uint16_t)port))
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "--listen: expected an address and a port, e.g. 127.0.0.1:9464, [::1]:9464 or "
        "0.0.0.0:9464; found '%.*s'",
        (int)text.size, text.data);
}

void hf_listen_address_put(
    const struct hf_listen_address *address, char out_text[HF_LISTEN_ADDRESS_MAX])
{
    char host[INET6_ADDRSTRLEN] = "";
    bool is_six = address->socket.any.sa_family == AF_INET6;
    const struct sockaddr_in *four = &address->socket.four;
    const struct sockaddr_in6 *six = &address->socket.six;
    if (is_six)
        (void)inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
    else
        (void)inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
    (void)snprintf(out_text, HF_LISTEN_ADDRESS_MAX, is_six ? "[%s]:%u" : "%s:%u", host,
        (unsigned)ntohs(is_six ? six->sin6_port : four->sin_port));
}

enum hf_status hf_listen_address_open(
    struct hf_listen_address *address, int *out_socket, struct hf_error *err)
{
    char shown[HF_LISTEN_ADDRESS_MAX];
    const int on = 1;
    int fd = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    hf_listen_address_put(address, shown);
    if (fd < 0)
        return hf_error_system(err, errno, "cannot make a socket for %s", shown);
    /* A server that was just ended must not keep its port from the next one. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &address->socket.any, address->size) != 0 || listen(fd, WAITING_MAX) != 0 ||
        getsockname(fd, &address->socket.any, &address->size) != 0) {
        enum hf_status status = hf_error_system(err, errno, "cannot listen on %s", shown);
        close(fd);
        return status;
    }
    *out_socket = fd;
    return HF_OK;
}
