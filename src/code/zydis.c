#include "code/zydis.h"

#include <Zydis/Zydis.h>
#include <stdio.h>

enum hf_status hf_zydis_load(const char *purpose, const struct hf_library_function *functions,
    size_t count, void *table, struct hf_error *err)
{
    char file[32], package[32];
    unsigned major = ZYDIS_VERSION_MAJOR(ZYDIS_VERSION), minor = ZYDIS_VERSION_MINOR(ZYDIS_VERSION);
    (void)snprintf(file, sizeof file, "libZydis.so.%u.%u", major, minor);
    (void)snprintf(package, sizeof package, "libzydis%u.%u", major, minor);
    const struct hf_library library = {
        .file = file,
        .package = package,
        .purpose = purpose,
        .functions = functions,
        .function_count = count,
    };
    return hf_library_load(&library, table, err);
}
