#include "server/httpd.h"

#include "base/library.h"

#define FUNCTION(name)                                                                             \
    {                                                                                              \
        "MHD_" #name, offsetof(struct hf_httpd, name)                                              \
    }

static const struct hf_library_function functions[] = {
    FUNCTION(start_daemon),
    FUNCTION(stop_daemon),
    FUNCTION(run),
    FUNCTION(get_timeout),
    FUNCTION(get_daemon_info),
    FUNCTION(get_connection_info),
    FUNCTION(get_connection_values_n), /* 0.9.64 */
    FUNCTION(suspend_connection),
    FUNCTION(resume_connection),
    FUNCTION(create_response_from_buffer),
    FUNCTION(create_response_from_fd64),
    FUNCTION(add_response_header),
    FUNCTION(queue_response),
    FUNCTION(destroy_response),
};

static const struct hf_library libmicrohttpd = {
    .file = "libmicrohttpd.so.12",
    .package = "libmicrohttpd12",
    .purpose = "to serve HTTP",
    .functions = functions,
    .function_count = HF_COUNT(functions),
};

enum hf_status hf_httpd_load(struct hf_httpd *httpd, struct hf_error *err)
{
    return hf_library_load(&libmicrohttpd, httpd, err);
}
