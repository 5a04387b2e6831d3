#include "attach/postgres/memory_pages.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096u /* the least that any machine maps */
#define PAGES 256u

struct hf_memory_pages {
    const struct hf_memory *memory;
    uint64_t numbers[PAGES]; /* address / PAGE_BYTES + 1; 0: nothing is kept here */
    uint8_t bytes[PAGES][PAGE_BYTES];
};

struct hf_memory_pages *hf_memory_pages_new(const struct hf_memory *memory)
{
    struct hf_memory_pages *pages = malloc(sizeof *pages);
    if (pages == NULL)
        return NULL;
    pages->memory = memory;
    hf_memory_pages_forget(pages);
    return pages;
}

void hf_memory_pages_free(struct hf_memory_pages *pages)
{
    free(pages);
}

void hf_memory_pages_forget(struct hf_memory_pages *pages)
{
    if (pages != NULL)
        memset(pages->numbers, 0, sizeof pages->numbers);
}

/* The page of that number; NULL if it is not there as a whole. */
static const uint8_t *memory_pages_at(struct hf_memory_pages *pages, uint64_t number)
{
    size_t slot = (size_t)(number % PAGES);
    if (pages->numbers[slot] == number + 1)
        return pages->bytes[slot];
    pages->numbers[slot] = 0;
    if (!hf_memory_copy(pages->memory, number * PAGE_BYTES, pages->bytes[slot], PAGE_BYTES))
        return NULL;
    pages->numbers[slot] = number + 1;
    return pages->bytes[slot];
}

static size_t memory_pages_read(void *context, uint64_t address, void *out, size_t size)
{
    struct hf_memory_pages *pages = context;
    size_t done = 0;
    while (done != size && address + done >= address) {
        uint64_t at = address + done;
        size_t in_page = (size_t)(at % PAGE_BYTES), take = PAGE_BYTES - in_page;
        const uint8_t *page = memory_pages_at(pages, at / PAGE_BYTES);
        take = take < size - done ? take : size - done;
        if (page == NULL)
            return done + pages->memory->read(
                              pages->memory->context, at, (uint8_t *)out + done, size - done);
        memcpy((uint8_t *)out + done, page + in_page, take);
        done += take;
    }
    return done;
}

struct hf_memory hf_memory_of_pages(struct hf_memory_pages *pages)
{
    return (struct hf_memory){memory_pages_read, pages};
}
