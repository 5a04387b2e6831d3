/* Documents of libxml2 that are parsed and never freed. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xmlDocPtr documents[400];

__attribute__((noinline)) static char *make_text(int items)
{
    char *text = malloc((size_t)items * 120 + 100), *p = text;
    p += sprintf(p, "<feed>");
    for (int i = 0; i < items; i++)
        p += sprintf(p, "<item id='%d'><title>Item number %d</title><body>Some text</body></item>", i, i);
    strcpy(p, "</feed>");
    return text;
}

__attribute__((noinline)) static void load_feed(int number, const char *text)
{
    documents[number] = xmlReadMemory(text, (int)strlen(text), "feed.xml", NULL, 0); /* guilty */
}

int main(void)
{
    LIBXML_TEST_VERSION
    char *text = make_text(300);
    for (int i = 0; i < 300; i++)
        load_feed(i, text);
    free(text);
    return 0;
}
