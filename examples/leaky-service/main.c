/*
 * leaky-service: a small web service with a leak, to learn heap profiling on.
 *
 * One thread waits in server_run() for requests and for a signal to stop. It leaves through the end
 * of main() and not by the signal itself, so that atexit handlers run: jemalloc's prof_final dump
 * is one.
 */
#include "cache.h"
#include "parse.h"
#include "routes.h"
#include "server.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char HELP[] =
    "usage: leaky-service [options]\n"
    "\n"
    "A web service on 127.0.0.1 that leaks 1 MiB per GET /leak, linked with jemalloc.\n"
    "Start it with MALLOC_CONF=prof:true to profile it.\n"
    "\n"
    "  --port N             listen on port N; 0 takes any free one (default: 8080)\n"
    "  --cache-limit SIZE   bound of the cache behind /cache (default: 64MiB)\n"
    "  --endpoints LIST     which profile endpoints exist, separated by commas:\n"
    "                         greptime      POST /debug/prof/mem, and below it\n"
    "                                       status, activate, deactivate, gdump\n"
    "                         greptime-old  GET /v1/prof/mem\n"
    "                         pprof         GET /debug/pprof/heap, GET /pprof/heap\n"
    "                         all           all of these\n"
    "                         none          none of these\n"
    "                         disabled      all of these, and each answers 501 as a\n"
    "                                       server built without profiling does\n"
    "                       (default: greptime,greptime-old)\n"
    "  --help               print this text\n"
    "\n"
    "GET /                  a line in the log and a sentence\n"
    "GET /leak?n=K          leak K MiB (default: 1)\n"
    "GET /cache?n=K&size=S  put K entries of S bytes into the cache (default: 1, 1MiB)\n"
    "GET /cache/drop?n=K    drop the K oldest entries (default: 1)\n"
    "GET /dump              jemalloc writes a heap dump, named after prof_prefix\n";

struct options {
    uint16_t port;
    uint64_t cache_limit_bytes;
    unsigned groups;
    bool is_built_without_profile;
    bool wants_help;
};

/* Adds the groups that a comma separated list names; false when a name is unknown. */
static bool parse_endpoints(const char *list, struct options *options)
{
    static const unsigned all = ROUTES_GREPTIME | ROUTES_GREPTIME_OLD | ROUTES_PPROF;
    static const struct {
        const char *name;
        unsigned groups;
    } names[] = {
        {"greptime", ROUTES_GREPTIME},
        {"greptime-old", ROUTES_GREPTIME_OLD},
        {"pprof", ROUTES_PPROF},
        {"all", all},
        {"none", 0},
        {"disabled", all},
    };

    options->groups = ROUTES_SERVICE;
    options->is_built_without_profile = false;
    for (;;) {
        size_t length = strcspn(list, ",");
        size_t i = 0;

        while (i < sizeof names / sizeof names[0] &&
               (strlen(names[i].name) != length || memcmp(names[i].name, list, length) != 0))
            i++;
        if (i == sizeof names / sizeof names[0])
            return false;
        options->groups |= names[i].groups;
        if (strcmp(names[i].name, "disabled") == 0)
            options->is_built_without_profile = true;
        if (list[length] == '\0')
            return true;
        list += length + 1;
    }
}

/* False, with a sentence on stderr, when the command line makes no sense. */
static bool parse_options(int argc, char **argv, struct options *out_options)
{
    static const struct option table[] = {
        {"port", required_argument, NULL, 'p'},
        {"cache-limit", required_argument, NULL, 'c'},
        {"endpoints", required_argument, NULL, 'e'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {
        .port = 8080,
        .cache_limit_bytes = (uint64_t)64 << 20,
        .groups = ROUTES_SERVICE | ROUTES_GREPTIME | ROUTES_GREPTIME_OLD,
    };
    uint64_t port;
    int option;

    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        switch (option) {
        case 'p':
            if (!parse_count(optarg, UINT16_MAX, &port)) {
                fprintf(stderr, "leaky-service: --port: %s is no port number\n", optarg);
                return false;
            }
            options.port = (uint16_t)port;
            break;
        case 'c':
            if (!parse_size(optarg, SIZE_MAX / 2, &options.cache_limit_bytes)) {
                fprintf(stderr, "leaky-service: --cache-limit: %s is no size; try 64MiB\n", optarg);
                return false;
            }
            break;
        case 'e':
            if (!parse_endpoints(optarg, &options)) {
                fprintf(
                    stderr, "leaky-service: --endpoints: unknown name in %s; see --help\n", optarg);
                return false;
            }
            break;
        case 'h': options.wants_help = true; break;
        default: return false; // getopt_long has said why
        }
    }
    if (optind < argc) {
        fprintf(stderr, "leaky-service: unexpected argument %s\n", argv[optind]);
        return false;
    }
    *out_options = options;
    return true;
}

/* A descriptor that becomes readable on SIGTERM or SIGINT, or -1. */
static int open_stop_signals(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0)
        return -1;
    return signalfd(-1, &signals, SFD_CLOEXEC);
}

static bool serve(const struct options *options, int stop_fd)
{
    struct routes_context context = {
        .groups = options->groups,
        .is_built_without_profile = options->is_built_without_profile,
    };
    bool is_fine = false;

    cache_init(&context.cache, options->cache_limit_bytes);
    struct server *server = server_start(options->port, routes_answer, &context);
    if (server == NULL)
        goto done;

    // Whoever started us with --port 0 waits for this line, often through a pipe or a file.
    printf("listening on http://127.0.0.1:%u\n", (unsigned)server_port(server));
    if (fflush(stdout) != 0) {
        fprintf(stderr, "leaky-service: stdout: %s\n", strerror(errno));
        goto done;
    }
    is_fine = server_run(server, stop_fd);

done:
    server_stop(server);
    cache_clear(&context.cache);
    return is_fine;
}

int main(int argc, char **argv)
{
    struct options options;

    if (!parse_options(argc, argv, &options))
        return 2;
    if (options.wants_help) {
        fputs(HELP, stdout);
        return EXIT_SUCCESS;
    }

    // A client that hangs up while we write is its own problem: without this, sendfile would kill
    // the service.
    signal(SIGPIPE, SIG_IGN);
    int stop_fd = open_stop_signals();
    if (stop_fd < 0) {
        fprintf(stderr, "leaky-service: signals: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    bool is_fine = serve(&options, stop_fd);
    close(stop_fd);
    return is_fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
