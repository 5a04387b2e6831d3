#include "base/plural.h"

const char *hf_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}
