#include "room.h"

#include "agent.h"
#include "base/gate.h"
#include "base/mutant.h"
#include "base/strings/num.h"
#include "event.h"
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

uint64_t hf_room_mapped(void)
{
    char line[128];
    uint64_t pages = 0;
    long file = HF_CALL(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    long size = HF_CALL(SYS_read, file, line, sizeof line);
    (void)HF_CALL(SYS_close, file);
    struct hf_text text = {line, size > 0 ? (size_t)size : 0};
    return hf_num_take_u64(&text, &pages) ? pages * HF_LIVE_PAGE_BYTES : 0;
}

uint64_t hf_room_left(void)
{
    struct rlimit limit;
    if (HF_MUTANT(ROOM_LEFT) || HF_CALL(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY)
        return HF_ROOM_UNLIMITED;
    uint64_t mapped = hf_room_mapped();
    return limit.rlim_cur > mapped ? limit.rlim_cur - mapped : 0;
}

static void room_give_up(void *at, size_t bytes)
{
    hf_pages_unmap(at, bytes);
}

void hf_room_give_way(uint64_t limit_bytes)
{
    struct hf_live_table *table = &hf_agent.table;
    int error = errno;
    if (limit_bytes / HF_ROOM_SHARE < table->head->table_bytes && hf_event_hold()) {
        hf_live_give_way(table, limit_bytes / HF_ROOM_SHARE, room_give_up);
        if (limit_bytes < HF_ROOM_FOR_SHADOW)
            hf_blocks_leave_shadow(&hf_agent.blocks, table);
        atomic_fetch_or(&table->state->bounds, HF_LIVE_BOUND_ADDRESS_SPACE);
        hf_event_let_go();
    }
    errno = error;
}
