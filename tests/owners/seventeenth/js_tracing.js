'use strict';
// Request tracing for a small router: spans are opened, closed and sampled.

class Span {
  constructor(traceId, name, parent) {
    this.traceId = traceId;
    this.name = name;
    this.parent = parent;
    this.start = process.hrtime.bigint();
    this.end = null;
    this.tags = {};
  }

  tag(key, value) {
    this.tags[key] = value;
    return this;
  }

  finish() {
    this.end = process.hrtime.bigint();
  }
}

class Tracer {
  constructor(rate) {
    this.traces = new Map();
    this.rate = rate;
    this.next = 1;
    this.exported = 0;
  }

  newId() {
    return (this.next++).toString(16).padStart(16, '0');
  }

  startSpan(traceId, name, parent) {
    const span = new Span(traceId, name, parent);
    let spans = this.traces.get(traceId);
    if (!spans) this.traces.set(traceId, (spans = []));
    spans.push(span);
    return span;
  }

  endTrace(traceId) {
    const spans = this.traces.get(traceId);
    if (parseInt(traceId, 16) % this.rate !== 0) return; // guilty
    this.exported += JSON.stringify(spans.map((s) => [s.name, String(s.end - s.start), s.tags])).length;
    this.traces.delete(traceId);
  }
}

class Router {
  constructor(tracer) {
    this.tracer = tracer;
    this.routes = { '/cart': ['auth', 'db', 'render'], '/search': ['auth', 'index', 'rank', 'render'] };
  }

  handle(path, user) {
    const id = this.tracer.newId();
    const root = this.tracer.startSpan(id, path, null).tag('user', user);
    const out = [];
    for (const stage of this.routes[path]) {
      const span = this.tracer.startSpan(id, stage, root);
      out.push(this.work(stage, user));
      span.tag('size', out.length).tag('note', `${stage} for ${user}`);
      span.finish();
    }
    root.finish();
    this.tracer.endTrace(id);
    return out.join('').length;
  }

  work(stage, user) {
    return `<${stage}>${'x'.repeat(user.length * 3)}</${stage}>`;
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function main() {
  const router = new Router(new Tracer(10));
  let bytes = 0;
  for (let i = 0; i < 50000; i++) {
    bytes += router.handle(i % 3 ? '/cart' : '/search', `user${(i * 31) % 7000}`);
    if (i % 300 === 0) await pause(9);
  }
  console.log(bytes, router.tracer.exported);
  await pause(200);
}

main();
