'use strict';
// Runs jobs that depend on each other, a few at a time; what a job gave is there for those that come after it.

const { createHash } = require('crypto');
const { setImmediate: soon } = require('timers/promises');

class Gate {
  #free;
  #waiting = [];

  constructor(most) {
    this.#free = most;
  }

  async enter() {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise((resolve) => this.#waiting.push(resolve));
  }

  leave() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

class Graph {
  constructor() {
    this.jobs = new Map();
  }

  add(name, needs, work, version = 0) {
    this.jobs.set(name, { name, needs, work, version });
    return this;
  }

  *inOrder(seen = new Set(), names = this.jobs.keys()) {
    for (const name of names) {
      if (seen.has(name)) continue;
      seen.add(name);
      yield* this.inOrder(seen, this.jobs.get(name).needs);
      yield this.jobs.get(name);
    }
  }
}

class Runner {
  constructor(gate, { store }) {
    this.gate = gate;
    this.store = store;
    this.finished = 0;
  }

  async perform(job, inputs) {
    await this.gate.enter();
    try {
      await soon();
      return job.work(inputs);
    } finally {
      this.gate.leave();
      this.finished += 1;
    }
  }

  async build(graph) {
    const results = new Map();
    for (const job of graph.inOrder()) {
      const inputs = Promise.all(job.needs.map((name) => results.get(name)));
      results.set(job.name, inputs.then((values) => this.step(job, values)));
    }
    return Promise.all(results.values());
  }

  async step(job, values) {
    const key = digest(`${job.name}@${job.version}`, values);
    return this.store.lookup(key) ?? this.store.keepResult(key, await this.perform(job, values));
  }
}

function digest(name, values) {
  const hash = createHash('sha1').update(name);
  for (const { lines } of values) hash.update(lines.length ? lines[lines.length - 1].text : '');
  return hash.digest('base64');
}

function makeStore() {
  const entries = new Map();
  let hits = 0;
  return {
    lookup(key) {
      const entry = entries.get(key);
      if (entry) hits += 1;
      return entry?.result;
    },
    keepResult(key, result) {
      const lines = result.lines.map((line, i) => ({ ...line, at: i, marks: [line.level, i] })); // guilty
      entries.set(key, { result: { ...result, lines } });
      return result;
    },
    get hits() {
      return hits;
    },
    get size() {
      return entries.size;
    },
  };
}

function compile(unit, round) {
  return (inputs) => {
    const lines = [];
    for (let i = 0; i < 45; i += 1) {
      lines.push({ level: i % 9 ? 'note' : 'warning', text: `unit ${unit} of ${round}, line ${i}: ${inputs.length} inputs` });
    }
    return { unit, lines };
  };
}

function project(round) {
  const graph = new Graph().add('base', [], compile('base', 0));
  for (let i = 0; i < 60; i += 1) {
    graph.add(`module${i}`, i ? ['base', `module${i >> 1}`].slice(0, i > 3 ? 2 : 1) : ['base'], compile(`module${i}`, i % 5 ? round : 0), i % 5 ? round : 0);
  }
  return graph.add(`program of ${round}`, ['module1', 'module59'], compile('program', round), round);
}

async function main() {
  const store = makeStore();
  const runner = new Runner(new Gate(4), { store });
  let lines = 0;
  for (let round = 0; round < 40; round += 1) {
    const results = await runner.build(project(round));
    lines += results.reduce((sum, result) => sum + result.lines.length, 0);
  }
  console.log(`${lines} lines, ${runner.finished} jobs, ${store.hits} hits, ${store.size} results`);
}

main();
