/*
 * peer_user.h: which user of this host holds the other end of a connection over the loopback
 * device, as the kernel says it: sock_diag(7), of one socket.
 */
#ifndef HF_SERVER_PEER_USER_H
#define HF_SERVER_PEER_USER_H

#include "base/attr.h"

#include <stdbool.h>
#include <sys/types.h>

/* False: the other end is not on this host, or is closed already, or the kernel does not say. */
HF_MUST_CHECK bool hf_peer_user_find(int socket_of_visit, uid_t *out_user);

#endif
