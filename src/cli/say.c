#include "cli/say.h"

#include "base/strings/escape.h"
#include "base/strings/legible_text.h"
#include "base/strings/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEAR_SCREEN "\033[H\033[2J"
#define CLEAR_LINE "\r\033[K"

/* There is nobody to be told that a message could not be written. */
static void say_put(int stream, struct hf_text text)
{
    while (text.size != 0) {
        ssize_t written = write(stream, text.data, text.size);
        if (written <= 0)
            return;
        text = hf_text_from(text, (size_t)written);
    }
}

void hf_say(const char *format, ...)
{
    char *text = NULL;
    struct hf_out line = {0};
    va_list args;
    va_start(args, format);
    int size = vasprintf(&text, format, args);
    va_end(args);
    hf_out_string(&line, "heapflame: ");
    if (size >= 0)
        hf_escape_terminal(&line, (struct hf_text){text, (size_t)size});
    hf_out_char(&line, '\n');
    if (size >= 0 && line.error.status == HF_OK)
        say_put(STDERR_FILENO, hf_out_view(&line));
    else
        say_put(STDERR_FILENO, HF_TEXT("heapflame: out of memory\n"));
    if (size >= 0)
        free(text);
    hf_out_done(&line);
}

void hf_say_lines(struct hf_text lines)
{
    struct hf_out text = {0};
    hf_legible_text_put(&text, lines);
    say_put(STDERR_FILENO, hf_out_view(&text));
    hf_out_done(&text);
}

void hf_say_status(struct hf_text line)
{
    struct hf_out text = {0};
    hf_out_char(&text, '\r');
    hf_escape_terminal(&text, line);
    say_put(STDERR_FILENO, hf_out_view(&text));
    hf_out_done(&text);
}

void hf_say_status_end(void)
{
    say_put(STDERR_FILENO, HF_TEXT(CLEAR_LINE));
}

void hf_say_clear(void)
{
    say_put(STDOUT_FILENO, HF_TEXT(CLEAR_SCREEN));
}
