#include "server/peer_user.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One end of a connection. */
union end {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

struct diag_question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 what;
};

static void put_end(const union end *end, __be16 *out_port, __be32 out_address[4])
{
    bool is_six = end->any.sa_family == AF_INET6;
    *out_port = is_six ? end->six.sin6_port : end->four.sin_port;
    memset(out_address, 0, 4 * sizeof *out_address);
    if (is_six)
        memcpy(out_address, &end->six.sin6_addr, sizeof end->six.sin6_addr);
    else
        memcpy(out_address, &end->four.sin_addr, sizeof end->four.sin_addr);
}

/* The socket whose own end is `peer`. */
static bool ask_kernel(int kernel, const union end *peer, const union end *own)
{
    struct diag_question question = {.head = {.nlmsg_len = sizeof question,
                                         .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                                         .nlmsg_flags = NLM_F_REQUEST},
        .what = {.sdiag_family = (uint8_t)peer->any.sa_family,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = UINT32_MAX,
            .id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    put_end(peer, &question.what.id.idiag_sport, question.what.id.idiag_src);
    put_end(own, &question.what.id.idiag_dport, question.what.id.idiag_dst);
    return send(kernel, &question, sizeof question, 0) == sizeof question;
}

/* A socket that nobody has open any more has no inode, and belongs to nobody. */
static bool hear_kernel(int kernel, uid_t *out_user)
{
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    ssize_t size = recv(kernel, &answer, sizeof answer, 0);
    if (size < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) ||
        answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return false;
    const struct inet_diag_msg *message = NLMSG_DATA(&answer.head);
    *out_user = message->idiag_uid;
    return message->idiag_inode != 0;
}

bool hf_peer_user_find(int socket_of_visit, uid_t *out_user)
{
    union end own = {0}, peer = {0};
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    if (getsockname(socket_of_visit, &own.any, &own_size) != 0 ||
        getpeername(socket_of_visit, &peer.any, &peer_size) != 0)
        return false;
    int kernel = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (kernel < 0)
        return false;
    bool is_known = ask_kernel(kernel, &peer, &own) && hear_kernel(kernel, out_user);
    close(kernel);
    return is_known;
}
