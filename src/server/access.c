#include "server/access.h"

#include "base/strings/base64.h"
#include "base/strings/num.h"
#include "os/file.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_BYTES 255 /* of a name in the DNS */
#define PORT_MAX 65535

static enum hf_status refuse_token(const char *path, const char *why, struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_INPUT, "the token file %s %s", path, why);
}

static bool is_token(struct hf_text token)
{
    for (size_t i = 0; i < token.size; i++) {
        if (token.data[i] <= ' ' || token.data[i] > '~')
            return false;
    }
    return token.size >= HF_ACCESS_TOKEN_LEAST && token.size <= HF_ACCESS_TOKEN_MAX;
}

/* Both of its forms. */
static enum hf_status keep_token(
    struct hf_access *access, struct hf_text token, struct hf_error *err)
{
    struct hf_base64 base64;
    hf_out_string(&access->bearer, "Bearer ");
    hf_out_text(&access->bearer, token);
    hf_out_string(&access->basic, "Basic ");
    hf_base64_init(&base64, &access->basic);
    hf_out_string(&base64.bytes, HF_ACCESS_USER ":");
    hf_out_text(&base64.bytes, token);
    enum hf_status status = hf_base64_finish(&base64, err);
    hf_base64_done(&base64);
    if (status == HF_OK)
        status = hf_out_finish(&access->bearer, err);
    if (status == HF_OK)
        status = hf_out_finish(&access->basic, err);
    access->has_token = status == HF_OK;
    return status;
}

enum hf_status hf_access_read_token(
    struct hf_access *access, const char *path, struct hf_error *err)
{
    int fd;
    char bytes[HF_ACCESS_TOKEN_MAX + 2];
    struct stat info;
    enum hf_status status = hf_file_open_regular(path, &fd, err);
    if (status != HF_OK)
        return status;
    ssize_t size = pread(fd, bytes, sizeof bytes, 0);
    bool is_open = fstat(fd, &info) != 0 || (info.st_mode & (S_IROTH | S_IWOTH)) != 0;
    close(fd);
    if (size < 0)
        return refuse_token(path, "cannot be read", err);
    if (is_open)
        return refuse_token(
            path, "may be read or written by every user: take that right away (chmod o=)", err);
    struct hf_text token = {bytes, (size_t)size};
    token = hf_text_trim_end(hf_text_first(token, hf_text_find(token, '\n')), "\r");
    if (!is_token(token))
        return refuse_token(path,
            "has no token in its first line: expected 16 to 256 printable characters without "
            "blanks, e.g. from 'openssl rand -hex 32'",
            err);
    return keep_token(access, token, err);
}

void hf_access_done(struct hf_access *access)
{
    hf_out_done(&access->bearer);
    hf_out_done(&access->basic);
}

/* What may follow the name. */
static bool is_port(struct hf_text rest)
{
    uint64_t port;
    if (rest.size == 0)
        return true;
    return hf_text_take(&rest, ":") && hf_num_u64(rest, &port) && port <= PORT_MAX;
}

bool hf_access_host_name(struct hf_text host, struct hf_text *out_name)
{
    struct hf_text rest, name;
    if (hf_text_take(&host, "[")) {
        name = hf_text_first(host, hf_text_find(host, ']'));
        if (name.size == host.size)
            return false;
        rest = hf_text_from(host, name.size + 1);
    } else {
        name = hf_text_first(host, hf_text_find(host, ':'));
        rest = hf_text_from(host, name.size);
    }
    if (name.size == 0 || name.size > NAME_MAX_BYTES || !is_port(rest))
        return false;
    *out_name = name;
    return true;
}

/* As a number, so that it does not matter how an address is written. */
static bool access_address(struct hf_text name, struct in6_addr *out_address)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr four;
    if (name.size >= sizeof text || memchr(name.data, '\0', name.size) != NULL)
        return false;
    (void)snprintf(text, sizeof text, "%.*s", (int)name.size, name.data);
    if (inet_pton(AF_INET6, text, out_address) == 1)
        return true;
    if (inet_pton(AF_INET, text, &four) != 1)
        return false;
    *out_address = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(&out_address->s6_addr[12], &four, sizeof four);
    return true;
}

static bool access_is_loopback(const struct in6_addr *address)
{
    return IN6_IS_ADDR_LOOPBACK(address) ||
           (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

static bool access_is_name(struct hf_text name, const char *known)
{
    return name.size == strlen(known) && strncasecmp(name.data, known, name.size) == 0;
}

bool hf_access_allows_host(
    const struct hf_access *access, struct hf_text host, struct hf_text address)
{
    struct hf_text name;
    struct in6_addr asked, own;
    if (!hf_access_host_name(host, &name))
        return false;
    if (access_address(name, &asked)) {
        if (access_is_loopback(&asked))
            return true;
        if (access_address(address, &own) && memcmp(&asked, &own, sizeof own) == 0)
            return true;
    }
    bool is_known = access_is_name(name, "localhost");
    for (size_t i = 0; i < access->names.count; i++)
        is_known = is_known || access_is_name(name, access->names.items[i]);
    return is_known;
}

/* All of the expected text is compared, whatever came. */
static bool is_same(struct hf_text expected, struct hf_text came)
{
    volatile unsigned differs = expected.size != came.size;
    for (size_t i = 0; i < expected.size; i++) {
        unsigned char other = i < came.size ? (unsigned char)came.data[i] : 0;
        differs = differs | ((unsigned char)expected.data[i] ^ other);
    }
    return differs == 0;
}

bool hf_access_allows(const struct hf_access *access, struct hf_text authorization)
{
    if (!access->has_token)
        return true;
    bool is_bearer = is_same(hf_out_view(&access->bearer), authorization);
    bool is_basic = is_same(hf_out_view(&access->basic), authorization);
    return is_bearer || is_basic;
}
