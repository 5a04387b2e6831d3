/*
 * behind_dlclose.c: a library that stands behind the agent's dlclose. When a library is closed, it
 * calls the program, as if another thread came between.
 */
#include <dlfcn.h>
#include <stddef.h>

void (*on_close)(void);

int dlclose(void *handle)
{
    static int (*next)(void *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "dlclose");
    int failed = next(handle);
    if (on_close != NULL)
        on_close();
    return failed;
}
