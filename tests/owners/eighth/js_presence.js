'use strict';

// Shows in an editor who is where in a document: each tab that opens listens to the document's events.

const EventEmitter = require('node:events');

const TABS = 4200;
const DOCUMENTS = 60;

class Document extends EventEmitter {
    constructor(id) {
        super();
        this.setMaxListeners(0);
        this.id = id;
        this.lines = Array.from({ length: 2500 }, (_, line) => `Line ${line} of document ${id}, as it was when it was opened`);
        this.cursors = new Map();
    }

    move(user, line) {
        this.cursors.set(user, line);
        this.emit('cursor', user, line);
    }

    leave(user) {
        this.cursors.delete(user);
        this.emit('left', user);
    }

    line(number) {
        return this.lines[number % this.lines.length];
    }
}

class Library {
    constructor() {
        this.documents = new Map();
    }

    open(id) {
        if (!this.documents.has(id))
            this.documents.set(id, new Document(id));
        return this.documents.get(id);
    }
}

class Socket {
    constructor(user) {
        this.user = user;
        this.sent = 0;
        this.closing = [];
    }

    send(message) {
        this.sent += message.length;
    }

    onClose(handler) {
        this.closing.push(handler);
    }

    close() {
        for (const handler of this.closing.splice(0))
            handler();
    }
}

const colour = user => `hsl(${user * 47 % 360} 80% 40%)`;

// What a tab draws at the edge of the text: a mark for each line on the screen.
function watchCursors(document, socket, top) {
    const marks = [];
    for (let line = top; line < top + 70; line++)
        marks.push({ line, user: null, label: `${line}: ${document.id}`, until: line * 0.5 }); // guilty
    document.on('cursor', (user, line) => {
        const mark = marks[line - top];
        if (mark && user !== socket.user) {
            mark.user = user;
            socket.send(`${mark.label} ${colour(user)}`);
        }
    });
}

function watchLeavers(document, socket) {
    const left = user => socket.send(`left ${user}`);
    document.on('left', left);
    socket.onClose(() => document.off('left', left));
}

class Tab {
    constructor(library, user, random) {
        this.socket = new Socket(user);
        this.document = library.open(user % DOCUMENTS);
        this.top = Math.floor(random() * 2000);
        watchCursors(this.document, this.socket, this.top);
        watchLeavers(this.document, this.socket);
    }

    type(random) {
        const line = this.top + Math.floor(random() * 70);
        this.document.move(this.socket.user, line);
        return this.document.line(line).length;
    }

    close() {
        this.document.leave(this.socket.user);
        this.socket.close();
        return this.socket.sent;
    }
}

function generator(seed) {
    let state = seed;
    return () => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return state / 2147483648;
    };
}

async function work() {
    const library = new Library(), random = generator(5), open = [];
    let typed = 0, sent = 0;
    for (let user = 0; user < TABS; user++) {
        open.push(new Tab(library, user, random));
        typed += open.at(-1).type(random);
        if (open.length > 200)
            sent += open.shift().close();
        if (user % 500 === 0)
            await new Promise(setImmediate);
    }
    return [typed, sent];
}

work().then(([typed, sent]) => console.log(typed, sent > 0));
