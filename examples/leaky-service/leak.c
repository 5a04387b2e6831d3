#include "leak.h"

#include <stdlib.h>
#include <string.h>

/* The only pointer to the block. The next call overwrites it, and from then on nobody can free the
 * block: a true leak, not a list that somebody could still walk. It is volatile because a compiler
 * may drop an allocation whose address it never sees used, together with the memset below. */
static void *volatile latest_block;

/* Never inlined, so that the profile shows a frame with this name, and the line of the malloc. */
__attribute__((noinline)) bool process_leak(void)
{
    void *block = malloc(LEAK_BLOCK_BYTES);
    if (block == NULL)
        return false;

    // Untouched pages cost no memory: a leak that nobody feels in RSS is a poor example.
    memset(block, 0x5a, LEAK_BLOCK_BYTES);
    latest_block = block;
    return true;
}
