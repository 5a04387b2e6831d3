/*
 * early.c: a library whose constructor allocates. -DDLSYM: and whose dlsym does too, as that of
 * some C libraries; for behind the agent, because "next" means behind this library then.
 */
#include <dlfcn.h>
#include <stdlib.h>

#ifdef DLSYM
void *dlsym(void *handle, const char *name)
{
    static void *(*real)(void *, const char *);
    static void *volatile block;
    block = calloc(3, 17);
    block = realloc(block, 100);
    free(block);
    if (real == NULL)
        real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    return real(handle, name);
}
#endif

__attribute__((constructor(101))) static void allocate_early(void)
{
    static void *volatile early;
    early = calloc(13, 29);
    early = realloc(early, 7);
    free(early);
}
