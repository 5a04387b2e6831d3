/*
 * What mallctl answers to right and wrong calls of the names of heap profiling, one line each:
 * tests/e2e/mallctl.py compares jemalloc's own answers with those of the agent.
 */
#include <jemalloc/jemalloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name;
    size_t size;
} names[] = {
    {"config.prof", 1},
    {"opt.lg_prof_interval", 8},
    {"opt.lg_prof_sample", 8},
    {"opt.prof", 1},
    {"opt.prof_accum", 1},
    {"opt.prof_active", 1},
    {"opt.prof_final", 1},
    {"opt.prof_gdump", 1},
    {"opt.prof_leak", 1},
    {"opt.prof_thread_active_init", 1},
    {"prof.active", 1},
    {"prof.gdump", 1},
    {"prof.interval", 8},
    {"prof.lg_sample", 8},
    {"prof.thread_active_init", 1},
    {"thread.prof.active", 1},
    {"epoch", 8},
    {"prof.dump", 8},
    {"prof.prefix", 8},
    {"prof.reset", 8},
    {"thread.prof.name", 8},
    {"opt.prof_prefix", 8},
    {"version", 8},
    {"prof.nothing", 8},
    {"", 8},
};

/* Is a text, or is written to by what reads it, or counts: the value is none to compare. */
static bool is_number(const char *name)
{
    return strcmp(name, "epoch") != 0 && strcmp(name, "version") != 0 &&
           strcmp(name, "thread.prof.name") != 0 && strcmp(name, "opt.prof_prefix") != 0;
}

/* jemalloc 5.3.0 crashes where there is none. */
static bool needs_value(const char *name)
{
    return strcmp(name, "prof.prefix") == 0;
}

static void read_each(void)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        for (size_t room = 0; room <= 9; room++) {
            uint8_t bytes[16] = {0};
            uint64_t value = 0;
            size_t size = room;
            int error = mallctl(names[i].name, bytes, &size, NULL, 0);
            memcpy(&value, bytes, sizeof value);
            printf("read %s into %zu: %d, %zu", names[i].name, room, error, size);
            printf(is_number(names[i].name) ? ", %llu\n" : "\n", (unsigned long long)value);
        }
        if (needs_value(names[i].name))
            continue;
        size_t size = names[i].size;
        printf("ask %s for nothing: %d\n", names[i].name,
            mallctl(names[i].name, NULL, NULL, NULL, 0) != 0);
        printf("ask %s for its size: %d\n", names[i].name,
            mallctl(names[i].name, NULL, &size, NULL, 0) != 0);
    }
}

/* A value of another size, or one that reads and sets what does not both. */
static void set_wrongly(void)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        uint8_t old[16] = {0}, new[16] = {0};
        for (size_t size = 0; size <= 9; size++) {
            if (size != names[i].size)
                printf("set %s of %zu: %d\n", names[i].name, size,
                    mallctl(names[i].name, NULL, NULL, new, size));
        }
        if (names[i].size == 8) {
            size_t size = 8;
            int error = mallctl(names[i].name, old, &size, new, 8);
            printf("swap %s: %d\n", names[i].name, error);
        }
        if (needs_value(names[i].name))
            continue;
        printf("set %s by a size alone: %d\n", names[i].name,
            mallctl(names[i].name, NULL, NULL, NULL, names[i].size));
    }
}

static void switch_flag(const char *name)
{
    bool value = true, old = false;
    size_t size = sizeof old;
    printf("switch %s:", name);
    for (int i = 0; i < 4; i++) {
        value = i % 2 != 0;
        int error = mallctl(name, &old, &size, &value, sizeof value);
        printf(" %d %d", error, old);
    }
    printf("\n");
}

static void by_mib(void)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        if (needs_value(names[i].name))
            continue;
        size_t mib[8] = {0}, length = 8, size = names[i].size;
        uint8_t bytes[16] = {0};
        uint64_t value = 0;
        int error = mallctlnametomib(names[i].name, mib, &length);
        printf("mib of %s: %d, %zu\n", names[i].name, error, error == 0 ? length : 0);
        if (error != 0 || names[i].name[0] == '\0')
            continue;
        error = mallctlbymib(mib, length, bytes, &size, NULL, 0);
        memcpy(&value, bytes, sizeof value);
        printf("by mib %s: %d", names[i].name, error);
        printf(is_number(names[i].name) ? ", %llu\n" : "\n", (unsigned long long)value);
    }
}

static int set_text(const char *name, const char *text)
{
    return mallctl(name, NULL, NULL, &text, sizeof text);
}

static void texts(void)
{
    const char *name = NULL;
    size_t size = sizeof name;
    printf("name: %d", set_text("thread.prof.name", "a worker"));
    printf(" %d", mallctl("thread.prof.name", &name, &size, NULL, 0));
    printf(" '%s'\n", name);
    printf("bad name: %d\n", set_text("thread.prof.name", "a\nb"));
    printf("no name: %d\n", set_text("thread.prof.name", NULL));
    printf("dump nowhere: %d\n", set_text("prof.dump", "/nowhere/at.all"));
    printf("dump: %d", set_text("prof.dump", "named.heap"));
    printf(" %d\n", access("named.heap", R_OK));
    printf("prefix: %d", set_text("prof.prefix", "other"));
    printf(" %d\n", mallctl("prof.dump", NULL, NULL, NULL, 0));
    printf("no prefix: %d", set_text("prof.prefix", ""));
    printf(" %d\n", mallctl("prof.dump", NULL, NULL, NULL, 0));
    size_t rate = 0;
    printf("reset: %d", mallctl("prof.reset", NULL, NULL, NULL, 0));
    printf(" %d\n", mallctl("prof.reset", NULL, NULL, &rate, sizeof rate));
}

int main(void)
{
    free(malloc(1));
    read_each();
    set_wrongly();
    switch_flag("prof.active");
    switch_flag("prof.gdump");
    switch_flag("prof.thread_active_init");
    switch_flag("thread.prof.active");
    by_mib();
    texts();
    return 0;
}
