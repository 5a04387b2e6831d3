/*
 * simulate.c: an hour of a program in less than a second: its clock is injected.
 *
 *     leakers PROGRAM SEED FOLDER [PERIOD]
 *
 * Each allocation passes the agent's own sampler (agent/sampler.h), begun with SEED; what it picks
 * goes into a live table by the agent's own writer, with its birth, and where it was freed. After
 * each minute the table is copied to FOLDER/MINUTE.live, whose time is that of the program's clock.
 */
#include "leakers.h"

#include "../../agent/sampler.h"
#include "base/strings/num.h"
#include "live/writer.h"

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
#define BEGAN_S 1735689600 /* 2025, January 1st */
#define SECOND_NS UINT64_C(1000000000)

static struct hf_live_table table;
static struct hf_live_slots slots;
static struct hf_sampler sampler;
static uint64_t period_bytes = 512 << 10;
static int64_t left;
static uint64_t now_ns, next_address = 1;
static uintptr_t load_bias;

/* Stacks that the table has: by their frames. */
static struct known_stack {
    uint64_t frames[PATH_STEPS_MAX];
    size_t count;
    uint32_t number;
} stacks[256];
static size_t stack_count;

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
    new.number = hf_live_add_stack(&table, new.frames, new.count, 0);
    stacks[stack_count++] = new;
    return new.number;
}

static void sample(const struct request *request)
{
    size_t size = request->block->size;
    uint32_t stack = stack_of(request);
    struct hf_sampler_weight weight = hf_sampler_weigh(period_bytes, size);
    hf_live_count(&table, stack, weight.objects, weight.bytes);
    uint32_t slot = hf_live_put(&table, &slots, next_address++, size, stack, 0, now_ns);
    request->block->id = slot != HF_LIVE_NONE ? slot + UINT64_C(1) : 0;
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
            sample(request);
            left = (int64_t)hf_sampler_gap(&sampler, period_bytes);
        }
    } else if (block->id != 0) {
        uint32_t slot = (uint32_t)(block->id - 1);
        uint32_t stack = atomic_load(&hf_live_block(&table, slot)->stack);
        hf_live_remove(&table, &slots, slot);
        hf_live_count_free(&table, stack, stack_of(request));
    }
}

static void fail(const char *what)
{
    fprintf(stderr, "leakers: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Pages that are all zero stay a hole. */
static void write_pages(int fd)
{
    static const uint8_t zeros[HF_LIVE_PAGE_BYTES];
    const uint8_t *bytes = (const uint8_t *)table.head;
    for (uint64_t at = 0; at < TABLE_BYTES; at += HF_LIVE_PAGE_BYTES) {
        if (memcmp(bytes + at, zeros, sizeof zeros) != 0 &&
            pwrite(fd, bytes + at, sizeof zeros, (off_t)at) != sizeof zeros)
            fail("cannot write a profile");
    }
}

static void write_profile(const char *folder, unsigned minute)
{
    char path[PATH_MAX];
    struct timespec time = {.tv_sec = BEGAN_S + minute * 60};
    struct timespec times[2] = {time, time};
    snprintf(path, sizeof path, "%s/%02u.live", folder, minute);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)TABLE_BYTES) != 0)
        fail(path);
    write_pages(fd);
    if (futimens(fd, times) != 0 || close(fd) != 0)
        fail(path);
}

static void begin(uint64_t seed)
{
    static _Alignas(4096) uint8_t memory[TABLE_BYTES];
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .pid = 1,
        .period_bytes = period_bytes,
        .realtime_ns = BEGAN_S * SECOND_NS,
        .command = "leakers",
    };
    hf_live_plan(&head, TABLE_BYTES);
    if (!hf_live_begin(&table, memory, &head, commit))
        fail("cannot make a table");
    dl_iterate_phdr(add_segments, NULL);
    (void)hf_live_add_thread(&table, &(struct hf_live_thread){1, "main"});
    hf_sampler_seed(&sampler, seed);
    left = (int64_t)hf_sampler_gap(&sampler, period_bytes);
}

int main(int argc, char **argv)
{
    uint64_t seed;
    const struct leaker *leaker = leakers;
    while (argc > 1 && leaker->name != NULL && strcmp(leaker->name, argv[1]) != 0)
        leaker++;
    if (argc < 4 || argc > 5 || leaker->name == NULL || !hf_num_u64(hf_text_of(argv[2]), &seed) ||
        (argc == 5 && !hf_num_u64(hf_text_of(argv[4]), &period_bytes))) {
        fprintf(stderr, "usage: leakers PROGRAM SEED FOLDER [PERIOD]\n");
        return 2;
    }
    begin(seed);
    for (unsigned second = 0; second < leaker->seconds; second++) {
        now_ns = (second + 1) * SECOND_NS;
        leaker->live(second);
        if (second % 60 == 59)
            write_profile(argv[3], (second + 1) / 60);
    }
    return 0;
}
