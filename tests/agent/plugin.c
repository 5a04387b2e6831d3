/*
 * plugin.c: a library that allocates while it is loaded and when it is asked to. -DFUNCTION=name.
 */
#include <stdlib.h>

static __thread char own[256];

__attribute__((constructor)) static void begin(void)
{
    free(malloc(67));
}

void *FUNCTION(size_t size);
void *FUNCTION(size_t size)
{
    own[size % sizeof own]++;
    return malloc(size);
}
