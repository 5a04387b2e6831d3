/*
 * audit.c: an auditor of the loader (LD_AUDIT), which allocates for itself and says what is loaded.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

unsigned la_version(unsigned version)
{
    return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    (void)space, (void)cookie;
    free(malloc(1000));
    fprintf(stderr, "%s\n", map->l_name);
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
