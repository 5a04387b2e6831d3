'use strict';

// Uploads in parts: a client begins an upload, sends its parts in any order, and completes it, or goes away.

const crypto = require('node:crypto');

const PART = 16 * 1024;

class Storage {
    constructor() {
        this.objects = new Map();
        this.recent = [];
    }

    put(key, parts) {
        const hash = crypto.createHash('md5');
        let size = 0;
        for (const part of parts) {
            hash.update(part);
            size += part.length;
        }
        this.objects.set(key, { size, etag: hash.digest('hex') });
        this.recent.push(Buffer.concat(parts));
        if (this.recent.length > 40) {
            this.recent.shift();
        }
    }
}

class Uploads {
    constructor(storage) {
        this.storage = storage;
        this.open = new Map();
        this.nextId = 1;
    }

    begin(key, owner) {
        const id = `upload-${this.nextId++}`;
        this.open.set(id, { key, owner, started: this.nextId, parts: new Map() });
        return id;
    }

    addPart(id, number, chunk) {
        const upload = this.open.get(id);
        if (!upload) {
            throw new Error(`${id}: no such upload`);
        }
        const part = Buffer.allocUnsafeSlow(chunk.length); // guilty
        chunk.copy(part);
        upload.parts.set(number, part);
        return part.length;
    }

    complete(id) {
        const upload = this.open.get(id);
        const numbers = [...upload.parts.keys()].sort((a, b) => a - b);
        this.storage.put(upload.key, numbers.map((number) => upload.parts.get(number)));
        this.open.delete(id);
    }

    waiting() {
        return this.open.size;
    }
}

class Request {
    // The socket reads into one buffer, which is used again for the next chunk.
    static buffer = Buffer.alloc(PART);

    constructor(method, path, fill, length) {
        this.method = method;
        this.path = path;
        Request.buffer.fill(fill);
        this.body = Request.buffer.subarray(0, length);
    }
}

class Api {
    constructor(uploads) {
        this.uploads = uploads;
        this.routes = [
            [/^POST \/objects\/(.+)$/, (match) => this.uploads.begin(match[1], 'user')],
            [/^PUT \/uploads\/([\w-]+)\/(\d+)$/, (match, request) => this.uploads.addPart(match[1], Number(match[2]), request.body)],
            [/^POST \/uploads\/([\w-]+)\/complete$/, (match) => this.uploads.complete(match[1])],
        ];
        this.bytes = 0;
    }

    handle(request) {
        this.bytes += request.body.length;
        for (const [pattern, handler] of this.routes) {
            const match = pattern.exec(`${request.method} ${request.path}`);
            if (match) {
                return handler(match, request);
            }
        }
        throw new Error(`${request.path}: not found`);
    }
}

class Phone {
    constructor(number) {
        this.number = number;
        this.patience = number % 4 === 0 ? 99 : 2 + (number % 9);
    }

    send(api) {
        const id = api.handle(new Request('POST', `/objects/IMG_${this.number}.jpeg`, 0, 0));
        for (let part = 0; part < 12; part++) {
            if (this.patience-- === 0) {
                return false;
            }
            const length = part === 11 ? 5000 : PART;
            api.handle(new Request('PUT', `/uploads/${id}/${11 - part}`, this.number % 251, length));
        }
        api.handle(new Request('POST', `/uploads/${id}/complete`, 0, 0));
        return true;
    }
}

function main() {
    const storage = new Storage();
    const uploads = new Uploads(storage);
    const api = new Api(uploads);
    let done = 0;
    for (let number = 0; number < 760; number++) {
        done += new Phone(number).send(api) ? 1 : 0;
    }
    console.log(`${done} done, ${uploads.waiting()} waiting, ${storage.objects.size} objects, ${Math.round(api.bytes / 1e6)} MB`);
}

main();
