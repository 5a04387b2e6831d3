#include "pages.h"

hf_pages_told *hf_pages_tell;
