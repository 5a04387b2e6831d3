#include "symbol/debug_paths.h"

#include "os/path.h"

#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_ID_BYTES_MAX 64

bool hf_build_id_path(struct hf_text id, const char *folder, char out_path[PATH_MAX])
{
    char hex[2 * BUILD_ID_BYTES_MAX + 1] = "";
    if (id.size < 2 || id.size > BUILD_ID_BYTES_MAX)
        return false;
    for (size_t i = 0; i < id.size; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", (unsigned)(uint8_t)id.data[i]);
    return hf_path_format(out_path, "%s/.build-id/%.2s/%s.debug", folder, hex, hex + 2);
}

bool hf_folder_of(const char *path, char out_folder[PATH_MAX])
{
    char real[PATH_MAX];
    return hf_path_real(path, real) && hf_path_format(out_folder, "%s", dirname(real));
}
