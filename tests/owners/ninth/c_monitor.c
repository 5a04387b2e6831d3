/* Reads the status pages of application servers, which are XML, and checks thresholds on values that XPath expressions find. */
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Check {
    struct Check *next;
    char *name, *expression;
    double warn, critical;
    unsigned warnings, criticals;
} Check;

typedef struct Sample {
    double values[24];
} Sample;

typedef struct Host {
    struct Host *next;
    char *name;
    Sample *samples; /* of the last day */
    size_t written;
} Host;

enum { DAY = 1440 };

static xmlChar *render_status(unsigned host, unsigned minute, int *size)
{
    xmlBufferPtr page = xmlBufferCreate();
    char line[256];
    xmlBufferCat(page, BAD_CAST "<status>\n");
    snprintf(line, sizeof(line), " <jvm><memory free='%u' total='4096' max='8192'/></jvm>\n", (host * 37 + minute * 11) % 4096);
    xmlBufferCat(page, BAD_CAST line);
    for (unsigned connector = 0; connector < 2; connector++) {
        snprintf(line, sizeof(line), " <connector name='http-%u'><threadInfo maxThreads='200' currentThreadCount='%u' busy='%u'/>\n",
                 8080 + connector, 20 + minute % 90, minute * 7 % 60);
        xmlBufferCat(page, BAD_CAST line);
        xmlBufferCat(page, BAD_CAST "  <workers>\n");
        for (unsigned worker = 0; worker < 6; worker++) {
            snprintf(line, sizeof(line), "   <worker stage='%c' requestProcessingTime='%u' remoteAddr='10.0.%u.%u'/>\n", "RSK"[worker % 3],
                     (worker * minute) % 4000, host, worker);
            xmlBufferCat(page, BAD_CAST line);
        }
        xmlBufferCat(page, BAD_CAST "  </workers></connector>\n");
    }
    xmlBufferCat(page, BAD_CAST "</status>\n");
    *size = xmlBufferLength(page);
    xmlChar *text = xmlBufferDetach(page);
    xmlBufferFree(page);
    return text;
}

/* The sum of what the expression finds in a page. */
static double value_of(xmlXPathContextPtr context, const char *expression)
{
    xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST expression, context); /* guilty */
    double sum = 0;
    if (found == NULL)
        return 0;
    if (found->type != XPATH_NODESET)
        return xmlXPathCastToNumber(found);
    for (int i = 0; found->nodesetval && i < found->nodesetval->nodeNr; i++)
        sum += xmlXPathCastNodeToNumber(found->nodesetval->nodeTab[i]);
    return sum;
}

static void check_value(Check *check, double value)
{
    if (value >= check->critical)
        check->criticals++;
    else if (value >= check->warn)
        check->warnings++;
}

static int poll_host(Host *host, Check *checks, unsigned number, unsigned minute)
{
    int size;
    xmlChar *page = render_status(number, minute, &size);
    xmlDocPtr document = xmlReadMemory((const char *)page, size, host->name, NULL, XML_PARSE_NOBLANKS);
    xmlFree(page);
    if (document == NULL)
        return -1;
    xmlXPathContextPtr context = xmlXPathNewContext(document);
    Sample *sample = &host->samples[host->written++ % DAY];
    size_t n = 0;
    for (Check *check = checks; check; check = check->next) {
        sample->values[n] = value_of(context, check->expression);
        check_value(check, sample->values[n++]);
    }
    xmlXPathFreeContext(context);
    xmlFreeDoc(document);
    return 0;
}

static Check *add_check(Check *next, const char *name, const char *expression, double warn, double critical)
{
    Check *check = calloc(1, sizeof(*check));
    check->name = strdup(name);
    check->expression = strdup(expression);
    check->warn = warn;
    check->critical = critical;
    check->next = next;
    return check;
}

static Host *add_host(Host *next, unsigned number)
{
    char name[64];
    Host *host = calloc(1, sizeof(*host));
    snprintf(name, sizeof(name), "http://app%u.example.org/manager/status?XML=true", number);
    host->name = strdup(name);
    host->samples = calloc(DAY, sizeof(*host->samples));
    host->next = next;
    return host;
}

static Check *load_checks(void)
{
    static const char *const parts[][2] = {
        {"threads", "threadInfo/@currentThreadCount"},
        {"busy", "threadInfo/@busy"},
        {"limit", "threadInfo/@maxThreads"},
        {"service", "workers/worker[@stage='S']/@requestProcessingTime"},
        {"ready", "workers/worker[@stage='R']/@requestProcessingTime"},
        {"keepalive", "workers/worker[@stage='K']/@requestProcessingTime"},
        {"requests", "workers/worker/@requestProcessingTime"},
    };
    Check *checks = add_check(NULL, "free memory", "/status/jvm/memory/@free", 4000, 4090);
    checks = add_check(checks, "total memory", "/status/jvm/memory/@total", 5000, 6000);
    for (unsigned port = 8080; port <= 8081; port++)
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            char name[64], expression[160];
            snprintf(name, sizeof(name), "%s of %u", parts[i][0], port);
            snprintf(expression, sizeof(expression), "/status/connector[@name='http-%u']/%s", port, parts[i][1]);
            checks = add_check(checks, name, expression, 50 + (double)i * 2000, 80 + (double)i * 3000);
        }
    return checks;
}

int main(void)
{
    Check *checks = load_checks();
    Host *hosts = NULL;
    for (unsigned n = 0; n < 30; n++)
        hosts = add_host(hosts, n);
    for (unsigned minute = 0; minute < 300; minute++) {
        unsigned number = 0;
        for (Host *host = hosts; host; host = host->next)
            if (poll_host(host, checks, number++, minute) < 0)
                fprintf(stderr, "%s: no status\n", host->name);
    }
    for (Check *check = checks; check; check = check->next)
        printf("%-18s %6u warnings %6u critical\n", check->name, check->warnings, check->criticals);
    xmlCleanupParser();
    return 0;
}
