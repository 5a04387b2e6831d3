/* A log that is kept as one string after the other, with a string buffer of the usual make. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sb {
    char *text;
    size_t length, room;
};

static struct sb events[60000];
static struct sb help;

__attribute__((noinline)) static void sb_reserve(struct sb *sb, size_t more)
{
    if (sb->length + more + 1 <= sb->room)
        return;
    size_t room = sb->room ? sb->room : 32;
    while (room < sb->length + more + 1)
        room *= 2;
    sb->text = realloc(sb->text, room);
    sb->room = room;
}

__attribute__((noinline)) static void sb_add(struct sb *sb, const char *text)
{
    size_t n = strlen(text);
    sb_reserve(sb, n);
    memcpy(sb->text + sb->length, text, n + 1);
    sb->length += n;
}

__attribute__((noinline, format(printf, 2, 3))) static void sb_addf(struct sb *sb, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sb_add(sb, text);
}

__attribute__((noinline)) static void log_event(int number)
{
    struct sb *sb = &events[number];
    sb_addf(sb, "event %d ", number);
    for (int i = 0; i < 10; i++)
        sb_addf(sb, "field %d = %040d, ", i, number * i); /* guilty */
    sb_add(sb, "\n");
}

__attribute__((noinline)) static void print_help(void)
{
    for (int i = 0; i < 1000; i++)
        sb_addf(&help, "--option-%d\n", i);
}

__attribute__((noinline)) static void handle_signal_names(void)
{
    struct sb names = {NULL, 0, 0};
    for (int i = 0; i < 30; i++)
        sb_addf(&names, "%s ", strsignal(i));
    free(names.text);
}

int main(void)
{
    print_help();
    handle_signal_names();
    for (int i = 0; i < 60000; i++)
        log_event(i);
    return 0;
}
