/* A guard that reads the log of an SSH daemon, and asks the firewall to block who fails too often within ten minutes. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 16384
#define WINDOW 600
#define MAX_FAILURES 3

typedef struct Attempt {
    struct Attempt *prev;
    long when;
    char *user;
    char *line;
} Attempt;

typedef struct Host {
    struct Host *next;
    char *address;
    Attempt *attempts;
    int recent;
    bool blocked;
} Host;

typedef struct {
    unsigned from, to;
    char country[4], owner[20];
} Network;

typedef struct {
    Host *hosts[BUCKETS];
    char **blocklist;
    size_t blocked, room;
    unsigned long lines, failures;
    Network *networks; /* sorted */
    size_t network_count;
} Guard;

static void *xalloc(size_t size)
{
    void *p = calloc(1, size);
    if (!p)
        abort();
    return p;
}

static char *substr(const char *from, size_t len)
{
    char *s = xalloc(len + 1);
    memcpy(s, from, len);
    return s;
}

static unsigned hash(const char *s)
{
    unsigned h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h % BUCKETS;
}

static Host *find_host(Guard *guard, const char *address)
{
    Host **bucket = &guard->hosts[hash(address)];
    for (Host *host = *bucket; host; host = host->next)
        if (strcmp(host->address, address) == 0)
            return host;
    Host *host = xalloc(sizeof(Host));
    host->address = strdup(address);
    host->next = *bucket;
    return *bucket = host;
}

static void block(Guard *guard, Host *host)
{
    if (guard->blocked == guard->room) {
        guard->room = guard->room ? guard->room * 2 : 64;
        guard->blocklist = realloc(guard->blocklist, guard->room * sizeof(char *));
    }
    guard->blocklist[guard->blocked++] = host->address;
    host->blocked = true;
}

static void load_networks(Guard *guard, size_t count)
{
    guard->networks = xalloc(count * sizeof(Network));
    guard->network_count = count;
    for (size_t i = 0; i < count; i++) {
        Network *network = &guard->networks[i];
        network->from = (unsigned)(i * (0xffffffffu / count));
        network->to = (unsigned)((i + 1) * (0xffffffffu / count)) - 1;
        snprintf(network->country, sizeof(network->country), "%c%c", (char)('a' + i % 26), (char)('a' + i / 26 % 26));
        snprintf(network->owner, sizeof(network->owner), "AS%zu", i * 7 % 65000);
    }
}

static const Network *network_of(const Guard *guard, const char *address)
{
    unsigned a, b, c, d;
    if (sscanf(address, "%u.%u.%u.%u", &a, &b, &c, &d) != 4)
        return NULL;
    unsigned number = a << 24 | b << 16 | c << 8 | d;
    size_t low = 0, high = guard->network_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (guard->networks[middle].from <= number)
            low = middle;
        else
            high = middle;
    }
    return &guard->networks[low];
}

/* How many of its attempts are within the window. */
static int recent_failures(const Host *host, long now)
{
    int count = 0;
    for (const Attempt *a = host->attempts; a && a->when > now - WINDOW; a = a->prev)
        count++;
    return count;
}

static void add_failure(Guard *guard, const char *address, const char *user, long when, const char *line)
{
    Host *host = find_host(guard, address);
    Attempt *attempt = xalloc(sizeof(Attempt));
    attempt->when = when;
    attempt->user = strdup(user);
    attempt->line = substr(line, strcspn(line, "\n")); /* guilty */
    attempt->prev = host->attempts;
    host->attempts = attempt;
    guard->failures++;
    host->recent = recent_failures(host, when);
    if (!host->blocked && host->recent >= MAX_FAILURES)
        block(guard, host);
}

/* "Failed password for [invalid user] NAME from ADDRESS port N ssh2" */
static bool parse_failure(const char *text, char *user, char *address)
{
    const char *at = strstr(text, "Failed password for ");
    if (!at)
        return false;
    at += strlen("Failed password for ");
    if (strncmp(at, "invalid user ", 13) == 0)
        at += 13;
    return sscanf(at, "%31s from %45s port", user, address) == 2;
}

static long parse_time(const char *line)
{
    int day, hour, minute, second;
    if (sscanf(line, "%*3s %d %d:%d:%d", &day, &hour, &minute, &second) != 4)
        return 0;
    return ((day * 24L + hour) * 60 + minute) * 60 + second;
}

static void read_line(Guard *guard, const char *line)
{
    char user[32], address[46];
    guard->lines++;
    if (parse_failure(line, user, address))
        add_failure(guard, address, user, parse_time(line), line);
}

static size_t write_log(char *to, size_t size, unsigned long n)
{
    static const char *users[] = {"root", "admin", "oracle", "ubuntu", "git", "postgres", "test"};
    unsigned r = (unsigned)((n % 8 == 0 ? n / 4096 : n) * 2654435761u) >> 4; /* some hosts try again and again */
    unsigned s = (unsigned)(n / 3);
    if (n % 5 == 0)
        return (size_t)snprintf(to, size, "Nov %2u %02u:%02u:%02u gate sshd[%lu]: Connection closed by 10.1.%u.%u\n", 1 + s / 86400,
                                s / 3600 % 24, s / 60 % 60, s % 60, n % 32768, r % 256, r / 256 % 256);
    return (size_t)snprintf(to, size, "Nov %2u %02u:%02u:%02u gate sshd[%lu]: Failed password for %s%s from 203.%u.%u.%u port %u ssh2\n",
                            1 + s / 86400, s / 3600 % 24, s / 60 % 60, s % 60, n % 32768, r % 3 ? "invalid user " : "", users[r % 7],
                            r / 7 % 20, r / 256 % 40, r / 4096 % 20, 1024 + r % 60000);
}

int main(void)
{
    Guard *guard = xalloc(sizeof(Guard));
    load_networks(guard, 120000);
    char line[256];
    for (unsigned long n = 0; n < 230000; n++) {
        write_log(line, sizeof(line), n);
        read_line(guard, line);
    }
    for (size_t i = 0; i < guard->blocked; i++)
        printf("%s of %s is blocked\n", guard->blocklist[i], network_of(guard, guard->blocklist[i])->country);
    printf("%lu lines, %lu failures, %zu hosts blocked\n", guard->lines, guard->failures, guard->blocked);
    return 0;
}
