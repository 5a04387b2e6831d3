/*
 * newlines.c: the floor for bench/flame.py: the ends of lines of a mapped file, and nothing else.
 */
#include "os/file.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct hf_file_map map;
    struct hf_error err;
    if (argc != 2 || hf_file_map_open(&map, argv[1], &err) != HF_OK) {
        fputs("usage: newlines FILE\n", stderr);
        return 2;
    }
    size_t count = 0;
    const unsigned char *at = map.data, *end = map.data + map.size;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        count++;
    }
    printf("%zu\n", count);
    hf_file_map_close(&map);
    return 0;
}
