/* Plain malloc, far below main, beside a buffer that is kept for good reasons. */
#include <stdlib.h>
#include <string.h>

struct note {
    struct note *next;
    char text[1000];
};

static struct note *notes;
static char *volatile table;

__attribute__((noinline)) static void remember(const char *text)
{
    struct note *note = malloc(sizeof *note); /* guilty */
    strncpy(note->text, text, sizeof note->text - 1);
    note->next = notes;
    notes = note;
}

__attribute__((noinline)) static void load_table(void)
{
    table = calloc(1, 4 << 20);
}

__attribute__((noinline)) static void serve(int request)
{
    remember(request % 2 == 0 ? "even" : "odd");
}

int main(void)
{
    load_table();
    for (int i = 0; i < 50000; i++)
        serve(i);
    return 0;
}
