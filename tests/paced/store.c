/*
 * store.c: an LSM store that is written for ever, with compactions: 60,000 keys again and again, in
 * random order, 1,500 a second, and 500 readings. -DSTORE=leveldb or rocksdb, whose functions in C
 * have the same names behind that. The first argument is the folder of the store.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef STORE
#define STORE leveldb
#endif
#define JOINED(store, name) store##_##name
#define NAME_OF(store, name) JOINED(store, name)
#define DB(name) NAME_OF(STORE, name)

/* As leveldb/c.h and rocksdb/c.h declare them; all that they point to is theirs. */
void *DB(options_create)(void);
void DB(options_set_create_if_missing)(void *options, unsigned char is_created);
void DB(options_set_write_buffer_size)(void *options, size_t bytes);
void DB(options_set_max_open_files)(void *options, int count);
void *DB(open)(const void *options, const char *path, char **error);
void *DB(writeoptions_create)(void);
void *DB(readoptions_create)(void);
void DB(put)(void *store, const void *options, const char *key, size_t key_bytes, const char *value,
    size_t value_bytes, char **error);
char *DB(get)(void *store, const void *options, const char *key, size_t key_bytes,
    size_t *out_bytes, char **error);

enum { KEYS = 60000, VALUE_BYTES_MAX = 600, WRITES = 15, READINGS = 5 };

static unsigned next_random(void)
{
    static unsigned state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static void write_one(void *store, const void *options)
{
    static char value[VALUE_BYTES_MAX];
    char key[32];
    int length = snprintf(key, sizeof key, "key %08u", next_random() % KEYS);
    size_t size = 100 + next_random() % (VALUE_BYTES_MAX - 100);
    for (size_t i = 0; i < size; i++)
        value[i] = (char)next_random();
    char *error = NULL;
    DB(put)(store, options, key, (size_t)length, value, size, &error);
    if (error != NULL) {
        (void)fprintf(stderr, "put: %s\n", error);
        exit(1);
    }
}

static void read_one(void *store, const void *options)
{
    char key[32];
    int length = snprintf(key, sizeof key, "key %08u", next_random() % KEYS);
    size_t size;
    char *error = NULL;
    char *value = DB(get)(store, options, key, (size_t)length, &size, &error);
    free(value);
    free(error);
}

static void *open_store(const char *path)
{
    void *options = DB(options_create)();
    DB(options_set_create_if_missing)(options, 1);
    DB(options_set_write_buffer_size)(options, 1 << 20);
    DB(options_set_max_open_files)(options, 50);
    char *error = NULL;
    void *store = DB(open)(options, path, &error);
    if (error != NULL) {
        (void)fprintf(stderr, "%s: %s\n", path, error);
        exit(1);
    }
    return store;
}

int main(int argc, char **argv)
{
    void *store = open_store(argc > 1 ? argv[1] : "store");
    const void *writing = DB(writeoptions_create)();
    const void *reading = DB(readoptions_create)();
    const struct timespec pause = {0, 10000000};
    for (;;) {
        for (int i = 0; i < WRITES; i++)
            write_one(store, writing);
        for (int i = 0; i < READINGS; i++)
            read_one(store, reading);
        (void)nanosleep(&pause, NULL);
    }
}
