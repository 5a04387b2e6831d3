/* Lines of a file, read by getline and never freed. */
#include <stdio.h>
#include <stdlib.h>

static char **lines;
static size_t n_lines, room;

__attribute__((noinline)) static void write_input(const char *path)
{
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 100000; i++)
        fprintf(f, "%0400d\n", i);
    fclose(f);
}

__attribute__((noinline)) static void load_words(const char *path)
{
    FILE *f = fopen(path, "r");
    for (;;) {
        char *line = NULL;
        size_t size = 0;
        if (getline(&line, &size, f) < 0) { /* guilty */
            free(line);
            break;
        }
        if (n_lines == room) {
            room = room ? room * 2 : 64;
            lines = realloc(lines, room * sizeof *lines);
        }
        lines[n_lines++] = line;
    }
    fclose(f);
}

int main(void)
{
    write_input("words.txt");
    load_words("words.txt");
    printf("%zu\n", n_lines);
    return 0;
}
