/* libc's search tree, with a comparison that libc calls back. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *words;
static unsigned compared;

static int compare(const void *a, const void *b)
{
    compared++;
    return strcmp(a, b);
}

__attribute__((noinline)) static char *spell(unsigned number)
{
    static char text[16];
    (void)snprintf(text, sizeof text, "%x", number * 2654435761u);
    return text;
}

__attribute__((noinline)) static void note_word(unsigned number)
{
    char *word = strdup(spell(number));
    if (tsearch(word, &words, compare) == NULL) /* guilty */
        abort();
}

int main(void)
{
    for (unsigned i = 0; i < 400000; i++)
        note_word(i);
    return compared == 0;
}
