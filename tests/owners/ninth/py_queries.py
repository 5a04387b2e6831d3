"""A web application for libraries, with its own small layer over a database; its debug bar shows the queries of a request."""

import sqlite3
import time


class DebugCursor:
    """Runs statements, and notes them for the debug bar."""

    def __init__(self, connection, cursor):
        self.connection = connection
        self.cursor = cursor

    def execute(self, sql, params=()):
        start = time.perf_counter()
        try:
            return self.cursor.execute(sql, params)
        finally:
            duration = time.perf_counter() - start
            self.connection.queries.append({"sql": self.last_executed(sql, params), "time": f"{duration:.3f}"})  # guilty

    def last_executed(self, sql, params):
        for value in params:
            sql = sql.replace("?", repr(value), 1)
        return sql

    def fetchone(self):
        return self.cursor.fetchone()

    def fetchall(self):
        return self.cursor.fetchall()


class Connection:
    def __init__(self, debug):
        self.debug = debug
        self.queries = []
        self.raw = sqlite3.connect(":memory:")

    def cursor(self):
        return DebugCursor(self, self.raw.cursor()) if self.debug else self.raw.cursor()


class Books:
    columns = "id, title, author, shelf, year, isbn, language, publisher, lent_to"

    def __init__(self, connection):
        self.connection = connection
        self.covers = {}

    def create(self, count):
        cursor = self.connection.raw.cursor()
        cursor.execute(f"CREATE TABLE book ({self.columns.replace('id,', 'id INTEGER PRIMARY KEY,')})")
        cursor.execute("CREATE INDEX book_author ON book (author)")
        rows = (
            (n, f"The {n}th book", f"Author {n * 7 % 1200}", f"S{n % 90}", 1900 + n % 120, f"978{n:010d}", "en", f"House {n % 40}", None)
            for n in range(count)
        )
        cursor.executemany("INSERT INTO book VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def get(self, number):
        cursor = self.connection.cursor()
        cursor.execute(f"SELECT {self.columns} FROM book WHERE id = ?", (number,))
        return cursor.fetchone()

    def of_author(self, author):
        cursor = self.connection.cursor()
        cursor.execute(
            f"SELECT {self.columns} FROM book WHERE author = ? AND (lent_to IS NULL OR lent_to <> ?) ORDER BY year DESC, title LIMIT 5",
            (author, "archive"),
        )
        return cursor.fetchall()

    def lend(self, number, reader):
        cursor = self.connection.cursor()
        cursor.execute("UPDATE book SET lent_to = ? WHERE id = ? AND lent_to IS NULL", (reader, number))

    def cover(self, number):
        key = number % 150
        if key not in self.covers:
            self.covers[key] = bytes([key]) * 24_000
        return self.covers[key]


class Application:
    def __init__(self, books):
        self.books = books
        self.served = 0

    def book_page(self, number, reader):
        row = self.books.get(number)
        lines = [f"<h1>{row[1]}</h1><img src='data:{len(self.books.cover(number))}'>"]
        for other in self.books.of_author(row[2]):
            lines.append(f"<li><a href='/book/{other[0]}'>{other[1]}</a> ({other[4]})</li>")
        if number % 3 == 0:
            self.books.lend(number, reader)
        self.served += 1
        return "\n".join(lines)


def main():
    connection = Connection(debug=True)
    books = Books(connection)
    books.create(12_000)
    application = Application(books)
    size = 0
    for n in range(34_000):
        size += len(application.book_page(n * 31 % 12_000, f"reader-{n % 700}"))
    slowest = max(connection.queries, key=lambda query: float(query["time"]))
    print(f"{application.served} pages, {size >> 10} KiB, {len(connection.queries)} queries, slowest: {slowest['sql'][:30]}")


if __name__ == "__main__":
    main()
