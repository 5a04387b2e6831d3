#include "os/process/page_map.h"

#include "os/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define PAGES_ASKED 4096 /* at once */
#define IS_PRESENT (UINT64_C(1) << 63)

/* Of a page, to PAGEMAP_SCAN. */
#define SCAN_PRESENT (UINT64_C(1) << 3)
#define SCAN_SWAPPED (UINT64_C(1) << 4)

int hf_page_map_open(uint32_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/pagemap", pid);
    return hf_path_open(path, 0);
}

/* The kernel has no entry, of whatever page, where the memory as a whole is gone. */
bool hf_page_map_is_live(int map)
{
    uint64_t word;
    return pread(map, &word, sizeof word, 0) == sizeof word;
}

uint64_t hf_page_map_next(int map, uint64_t start, uint64_t end)
{
    uint64_t found[3] = {0}; /* start, end, what it is: struct page_region */
    struct hf_page_scan scan = {.size = sizeof scan,
        .start = start,
        .end = end,
        .found = (uintptr_t)found,
        .found_size = 1,
        .most_pages = 1,
        .any_of = SCAN_PRESENT | SCAN_SWAPPED,
        .told = SCAN_PRESENT};
    int count = start < end ? ioctl(map, HF_PAGE_MAP_SCAN, &scan) : 0;
    if (count < 0)
        return start;
    return count == 0 ? end : found[0] > start ? found[0] : start;
}

/* Of the first page, which is never mapped (mmap_min_addr). */
bool hf_page_map_can_skip(void)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    int map = hf_path_open("/proc/self/pagemap", 0);
    bool can_skip = map >= 0 && hf_page_map_next(map, 0, page) == page;
    if (map >= 0)
        (void)close(map);
    return can_skip;
}

uint64_t hf_page_map_resident(int map, uint64_t start, uint64_t end)
{
    uint64_t words[PAGES_ASKED], page = (uint64_t)sysconf(_SC_PAGESIZE), pages = 0;
    for (uint64_t at = start / page; at < end / page;) {
        at = hf_page_map_next(map, at * page, end / page * page) / page;
        uint64_t left = end / page - at;
        size_t size = (size_t)(left < PAGES_ASKED ? left : PAGES_ASKED) * sizeof *words;
        ssize_t got = pread(map, words, size, (off_t)(at * sizeof *words));
        if (got < (ssize_t)sizeof *words)
            break;
        for (size_t i = 0; i < (size_t)got / sizeof *words; i++)
            pages += (words[i] & IS_PRESENT) != 0;
        at += (size_t)got / sizeof *words;
    }
    return pages * page;
}
