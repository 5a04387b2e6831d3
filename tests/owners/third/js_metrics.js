// A service that measures itself: its histogram keeps each sample of each route, as buffers.
'use strict';
const {EventEmitter} = require('events');

class Histogram {
    constructor() {
        this.blocks = [];
    }

    observe(route, values) {
        const block = Buffer.alloc(16384, 1); // guilty
        block.write(route);
        values.forEach((value, i) => block.writeDoubleLE(value, 64 + 8 * i));
        this.blocks.push(block);
    }

    get size() {
        return this.blocks.length;
    }
}

class Cache {
    constructor(most) {
        this.most = most;
        this.items = new Map();
    }

    get(key, make) {
        if (!this.items.has(key)) {
            this.items.set(key, make(key));
            if (this.items.size > this.most)
                this.items.delete(this.items.keys().next().value);
        }
        return this.items.get(key);
    }
}

class Service extends EventEmitter {
    constructor() {
        super();
        this.pages = new Cache(50);
    }

    render(path) {
        return Buffer.from(`<h1>${path}</h1>`.repeat(400));
    }

    async handle(path) {
        const page = this.pages.get(path, (key) => this.render(key));
        await null;
        this.emit('answered', path, [page.length, path.length]);
        return page.length;
    }
}

async function load(service, count) {
    let sent = 0;
    for (let i = 0; i < count; i++)
        sent += await service.handle(`/items/${i % 40}`);
    return sent;
}

const histogram = new Histogram();
const service = new Service();
service.on('answered', (path, values) => histogram.observe(path, values));
load(service, 4000).then((sent) => {
    console.log(sent, histogram.size);
    process.reallyExit(0);
});
