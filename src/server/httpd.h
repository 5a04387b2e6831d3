/*
 * httpd.h: the parts of libmicrohttpd that are used; it is loaded when a server begins. For
 * the files of server/ only.
 */
#ifndef HF_SERVER_HTTPD_H
#define HF_SERVER_HTTPD_H

#include "base/attr.h"
#include "base/error.h"

#include <microhttpd.h>

/* By its own names less "MHD_". */
struct hf_httpd {
    struct MHD_Daemon *(*start_daemon)(unsigned, uint16_t, MHD_AcceptPolicyCallback, void *,
        MHD_AccessHandlerCallback, void *, ...);
    void (*stop_daemon)(struct MHD_Daemon *);
    enum MHD_Result (*run)(struct MHD_Daemon *);
    enum MHD_Result (*get_timeout)(struct MHD_Daemon *, MHD_UNSIGNED_LONG_LONG *);
    const union MHD_DaemonInfo *(*get_daemon_info)(
        struct MHD_Daemon *, enum MHD_DaemonInfoType, ...);
    const union MHD_ConnectionInfo *(*get_connection_info)(
        struct MHD_Connection *, enum MHD_ConnectionInfoType, ...);
    int (*get_connection_values_n)(
        struct MHD_Connection *, enum MHD_ValueKind, MHD_KeyValueIteratorN, void *);
    void (*suspend_connection)(struct MHD_Connection *);
    void (*resume_connection)(struct MHD_Connection *);
    struct MHD_Response *(*create_response_from_buffer)(
        size_t, void *, enum MHD_ResponseMemoryMode);
    struct MHD_Response *(*create_response_from_fd64)(uint64_t, int);
    enum MHD_Result (*add_response_header)(struct MHD_Response *, const char *, const char *);
    enum MHD_Result (*queue_response)(struct MHD_Connection *, unsigned, struct MHD_Response *);
    void (*destroy_response)(struct MHD_Response *);
};

/* HF_ERR_SYSTEM, naming the package: it is missing. */
HF_MUST_CHECK enum hf_status hf_httpd_load(struct hf_httpd *httpd, struct hf_error *err);

#endif
