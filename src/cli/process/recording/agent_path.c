#include "cli/process/recording/agent_path.h"

#include "base/attr.h"
#include "capture/found_table.h"
#include "config.h"
#include "os/file.h"
#include "os/path.h"
#include "symbol/debug_paths.h"

#define AGENT HF_FOUND_TABLE_AGENT

enum hf_status hf_agent_path(char out_path[PATH_MAX], struct hf_error *err)
{
    static const char *const places[] = {"agent", "../" HF_LIBDIR "/heapflame"};
    char folder[PATH_MAX];
    if (!hf_folder_of("/proc/self/exe", folder))
        return hf_error_set(
            err, HF_ERR_SYSTEM, "cannot find the agent, because /proc is not mounted");
    for (size_t i = 0; i < HF_COUNT(places); i++) {
        char path[PATH_MAX];
        if (!hf_path_format(path, "%s/%s/" AGENT, folder, places[i]) || !hf_file_is_readable(path))
            continue;
        char place[PATH_MAX];
        if (hf_folder_of(path, place) && hf_path_format(out_path, "%s/" AGENT, place))
            return HF_OK;
    }
    return hf_error_set(err, HF_ERR_SYSTEM,
        "the agent, " AGENT
        ", is neither in %s/%s nor in %s/%s: it is built only on x86-64 with glibc",
        folder, places[0], folder, places[1]);
}
