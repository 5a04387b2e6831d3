/*
 * simulate.c: an hour of a program in less than a second: its clock is injected.
 *
 *     leakers PROGRAM[:NUMBER] SEED FOLDER [PERIOD [MINUTES]]
 *
 * Each allocation passes the agent's own sampler (agent/sampler.h), begun with SEED; what it picks
 * goes into a live table by the agent's own writer, with its birth; how old it became and where it
 * was freed, as the agent counts that. Every MINUTES, 1 by default, the table is copied to
 * FOLDER/MINUTE.live, whose time is that of the program's clock; where MINUTES has a fraction, to
 * FOLDER/SECOND.live. With PERIOD 1, every allocation is
 * recorded. NUMBER begins the script's own chance, for programs whose numbers are drawn. Prints,
 * for each minute, how many of the samples until then are of blocks that are never given back;
 * those of the first second are what every program loads, and do not count.
 *
 * A script may restart its process: what comes then is another one's table, begun anew.
 */
#include "script.h"

#include "../../agent/sampler.h"
#include "base/strings/num.h"
#include "live/ended.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_BYTES (UINT64_C(2) << 20)
#define TABLE_BYTES_MAX (UINT64_C(64) << 20) /* with many samples */
#define PERIOD_OF_MANY 16384
#define STACKS_MAX 1024
#define BEGAN_S 1735689600 /* 2025, January 1st */
#define SECOND_NS UINT64_C(1000000000)

static struct hf_live_table table;
static struct hf_live_slots slots;
static struct hf_sampler sampler;
static uint64_t period_bytes = 512 << 10;
static int64_t left;
static uint64_t now_ns, next_address = 1;
static _Alignas(4096) uint8_t memory[TABLE_BYTES_MAX];
static unsigned samples_for_ever;
static unsigned starts; /* processes that began */
static struct {
    struct block *block;
    int64_t left;
} last; /* that was recorded, and what was left then */
static uintptr_t load_bias;

/* Stacks that the table has: by their frames. */
static struct known_stack {
    uint64_t frames[PATH_STEPS_MAX];
    size_t count;
    uint32_t number;
} stacks[STACKS_MAX];
static size_t stack_count;

static void fail(const char *what)
{
    fprintf(stderr, "leakers: %s: %s\n", what, strerror(errno));
    exit(1);
}

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

/* This program's file and where its code lies in it. */
static int add_segments(struct dl_phdr_info *info, size_t size, void *context)
{
    char path[PATH_MAX];
    (void)size;
    (void)context;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    load_bias = info->dlpi_addr;
    (void)hf_live_add_module(&table, path, length > 0 ? (size_t)length : 0, NULL, 0, 0, 0);
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t page = HF_LIVE_PAGE_BYTES, skew = header->p_vaddr % page;
        struct hf_live_segment segment = {
            .start = load_bias + header->p_vaddr - skew,
            .end = load_bias + (header->p_vaddr + header->p_filesz + page - 1) / page * page,
            .file_offset = header->p_offset - skew,
            .is_executable = (header->p_flags & PF_X) != 0,
        };
        if (header->p_type == PT_LOAD)
            (void)hf_live_add_segment(&table, &segment);
    }
    return 1; /* the program is the first */
}

/* A byte of the call that returns there. */
static uint64_t frame_of(uintptr_t return_address)
{
    const struct hf_live_segment *segment =
        (const struct hf_live_segment *)(void *)table.regions[HF_LIVE_SEGMENTS];
    uint64_t address = return_address - 1;
    while (address < segment->start || address >= segment->end || !segment->is_executable)
        segment++;
    return hf_live_frame(1, address - segment->start + segment->file_offset);
}

/* Of all but the call that began the path, which is in the script. */
static uint32_t stack_of(const struct request *request)
{
    struct known_stack new = {.count = request->depth - 1};
    for (size_t i = 0; i < new.count; i++)
        new.frames[i] = frame_of(request->returns[request->depth - 1 - i]);
    for (size_t i = 0; i < stack_count; i++) {
        if (memcmp(stacks[i].frames, new.frames, sizeof new.frames) == 0)
            return stacks[i].number;
    }
    if (stack_count == STACKS_MAX)
        fail("more stacks than there is room for");
    new.number = hf_live_add_stack(&table, new.frames, new.count, 0);
    stacks[stack_count++] = new;
    return new.number;
}

static struct hf_sampler_weight weigh(uint64_t size)
{
    return period_bytes == 1 ? (struct hf_sampler_weight){HF_LIVE_OBJECT, size}
                             : hf_sampler_weigh(period_bytes, size);
}

static void sample(const struct request *request)
{
    size_t size = request->block->size;
    uint32_t stack = stack_of(request);
    struct hf_sampler_weight weight = weigh(size);
    hf_live_use(&table, stack, weight.objects, weight.bytes, now_ns);
    uint32_t slot = hf_live_put(&table, &slots, next_address++, size, stack, 0, now_ns);
    request->block->id = slot != HF_LIVE_NONE ? slot + UINT64_C(1) : 0;
    last.block = request->block;
    samples_for_ever += is_for_ever && now_ns > SECOND_NS;
}

