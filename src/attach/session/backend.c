#include "attach/session/backend.h"

#include <string.h>

#define BACKEND(name) &hf_backend_##name,
const struct hf_backend *const hf_backends[] = {HF_BACKENDS(BACKEND) NULL};
#undef BACKEND

const struct hf_backend *hf_backend_named(const char *name)
{
    const struct hf_backend *const *backend = hf_backends;
    while (*backend != NULL && strcmp((*backend)->name, name) != 0)
        backend++;
    return *backend;
}
