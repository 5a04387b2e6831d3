// Allocates at known stacks of JavaScript, and prints what V8 says of each: one JSON list a line, of the size of the block and the
// frames as [function, file, line of the function], innermost first. Usage: node_scenes.js FOLDER SCENE...
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const {EventEmitter} = require('events');
const threads = require('worker_threads');

const [folder, ...wanted] = threads.isMainThread ? process.argv.slice(2) : threads.workerData;
const kept = [];
const told = [];
let size = threads.isMainThread ? 200000 : 400000;

Error.stackTraceLimit = Infinity;

/** A frame as the agent tells it; null: V8's own function, or one that only waits for this one. */
function frameOf(site) {
    const file = site.getFileName() ?? (site.isEval() ? '(eval)' : null);
    if (file === null || site.isNative() || site.isAsync() || site.isPromiseAll())
        return null;
    const called = site.isEval() && site.getFunctionName() === 'eval' ? null : site.getFunctionName();
    const isMain = site.getEnclosingLineNumber() <= 1 && site.getEnclosingColumnNumber() <= 1;
    let name = called ?? (isMain ? '<main>' : '<anonymous>');
    if (name.startsWith('[')) // [Symbol.iterator]: the name is of this function object alone
        name = '<anonymous>';
    return [name, file.replace('file://', ''), Math.max(site.getEnclosingLineNumber(), 1)];
}

function both() {
    size += 8;
    const own = {}, prepare = Error.prepareStackTrace;
    Error.prepareStackTrace = (_, sites) => sites.map(frameOf).filter((frame) => frame !== null);
    Error.captureStackTrace(own);
    told.push([size, own.stack]);
    Error.prepareStackTrace = prepare;
    kept.push(Buffer.allocUnsafeSlow(size));
}
globalThis.both = both;

function recurse(depth) {
    if (depth === 0)
        both();
    else
        recurse(depth - 1);
}

class Thing {
    #secret = 1;
    field = both();

    constructor() {
        both();
    }

    method() {
        both();
    }

    #hidden() {
        both();
    }

    reveal() {
        this.#hidden();
    }

    get value() {
        both();
        return this.#secret;
    }

    set value(to) {
        both();
    }

    static make() {
        both();
        return new this();
    }

    toString() {
        both();
        return 'thing';
    }

    toJSON() {
        both();
        return 1;
    }

    *[Symbol.iterator]() {
        both();
        yield 1;
        both();
    }

    [Symbol.toPrimitive]() {
        both();
        return 'thing';
    }
}

class Derived extends Thing {
    constructor() {
        super();
        both();
    }

    method() {
        super.method();
    }
}

function* count() {
    both();
    yield* [1, 2].map((x) => {
        both();
        return x;
    });
    both();
}

async function wait(depth) {
    both();
    await null;
    both();
    if (depth > 0)
        await wait(depth - 1);
    both();
}

async function* tick() {
    yield 1;
    both();
    yield 2;
}

const heat = (n) => {
    let sum = 0;
    for (let i = 0; i < n; i++)
        sum = (sum + i * 7) % 1000;
    return sum;
};

function hotInner(n, last) {
    const sum = heat(20 + n % 3);
    if (last)
        both();
    return sum;
}

function hotOuter(n, last) {
    return hotInner(n, last) + hotInner(n + 1, last);
}

const scenes = {
    plain() {
        both();
        for (const depth of [1, 7, 90])
            recurse(depth);
        (function () {
            both();
        })();
        (() => both())();
        const named = function () {
            both();
        };
        named();
        const gr\u00f6\u00dfe = () => both();
        gr\u00f6\u00dfe();
        const \u540d\u524d = () => both();
        \u540d\u524d();
        both.call(null);
        both.apply(null, []);
        both.bind(null)();
        Reflect.apply(recurse, null, [2]);
        ({deep: {inner() { both(); }}}).deep.inner();
        try {
            (() => {
                try {
                    throw new Error('no');
                } finally {
                    both();
                }
            })();
        } catch {
            both();
        }
        const tag = (parts) => both();
        tag`text`;
        const withDefault = (x = both()) => x;
        withDefault();
    },
    objects() {
        const thing = new Thing();
        thing.method();
        thing.reveal();
        thing.value = thing.value + 1;
        Thing.make();
        new Derived().method();
        `${thing}`;
        JSON.stringify({thing});
        for (const _ of thing)
            both();
        const proxy = new Proxy({}, {get() { both(); return 1; }, has: () => both() === undefined});
        proxy.x + ('y' in proxy);
        Reflect.construct(Thing, []);
        Object.defineProperty({}, 'x', {get() { both(); return 1; }}).x;
    },
    callbacks() {
        [1].map((x) => both());
        [1].forEach(both);
        [2, 1].sort((a, b) => both() ?? a - b);
        [1, 2].reduce((a, b) => both());
        [1].flatMap(() => both());
        Array.from([1], () => both());
        new Map([[1, 2]]).forEach(() => both());
        'abc'.replace(/b/, () => both());
        JSON.parse('[1]', (key, value) => both() ?? value);
        new Float64Array(2).map(() => both());
        new EventEmitter().on('x', () => both()).emit('x');
        [1].map((x) => [2].map((y) => [3].some((z) => both())));
    },
    async waiting() {
        [...count()];
        await wait(3);
        for await (const _ of tick())
            both();
        await Promise.resolve(1).then(() => both()).finally(() => both());
        await Promise.all([1, 2].map(async (x) => both()));
        await new Promise((done) => setTimeout(() => done(both()), 1));
        await new Promise((done) => setImmediate(() => done(both())));
        await new Promise((done) => process.nextTick(() => done(both())));
        await new Promise((done) => queueMicrotask(() => done(both())));
        await new Promise((done) => fs.stat('.', () => done(both())));
        await {then: (done) => done(both())};
    },
    async code() {
        eval('both()');
        eval('(function inEval() { both(); })()');
        (0, eval)('\n\nvar g = () => both(); g()');
        new Function('both()')();
        vm.runInThisContext('function inVm() {\n both(); }\n\ninVm()', {filename: 'made.js'});
        require(path.join(folder, 'module.js')).run();
        await import(path.join(folder, 'module.mjs')).then((module) => module.run());
    },
    hot() {
        for (let i = 0; i < 60000; i++)
            hotOuter(i, false);
        hotOuter(1, true);
        for (let i = 0; i < 40; i++) {
            hotOuter(i, i % 8 === 0);
            recurse(3);
        }
    },
    collecting() { // while objects move
        let young = [];
        for (let i = 0; i < 300000; i++) {
            young.push({i, text: 'text' + i});
            if (i % 3000 === 0) {
                both();
                if (i % 9000 === 0) {
                    new Thing().method();
                    young = young.slice(-1000);
                    globalThis.gc?.();
                }
            }
        }
    },
    deep() {
        recurse(2000);
    },
    async workers() {
        await Promise.all([0, 1, 2].map((number) => new Promise((done) => {
            const worker = new threads.Worker(__filename, {workerData: [folder, 'inWorker', String(number)]});
            worker.on('message', (lines) => done(told.push(...lines)));
        })));
    },
    inWorker() {
        size += 100000 * Number(wanted[1]);
        both();
        recurse(20);
        [1].map((x) => both());
        new Thing();
        threads.parentPort.postMessage(told);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // what it keeps is in use at the end
    },
};

(async () => {
    for (const scene of threads.isMainThread ? wanted : wanted.slice(0, 1))
        await scenes[scene]();
    fs.writeSync(1, told.map((line) => JSON.stringify(line) + '\n').join(''));
    process.kill(process.pid, 'SIGKILL');
})();