/* All of it is counted, also where every allocation is recorded: nobody waits for it. */
static void end_sampled(const struct request *request)
{
    uint32_t slot = (uint32_t)(request->block->id - 1);
    const struct hf_live_block *block = hf_live_block(&table, slot);
    uint32_t stack = atomic_load(&block->stack);
    struct hf_sampler_weight weight = weigh(request->block->size);
    struct hf_live_ended ended = {.size_bytes = request->block->size,
        .objects = weight.objects,
        .bytes = weight.bytes,
        .birth_ns = atomic_load(&block->birth),
        .now_ns = now_ns};
    hf_live_remove(&table, &slots, slot);
    hf_live_end_use(&table, stack, weight.objects, weight.bytes, ended.birth_ns);
    hf_live_count_ended(&table, stack, &ended);
    if (last.block == request->block && last.left == left)
        hf_live_count_temporary(&table, stack, weight.objects);
    hf_live_count_free(&table, stack, stack_of(request));
}

/* stack_of leaves the script out. */
void begin_path(const struct step *path, struct request *request)
{
    path->enter(path, request);
}

void perform(const struct step *path, struct request *request)
{
    (void)path;
    CAME_HERE(request);
    struct block *block = request->block;
    if (!request->is_free) {
        block->id = 0;
        left -= (int64_t)block->size;
        if (left < 0) {
            left = period_bytes == 1 ? 0 : (int64_t)hf_sampler_gap(&sampler, period_bytes);
            last.left = left;
            sample(request);
        }
    } else if (block->id != 0) {
        end_sampled(request);
    }
}

/* Pages that are all zero stay a hole. */
static void write_pages(int fd)
{
    static const uint8_t zeros[HF_LIVE_PAGE_BYTES];
    const uint8_t *bytes = (const uint8_t *)table.head;
    for (uint64_t at = 0; at < table.head->table_bytes; at += HF_LIVE_PAGE_BYTES) {
        if (memcmp(bytes + at, zeros, sizeof zeros) != 0 &&
            pwrite(fd, bytes + at, sizeof zeros, (off_t)at) != sizeof zeros)
            fail("cannot write a profile");
    }
}

/* Its name is a number, of the minute or the second, with as many `digits` that names are in order.
 */
static void write_profile(const char *folder, unsigned second, unsigned number, int digits)
{
    char path[PATH_MAX];
    struct timespec time = {.tv_sec = BEGAN_S + second};
    struct timespec times[2] = {time, time};
    snprintf(path, sizeof path, "%s/%0*u.live", folder, digits, number);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)table.head->table_bytes) != 0)
        fail(path);
    write_pages(fd);
    if (futimens(fd, times) != 0 || close(fd) != 0)
        fail(path);
}

/* Every so many seconds there is a profile; of so many in all. */
static void profile(const char *folder, unsigned second, unsigned every_s, unsigned all_s)
{
    if (second % every_s != 0)
        return;
    if (every_s % 60 == 0)
        write_profile(folder, second, second / 60, all_s < 60000 ? 3 : 4);
    else
        write_profile(folder, second, second, 6);
}

/* A table of a process that begins now. */
static void begin(void)
{
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .pid = ++starts,
        .boot_id = {1},
        .start_ticks = 100 + now_ns / (SECOND_NS / 100),
        .period_bytes = period_bytes,
        .monotonic_ns = now_ns,
        .realtime_ns = BEGAN_S * SECOND_NS + now_ns,
        .command = "leakers",
    };
    hf_live_plan(&head, period_bytes < PERIOD_OF_MANY ? TABLE_BYTES_MAX : TABLE_BYTES);
    if (!hf_live_begin(&table, memory, &head, commit))
        fail("cannot make a table");
    dl_iterate_phdr(add_segments, NULL);
    (void)hf_live_add_thread(&table, &(struct hf_live_thread){starts, "main"});
}

void restart(void)
{
    memset(memory, 0, table.head->table_bytes);
    memset(&slots, 0, sizeof slots);
    memset(stacks, 0, sizeof stacks);
    stack_count = 0;
    begin();
}

int main(int argc, char **argv)
{
    uint64_t seed;
    double every = 1; /* minutes */
    const struct leaker *leaker = argc > 1 ? leaker_find(argv[1]) : NULL;
    if (argc < 4 || argc > 6 || leaker == NULL || !hf_num_u64(hf_text_of(argv[2]), &seed) ||
        (argc > 4 && (!hf_num_u64(hf_text_of(argv[4]), &period_bytes) || period_bytes == 0)) ||
        (argc > 5 && (!hf_num_real(hf_text_of(argv[5]), &every) || every < 1.0 / 60))) {
        fprintf(stderr, "usage: leakers PROGRAM[:NUMBER] SEED FOLDER [PERIOD [MINUTES]]\n");
        return 2;
    }
    hf_sampler_seed(&sampler, seed);
    left = (int64_t)hf_sampler_gap(&sampler, period_bytes);
    begin();
    for (unsigned second = 0; second < leaker->seconds; second++) {
        now_ns = (second + 1) * SECOND_NS;
        leaker->live(second);
        profile(argv[3], second + 1, (unsigned)(every * 60), leaker->seconds);
        if (second % 60 == 59)
            printf("%u\n", samples_for_ever);
    }
    return 0;
}
