/* Host headers: whose name is answered is known by it. The same bytes as --listen. */
#include "server/access.h"

#include "fuzz.h"
#include "server/listen_address.h"
#include "tell.h"

#include <stdlib.h>
#include <strings.h>

/* Nothing but these is answered, of a connection that came to 192.0.2.7. */
static void check_name(struct hf_text name)
{
    static const char *const known[] = {"localhost", "box.example", "192.0.2.7"};
    bool is_known = hf_text_starts(name, "127.") || hf_text_has(name, ":");
    for (size_t i = 0; i < HF_COUNT(known); i++)
        is_known = is_known || (name.size == strlen(known[i]) &&
                                   strncasecmp(name.data, known[i], name.size) == 0);
    if (!is_known)
        abort();
}

static void check_address(struct hf_text text)
{
    struct hf_error err;
    struct hf_listen_address address, again;
    char shown[HF_LISTEN_ADDRESS_MAX], twice[HF_LISTEN_ADDRESS_MAX];
    enum hf_status status = hf_listen_address_parse(&address, text, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK)
        return;
    hf_listen_address_put(&address, shown);
    fuzz_tell("listens on %s\n", shown);
    if (hf_listen_address_parse(&again, hf_text_of(shown), &err) != HF_OK)
        abort();
    hf_listen_address_put(&again, twice);
    if (strcmp(shown, twice) != 0 || address.is_loopback != again.is_loopback)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hf_access access = {.names = {{"box.example"}, 1}};
    struct hf_text host = {(const char *)data, size}, name;
    bool is_allowed = hf_access_allows_host(&access, host, HF_TEXT("192.0.2.7"));
    bool is_host = hf_access_host_name(host, &name);
    if (is_allowed && !is_host)
        abort();
    if (is_host)
        fuzz_tell_named(is_allowed ? "allowed" : "another", name);
    if (is_allowed)
        check_name(name);
    check_address(host);
    return 0;
}
