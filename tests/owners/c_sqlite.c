/* SQLite: statements that are never finalized. */
#include <sqlite3.h>
#include <stdlib.h>

static sqlite3 *database;
static sqlite3_stmt *volatile last;

__attribute__((noinline)) static int create_tables(void)
{
    return sqlite3_exec(database, "create table city(name text, people int)", NULL, NULL, NULL);
}

__attribute__((noinline)) static int find_city(void)
{
    sqlite3_stmt *statement;
    int status = sqlite3_prepare_v2(database, /* guilty */
        "select name, sum(people) from city where name like 'a%' group by name order by 2", -1,
        &statement, NULL);
    last = statement;
    return status;
}

int main(void)
{
    if (sqlite3_open(":memory:", &database) != SQLITE_OK || create_tables() != SQLITE_OK)
        return 1;
    for (int i = 0; i < 10000; i++)
        if (find_city() != SQLITE_OK)
            return 1;
    return 0;
}
