'use strict';

// Answers queries for books and their authors. Keys are gathered and read in one go, as loaders of graphs do it.

const BOOKS = 60000;
const QUERIES = 900;

class Database {
    constructor() {
        this.reads = 0;
    }

    row(table, id) {
        if (table === 'authors')
            return { id, name: `Author ${id}`, born: 1900 + id % 100 };
        return { id, title: `Book ${id} of the library`, author: id * 31 % 700, pages: id % 900, shelf: id % 70 };
    }

    async select(table, ids) {
        this.reads++;
        await null;
        return ids.map(id => this.row(table, id));
    }
}

class Loader {
    constructor(table, database) {
        this.table = table;
        this.database = database;
        this.known = new Map();
        this.queue = [];
        this.hits = 0;
    }

    load(id) {
        const known = this.known.get(id);
        if (known) {
            this.hits++;
            return Promise.resolve(known);
        }
        return new Promise((resolve, reject) => {
            this.queue.push({ id, resolve, reject });
            if (this.queue.length === 1)
                process.nextTick(() => this.dispatch());
        });
    }

    loadMany(ids) {
        return Promise.all(ids.map(id => this.load(id)));
    }

    // What a query has read serves the others, too.
    prime(row) {
        const record = { ...row, table: this.table, key: `${this.table}:${row.id}`, fields: Object.entries(row).flat() }; // guilty
        this.known.set(row.id, record);
        return record;
    }

    async dispatch() {
        const batch = this.queue;
        this.queue = [];
        try {
            const rows = await this.database.select(this.table, batch.map(one => one.id));
            rows.forEach((row, at) => batch[at].resolve(this.prime(row)));
        } catch (error) {
            batch.forEach(one => one.reject(error));
        }
    }
}

class Context {
    constructor(loaders) {
        this.loaders = loaders;
        this.errors = [];
    }

    of(table) {
        return this.loaders.get(table);
    }
}

const resolvers = {
    async book(context, id) {
        const book = await context.of('books').load(id);
        return { title: book.title, author: await resolvers.author(context, book.author) };
    },
    async author(context, id) {
        const author = await context.of('authors').load(id);
        return { name: author.name };
    },
    shelf(context, ids) {
        return Promise.all(ids.map(id => resolvers.book(context, id)));
    },
};

// The words of all titles, for the search field.
class Suggestions {
    constructor() {
        this.byWord = new Map();
    }

    build(count) {
        for (let n = 0; n < count; n++)
            this.byWord.set(`word-${n}`, { weight: n % 100, text: `Word ${n}`, books: [n, n + 1, n + 2] });
    }

    find(word) {
        return this.byWord.get(word)?.books ?? [];
    }
}

function* queries() {
    for (let n = 0; n < QUERIES; n++)
        yield Array.from({ length: 60 }, (_, at) => (n * 60 + at) % BOOKS);
}

async function serve(loaders, suggestions) {
    let answered = 0;
    for (const ids of queries()) {
        const context = new Context(loaders);
        const shelf = await resolvers.shelf(context, [...ids, ...suggestions.find(`word-${ids[0]}`)]);
        answered += shelf.length;
    }
    return answered;
}

async function main() {
    const database = new Database();
    const loaders = new Map(['books', 'authors'].map(table => [table, new Loader(table, database)]));
    const suggestions = new Suggestions();
    suggestions.build(30000);
    const answered = await serve(loaders, suggestions);
    console.log(answered, database.reads, loaders.get('authors').hits);
}

main();
