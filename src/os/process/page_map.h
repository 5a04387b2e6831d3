/*
 * page_map.h: which pages of a process are in memory: /proc/PID/pagemap, a word a page.
 *
 * Programs reserve far more than they use (AddressSanitizer 20 TB, of which the words alone are 40
 * GB), so what was never touched is passed over with PAGEMAP_SCAN, which Linux has from 6.7 on. A
 * worker without rights may ask it; before 6.7 each word is read, some 2 s for each TB.
 *
 * Example:
 *     uint64_t start = 0, end = UINT64_C(1) << 40;
 *     int map = hf_page_map_open(1);
 *     if (map >= 0 && hf_page_map_resident(map, start, end) > 0 && hf_page_map_is_live(map))
 *         start = hf_page_map_next(map, start, end);
 *
 * Source: Documentation/admin-guide/mm/pagemap.rst and include/uapi/linux/fs.h of Linux 6.7.
 */
#ifndef HF_OS_PAGE_MAP_H
#define HF_OS_PAGE_MAP_H

#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* What the kernel is asked to find, struct pm_scan_arg there. */
struct hf_page_scan {
    uint64_t size, flags, start, end, walk_end, found, found_size, most_pages;
    uint64_t inverted, all_of, any_of, told;
};

/* The request of ioctl(2). */
#define HF_PAGE_MAP_SCAN _IOWR('f', 16, struct hf_page_scan)

/* Opens the page map of a process; -1: it may not be read. For the caller to close. */
HF_MUST_CHECK int hf_page_map_open(uint32_t pid);

/* How many bytes of [start, end) are resident; what cannot be read is not. */
uint64_t hf_page_map_resident(int map, uint64_t start, uint64_t end);

/*
 * The start of the first page of [start, end) that is in memory or swapped out; `end`: there is
 * none. `start`, if the kernel cannot say. Both are multiples of a page.
 */
HF_MUST_CHECK uint64_t hf_page_map_next(int map, uint64_t start, uint64_t end);

/* Whether hf_page_map_next can say: not before Linux 6.7. */
HF_MUST_CHECK bool hf_page_map_can_skip(void);

/*
 * False: the process has ended since its map was opened, or is about to, or runs another program;
 * what was read of its pages, and of its mappings, may be a part.
 */
HF_MUST_CHECK bool hf_page_map_is_live(int map);

#endif
