/* The reader of Valgrind memcheck's leak report as XML. */
#include "fuzz.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(&hf_format_memcheck_xml, data, size);
}
