/* A print spooler: clients submit jobs with attributes, printers render them in bands. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Attr {
    struct Attr *next;
    char *name;
    char *value;
    int tag;
} Attr;

typedef struct {
    Attr *first;
    Attr **last;
} AttrList;

typedef enum { JOB_PENDING, JOB_PROCESSING, JOB_COMPLETED, JOB_ABORTED } JobState;

typedef struct Job {
    int id;
    JobState state;
    int pages;
    AttrList attrs;
    struct Printer *printer;
    struct Job *next;
} Job;

typedef struct Printer {
    char *name;
    AttrList supported;
    unsigned char *band;
    size_t band_size;
    unsigned long sheets;
} Printer;

typedef struct {
    Job *jobs;
    Job *newest;
    int next_id;
    int max_jobs; /* 0: unlimited */
    int count;
    Printer printers[12];
} Spooler;

static void *zalloc(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static char *string_alloc(const char *text)
{
    size_t len = strlen(text) + 1;
    return memcpy(zalloc(len), text, len);
}

static void attr_add(AttrList *list, int tag, const char *name, const char *value)
{
    Attr *attr = zalloc(sizeof *attr);
    attr->tag = tag;
    attr->name = string_alloc(name);
    attr->value = string_alloc(value);
    if (list->last == NULL)
        list->last = &list->first;
    *list->last = attr;
    list->last = &attr->next;
}

static void attrs_copy(AttrList *to, const AttrList *from)
{
    for (const Attr *attr = from->first; attr != NULL; attr = attr->next)
        attr_add(to, attr->tag, attr->name, attr->value);
}

static const char *attr_find(const AttrList *list, const char *name)
{
    for (const Attr *attr = list->first; attr != NULL; attr = attr->next)
        if (strcmp(attr->name, name) == 0)
            return attr->value;
    return NULL;
}

static void attrs_free(AttrList *list)
{
    while (list->first != NULL) {
        Attr *attr = list->first;
        list->first = attr->next;
        free(attr->name);
        free(attr->value);
        free(attr);
    }
    list->last = NULL;
}

static void printer_init(Printer *printer, int number)
{
    char name[64], value[120];
    snprintf(name, sizeof name, "floor%d-color", number);
    printer->name = string_alloc(name);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "media-col-database-%d", i);
        snprintf(value, sizeof value, "{media-size={x-dimension=%d y-dimension=%d} media-source=tray-%d}", 10000 + i, 14000 + i, i % 5);
        attr_add(&printer->supported, 0x34, name, value);
    }
    printer->band_size = 64 * 1024;
    printer->band = zalloc(printer->band_size);
}

static Job *job_submit(Spooler *spooler, Printer *printer, const AttrList *request)
{
    Job *job = zalloc(sizeof *job);
    job->id = ++spooler->next_id;
    job->printer = printer;
    attrs_copy(&job->attrs, request); /* guilty */
    const char *pages = attr_find(&job->attrs, "job-impressions");
    job->pages = pages != NULL ? atoi(pages) : 1;
    if (spooler->newest != NULL)
        spooler->newest->next = job;
    else
        spooler->jobs = job;
    spooler->newest = job;
    spooler->count++;
    return job;
}

static void job_print(Job *job)
{
    Printer *printer = job->printer;
    job->state = JOB_PROCESSING;
    for (int page = 0; page < job->pages; page++) {
        size_t used = printer->band_size / 16;
        unsigned char *packed = zalloc(used);
        memset(printer->band, page, used);
        memcpy(packed, printer->band, used);
        free(packed);
        printer->sheets++;
    }
    job->state = JOB_COMPLETED;
}

static void jobs_clean(Spooler *spooler)
{
    if (spooler->max_jobs == 0)
        return;
    while (spooler->count > spooler->max_jobs && spooler->jobs->state >= JOB_COMPLETED) {
        Job *job = spooler->jobs;
        spooler->jobs = job->next;
        attrs_free(&job->attrs);
        free(job);
        spooler->count--;
    }
}

static void client_request(AttrList *request, int number)
{
    static const char *const keys[] = {"sides", "media", "print-quality", "output-bin", "number-up", "finishings"};
    char value[160];
    snprintf(value, sizeof value, "%d", 1 + number % 3);
    attr_add(request, 0x21, "job-impressions", value);
    snprintf(value, sizeof value, "Quarterly report, department %d, revision %d.pdf", number % 40, number);
    attr_add(request, 0x42, "job-name", value);
    snprintf(value, sizeof value, "ipp://desk%d.example.org/users/u%d", number % 700, number % 900);
    attr_add(request, 0x45, "job-originating-host-name", value);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(value, sizeof value, "%s-choice-%d", keys[i], number % 4);
        attr_add(request, 0x44, keys[i], value);
    }
}

int main(void)
{
    static Spooler spooler;
    for (int i = 0; i < 12; i++)
        printer_init(&spooler.printers[i], i);
    for (int i = 0; i < 40000; i++) {
        AttrList request = {NULL, NULL};
        client_request(&request, i);
        Job *job = job_submit(&spooler, &spooler.printers[i % 12], &request);
        attrs_free(&request);
        job_print(job);
        jobs_clean(&spooler);
    }
    printf("%d jobs, %lu sheets at %s\n", spooler.count, spooler.printers[0].sheets, spooler.printers[0].name);
    return 0;
}
