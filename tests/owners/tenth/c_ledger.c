/* Double-entry bookkeeping: reads a journal, posts each line to its account, and prints the balances and the last lines of each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNT_BUCKETS 512

struct posting {
    char date[11];
    int64_t cents;
    char *payee;
    char *memo;
};

struct account {
    struct account *next;
    char name[48];
    int64_t balance;
    struct posting *postings;
    size_t count, room;
};

struct book {
    struct account *accounts[ACCOUNT_BUCKETS];
    unsigned long entries, unbalanced;
};

static char *dup_trimmed(const char *text)
{
    while (*text == ' ')
        text++;
    size_t len = strlen(text);
    while (len && text[len - 1] == ' ')
        len--;
    char *copy = malloc(len + 1);
    if (!copy)
        abort();
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static struct account *account_get(struct book *book, const char *name)
{
    unsigned h = 5381;
    for (const char *p = name; *p; p++)
        h = h * 33 ^ (unsigned char)*p;
    struct account **at = &book->accounts[h % ACCOUNT_BUCKETS];
    for (; *at; at = &(*at)->next)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    *at = calloc(1, sizeof(**at));
    snprintf((*at)->name, sizeof((*at)->name), "%s", name);
    return *at;
}

static void account_post(struct account *account, const char *date, const char *payee, const char *memo, int64_t cents)
{
    if (account->count == account->room) {
        account->room = account->room ? account->room * 2 : 16;
        account->postings = realloc(account->postings, account->room * sizeof(*account->postings));
        if (!account->postings)
            abort();
    }
    struct posting *posting = &account->postings[account->count++];
    snprintf(posting->date, sizeof(posting->date), "%s", date);
    posting->cents = cents;
    posting->payee = dup_trimmed(payee);
    posting->memo = dup_trimmed(memo); /* guilty */
    account->balance += cents;
}

/* date|payee|memo|account cents|account cents */
static void journal_entry(struct book *book, char *line)
{
    char *fields[8], *save = NULL;
    int n = 0;
    for (char *f = strtok_r(line, "|", &save); f && n < 8; f = strtok_r(NULL, "|", &save))
        fields[n++] = f;
    if (n < 5)
        return;
    int64_t sum = 0;
    for (int i = 3; i < n; i++) {
        char name[48];
        long long cents;
        if (sscanf(fields[i], "%47s %lld", name, &cents) != 2)
            continue;
        account_post(account_get(book, name), fields[0], fields[1], fields[2], cents);
        sum += cents;
    }
    book->entries++;
    book->unbalanced += sum != 0;
}

static void report(const struct book *book, FILE *out)
{
    for (size_t i = 0; i < ACCOUNT_BUCKETS; i++)
        for (const struct account *a = book->accounts[i]; a; a = a->next) {
            fprintf(out, "%-40s %12.2f\n", a->name, (double)a->balance / 100);
            for (size_t k = a->count > 3 ? a->count - 3 : 0; k < a->count; k++)
                fprintf(out, "    %s %-20s %10.2f\n", a->postings[k].date, a->postings[k].payee, (double)a->postings[k].cents / 100);
        }
}

int main(void)
{
    static const char *const shops[] = {"Bakery Holm", "City Power", "Rail", "Grocer's Union", "Stationers"};
    static struct book book;
    unsigned state = 17;
    for (int i = 0; i < 190000; i++) {
        char line[256];
        state = state * 1664525u + 1013904223u;
        unsigned cents = state >> 16;
        snprintf(line, sizeof(line), "2024-%02d-%02d| %s | Receipt %08x, till %u, paid by card |expenses:%u %u|assets:bank%u -%u",
                 1 + i / 15900, 1 + i / 530 % 28, shops[state >> 8 & 3], state, cents % 40, cents % 90, cents, cents % 3, cents);
        journal_entry(&book, line);
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    report(&book, out);
    fclose(out);
    printf("%lu entries, %lu unbalanced, report of %zu bytes\n", book.entries, book.unbalanced, size);
    free(text);
    return 0;
}
