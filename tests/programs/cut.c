/*
 * A process that does not leave its files alone: it maps a copy of a file to be executed, and cuts
 * that to a page and fills it again, over and over, while it allocates.
 *
 * usage: cut FROM COPY MICROSECONDS     prints its number; ends when its input does
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *kept[1 << 16];
static unsigned kept_count;

__attribute__((noinline)) void *leak_here(size_t size)
{
    void *block = malloc(size);
    __asm__ volatile("" ::"r"(block) : "memory"); /* no tail call */
    return block;
}

int main(int count, char **words)
{
    struct stat info;
    if (count != 4)
        return 2;
    int from = open(words[1], O_RDONLY), to = open(words[2], O_RDWR | O_CREAT, 0755);
    if (from < 0 || to < 0 || fstat(from, &info) != 0)
        return 2;
    size_t size = (size_t)info.st_size;
    useconds_t pause = 0;
    for (const char *digit = words[3]; *digit >= '0' && *digit <= '9'; digit++)
        pause = pause * 10 + (useconds_t)(*digit - '0');
    char *bytes = malloc(size);
    if (bytes == NULL || read(from, bytes, size) != info.st_size ||
        pwrite(to, bytes, size, 0) != info.st_size ||
        mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, to, 0) == MAP_FAILED)
        return 2;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&end, 1, 0) == 0) {
        for (int i = 0; i < 4; i++)
            kept[kept_count++ % (1 << 16)] = leak_here(100);
        if (ftruncate(to, 4096) != 0)
            return 2;
        usleep(pause);
        if (pwrite(to, bytes, size, 0) != info.st_size)
            return 2;
        usleep(pause);
    }
    return 0;
}
