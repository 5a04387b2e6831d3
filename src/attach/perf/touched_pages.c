#include "attach/perf/touched_pages.h"

#include "os/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Bits 63 and 62 of an entry: Documentation/admin-guide/mm/pagemap.rst */
#define IS_THERE (UINT64_C(3) << 62)

void hf_touched_pages_done(struct hf_touched_pages *touched)
{
    hf_map_done(&touched->pages);
}

bool hf_touched_pages_add(struct hf_touched_pages *touched, uint64_t address)
{
    return hf_map_put(&touched->pages, address / HF_TOUCHED_PAGE_BYTES, 1, NULL) != NULL;
}

void hf_touched_pages_gone(const struct hf_touched_pages *touched, uint32_t pid,
    void (*tell)(void *context, uint64_t address), void *context)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/pagemap", pid);
    int fd = hf_path_open(path, 0);
    for (size_t i = 0; fd >= 0 && i < touched->pages.capacity; i++) {
        const struct hf_map_slot *slot = &touched->pages.slots[i];
        uint64_t entry;
        if (slot->is_used &&
            pread(fd, &entry, sizeof entry, (off_t)(slot->key * sizeof entry)) == sizeof entry &&
            (entry & IS_THERE) == 0)
            tell(context, slot->key * HF_TOUCHED_PAGE_BYTES);
    }
    if (fd >= 0)
        close(fd);
}
