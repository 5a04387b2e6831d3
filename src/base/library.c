#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

enum hf_status hf_library_load(const struct hf_library *library, void *table, struct hf_error *err)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        return hf_error_set(err, HF_ERR_SYSTEM, "%s is needed %s; install the package %s (%s)",
            library->file, library->purpose, library->package,
            reason != NULL ? reason : "no reason given");
    }
    for (size_t i = 0; i < library->function_count; i++) {
        const struct hf_library_function *function = &library->functions[i];
        void *address = dlsym(handle, function->name);
        if (address == NULL)
            return hf_error_set(err, HF_ERR_SYSTEM,
                "%s is needed %s, but the installed one has no %s; install a newer package %s",
                library->file, library->purpose, function->name, library->package);
        /* ISO C has no conversion from object to function pointers; POSIX gives both one form. */
        memcpy((char *)table + function->offset, &address, sizeof address);
    }
    return HF_OK;
}
