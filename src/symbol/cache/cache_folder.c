#include "symbol/cache/cache_folder.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

const char *hf_cache_folder(bool no_cache, char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int size = -1;
    if (cache != NULL && cache[0] == '/') /* a relative one is to be ignored */
        size = snprintf(path, PATH_MAX, "%s/heapflame", cache);
    else if (home != NULL && home[0] == '/')
        size = snprintf(path, PATH_MAX, "%s/.cache/heapflame", home);
    return !no_cache && size > 0 && size < PATH_MAX ? path : NULL;
}
