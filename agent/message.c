#include "message.h"

#include "base/gate.h"

#include <unistd.h>

#define SIZE_MAX_BYTES 512

void hf_message(const struct hf_text *parts, size_t count)
{
    char line[SIZE_MAX_BYTES] = "heapflame: ";
    size_t size = strlen(line);
    for (size_t i = 0; i < count; i++) {
        struct hf_text part = hf_text_first(parts[i], sizeof line - 1 - size);
        memcpy(line + size, part.data, part.size);
        size += part.size;
    }
    line[size++] = '\n';
    (void)HF_CALL(SYS_write, STDERR_FILENO, line, size);
}
