/*
 * curl.h: the parts of libcurl that are used; it is loaded when the first client is made. For the
 * files of net/ only.
 */
#ifndef HF_NET_CURL_H
#define HF_NET_CURL_H

#include <curl/curl.h>
#include <stdbool.h>

/* By its own names less "curl_". */
struct hf_curl {
    CURLcode (*global_init)(long);
    void (*global_cleanup)(void);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    CURLcode (*easy_perform)(CURL *);
    const char *(*easy_strerror)(CURLcode);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_perform)(CURLM *, int *);
    CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    CURLU *(*url)(void);
    void (*url_cleanup)(CURLU *);
    CURLUcode (*url_set)(CURLU *, CURLUPart, const char *, unsigned);
    CURLUcode (*url_get)(const CURLU *, CURLUPart, char **, unsigned);
    const char *(*url_strerror)(CURLUcode);
    void (*free)(void *);
};

struct hf_http {
    struct hf_curl curl;
    bool is_initialised;
    curl_off_t spent_us; /* of HF_LIMIT_HTTP_SECONDS, by all that was asked so far */
};

#endif
