/* A reader of news: feeds are fetched again and again, and what is new is shown. Made with libxml2. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char url[64];
    int seen;
    xmlDocPtr last;
} Feed;

typedef struct {
    char title[80];
    char feed[64];
    xmlNodePtr node;
} Item;

enum { FEEDS = 30, ITEMS = 24, MAX_ITEMS = 20000 };

static Feed feeds[FEEDS];
static Item items[MAX_ITEMS];
static int n_items;

static char *fetch(const Feed *f, int round, int *size)
{
    char *text = malloc(64 << 10), *p = text;
    p += sprintf(p, "<rss version='2.0'><channel><title>%s</title>", f->url);
    for (int i = 0; i < ITEMS; i++) {
        int number = round * 2 + i;
        p += sprintf(p, "<item><guid>%d</guid><title>News %d of %s</title><link>%s/%d</link>", number, number, f->url, f->url, number);
        p += sprintf(p, "<description>%0*d</description><category>c%d</category></item>", 260, number, number % 5);
    }
    p += sprintf(p, "</channel></rss>");
    *size = (int)(p - text);
    return text;
}

static xmlDocPtr parse_text(const char *text, int size, const char *url)
{
    return xmlReadMemory(text, size, url, NULL, XML_PARSE_NOERROR | XML_PARSE_NONET);
}

static const char *child_text(xmlNodePtr node, const char *name)
{
    for (node = node->children; node; node = node->next)
        if (strcmp((const char *)node->name, name) == 0)
            return node->children ? (const char *)node->children->content : "";
    return "";
}

static void add_item(Feed *f, xmlNodePtr node)
{
    if (n_items == MAX_ITEMS)
        return;
    Item *item = &items[n_items++];
    snprintf(item->title, sizeof item->title, "%s", child_text(node, "title"));
    snprintf(item->feed, sizeof item->feed, "%s", f->url);
    item->node = node;
}

/* The items point into the document, so it stays, and the one before it as well. */
static int refresh(Feed *f, int round)
{
    int size, added = 0;
    char *text = fetch(f, round, &size);
    xmlDocPtr doc = parse_text(text, size, f->url); /* guilty */
    free(text);
    if (!doc)
        return 0;
    xmlNodePtr channel = xmlDocGetRootElement(doc)->children;
    for (xmlNodePtr node = channel->children; node; node = node->next) {
        if (strcmp((const char *)node->name, "item") != 0 || atoi(child_text(node, "guid")) < f->seen)
            continue;
        f->seen = atoi(child_text(node, "guid")) + 1;
        add_item(f, node);
        added++;
    }
    f->last = doc;
    return added;
}

static int read_settings(void)
{
    char text[4096], *p = text;
    p += sprintf(p, "<settings>");
    for (int i = 0; i < FEEDS; i++)
        p += sprintf(p, "<feed url='https://news-%d.example/rss'/>", i);
    p += sprintf(p, "</settings>");
    xmlDocPtr doc = parse_text(text, (int)(p - text), "settings.xml");
    int n = 0;
    for (xmlNodePtr node = xmlDocGetRootElement(doc)->children; node; node = node->next) {
        xmlChar *url = xmlGetProp(node, BAD_CAST "url");
        snprintf(feeds[n++].url, sizeof feeds->url, "%s", (char *)url);
        xmlFree(url);
    }
    xmlFreeDoc(doc);
    return n;
}

int main(void)
{
    int n = read_settings(), added = 0;
    for (int round = 0; round < 40; round++)
        for (int i = 0; i < n; i++)
            added += refresh(&feeds[i], round);
    printf("%d feeds, %d items\n", n, added);
    return 0;
}
