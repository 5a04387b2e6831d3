/*
 * table.c: writes a live table by command, as the agent does by what a program allocates.
 *
 *     table FOLDER        the table is FOLDER/heapflame-UID/PID-program.live
 *
 * Commands on standard input, one a line, each answered by "ok":
 *
 *     put leak|cache SIZE COUNT   that many blocks, allocated by the function of that name
 *     drop COUNT                  the newest blocks are freed
 *     fork                        a child, which lives until it is killed
 *     exit STATUS
 */
#include "base/strings/num.h"
#include "live/writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TABLE_BYTES HF_LIVE_TABLE_MIN
#define BLOCKS_MAX 20000

static struct hf_live_table table;
static struct hf_live_slots slots;
static uint32_t blocks[BLOCKS_MAX];
static size_t block_count;

__attribute__((noinline)) void leak(void)
{
    __asm__ volatile("nop; nop");
}

__attribute__((noinline)) void cache(void)
{
    __asm__ volatile("nop; nop");
}

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Takes the next word off a line. */
static struct hf_text word(struct hf_text *line)
{
    struct hf_text first = hf_text_first(*line, hf_text_find(*line, ' '));
    *line = hf_text_trim_start(hf_text_from(*line, first.size), " ");
    return first;
}

static uint64_t number(struct hf_text text)
{
    uint64_t value = 0;
    return hf_num_u64(text, &value) ? value : 0;
}

static uint64_t start_ticks(void)
{
    char bytes[1024];
    FILE *stat = fopen("/proc/self/stat", "r");
    if (stat == NULL) /* in a root without it */
        return 0;
    struct hf_text line = {bytes, fread(bytes, 1, sizeof bytes, stat)};
    fclose(stat);
    line = hf_text_from(line, hf_text_find_last(line, ')'));
    for (int field = 2; field < 22; field++)
        (void)word(&line);
    return number(word(&line));
}

static void make_table(const char *folder)
{
    char path[4096];
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .pid = (uint32_t)getpid(),
        .start_ticks = start_ticks(),
        .period_bytes = 1,
        .monotonic_ns = now_ns(CLOCK_MONOTONIC),
        .realtime_ns = now_ns(CLOCK_REALTIME),
        .command = "table",
    };
    snprintf(path, sizeof path, "%s/heapflame-%u", folder, geteuid());
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/heapflame-%u/%d-program.live", folder, geteuid(), getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, TABLE_BYTES) != 0)
        exit(111);
    void *memory = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    hf_live_plan(&head, TABLE_BYTES);
    if (memory == MAP_FAILED || !hf_live_begin(&table, memory, &head, commit))
        exit(112);
}

static bool parse_segment(struct hf_text line, const char *exe, struct hf_live_segment *segment)
{
    struct hf_text range = word(&line), perms = word(&line), offset = word(&line);
    (void)word(&line);
    (void)word(&line);
    segment->is_executable = hf_text_has(perms, "x");
    return hf_text_is(line, exe) && hf_num_take_hex(&range, &segment->start) &&
           hf_text_take(&range, "-") && hf_num_take_hex(&range, &segment->end) &&
           hf_num_take_hex(&offset, &segment->file_offset);
}

/* The program's own mappings, as the agent finds them. */
static void add_module(uint64_t *out_bias)
{
    char exe[4096], line[8192];
    ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (size < 0)
        size = snprintf(exe, sizeof exe, "/table");
    exe[size] = '\0';
    uint32_t module = hf_live_add_module(&table, exe, (size_t)size, NULL, 0, 0, 0);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        struct hf_live_segment segment = {.module = module};
        if (!parse_segment(hf_text_trim_end(hf_text_of(line), "\n"), exe, &segment))
            continue;
        hf_live_add_segment(&table, &segment);
        if (segment.is_executable)
            *out_bias = segment.start - segment.file_offset;
    }
    if (maps != NULL)
        fclose(maps);
}

static void put(uint32_t stack, uint64_t size, uint64_t count)
{
    for (uint64_t i = 0; i < count && block_count < BLOCKS_MAX; i++) {
        blocks[block_count] = hf_live_put(
            &table, &slots, 0x100000 + block_count * 16, size, stack, 0, now_ns(CLOCK_MONOTONIC));
        block_count++;
        hf_live_count(&table, stack, HF_LIVE_OBJECT, size);
    }
}

static void drop(uint64_t count)
{
    while (count-- != 0 && block_count != 0)
        hf_live_remove(&table, &slots, blocks[--block_count]);
}

static void obey(struct hf_text line)
{
    struct hf_text what = word(&line), first = word(&line);
    if (hf_text_is(what, "put")) {
        uint64_t size = number(word(&line));
        put(hf_text_is(first, "leak") ? 0 : 1, size, number(word(&line)));
    } else if (hf_text_is(what, "drop")) {
        drop(number(first));
    } else if (hf_text_is(what, "exit")) {
        exit((int)number(first));
    } else if (hf_text_is(what, "fork") && fork() == 0) {
        for (;;)
            pause();
    }
    puts("ok");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[256];
    uint64_t bias = 0;
    if (argc != 2)
        return 2;
    make_table(argv[1]);
    add_module(&bias);
    struct hf_live_thread thread = {(uint64_t)getpid(), "table"};
    (void)hf_live_add_thread(&table, &thread);
    uint64_t outer = hf_live_frame(1, (uintptr_t)main - bias + 4);
    uint64_t leaking[] = {hf_live_frame(1, (uintptr_t)leak - bias), outer};
    uint64_t caching[] = {hf_live_frame(1, (uintptr_t)cache - bias), outer};
    (void)hf_live_add_stack(&table, leaking, 2, 0);
    (void)hf_live_add_stack(&table, caching, 2, 0);
    while (fgets(line, sizeof line, stdin) != NULL)
        obey(hf_text_trim_end(hf_text_of(line), "\n"));
    return 0;
}
