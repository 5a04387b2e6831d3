'use strict';
// RPC client over a lossy fake transport, with a few callers on top.
const { EventEmitter } = require('events');

class LossyTransport extends EventEmitter {
  constructor(lossRate) {
    super();
    this.lossRate = lossRate;
    this.seed = 12345;
  }
  random() {
    this.seed = (this.seed * 1103515245 + 12345) & 0x7fffffff;
    return this.seed / 0x7fffffff;
  }
  write(bytes) {
    const msg = JSON.parse(bytes);
    if (this.random() < this.lossRate) return;
    setImmediate(() => this.emit('data', JSON.stringify({ id: msg.id, result: { ok: true, echo: msg.method, rows: [1, 2, 3] } })));
  }
}

class RpcClient {
  constructor(transport) {
    this.transport = transport;
    this.pending = new Map();
    this.lastId = 0;
    this.completed = 0;
    transport.on('data', (d) => this.onData(d));
  }

  sendRequest(method, params) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { method, params, resolve, reject, started: process.hrtime(), attempts: [] }); // guilty
      this.transport.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  onData(text) {
    const msg = JSON.parse(text);
    const p = this.pending.get(msg.id);
    if (!p) return;
    this.pending.delete(msg.id);
    this.completed++;
    p.resolve(msg.result);
  }
}

class ListingCache {
  constructor() {
    this.pages = new Map();
  }
  remember(page, rows) {
    if (this.pages.size >= 200) this.pages.delete(this.pages.keys().next().value);
    this.pages.set(page, rows.map((r) => ({ ...r, label: `${r.name} (#${r.id})` })));
  }
}

function makeRows(seed, n) {
  const rows = [];
  for (let i = 0; i < n; i++) rows.push({ id: seed * 100 + i, name: 'record-' + (seed * 7 + i), tags: ['t' + (i % 5), 'z' + (seed % 9)] });
  return rows;
}

const client = new RpcClient(new LossyTransport(0.35));
const cache = new ListingCache();
let ok = 0;

function syncInventory(n) {
  const rows = makeRows(n, 90);
  client.sendRequest('inventory.sync', { shard: n % 16, rows }).then(() => ok++);
}

function pushTelemetry(n) {
  const points = Array.from({ length: 400 }, (_, i) => Math.sin(n + i / 10));
  client.sendRequest('telemetry.push', { host: 'h' + (n % 30), points }).then(() => ok++);
}

async function listPage(n) {
  const rows = makeRows(n % 500, 30);
  cache.remember(n % 500, rows);
  const res = await client.sendRequest('listing.get', { page: n % 500 });
  ok += res.rows.length;
}

let tick = 0;
const timer = setInterval(() => {
  for (let i = 0; i < 12; i++) {
    const n = tick * 12 + i;
    syncInventory(n);
    pushTelemetry(n);
    listPage(n);
  }
  if (++tick === 320) {
    clearInterval(timer);
    setTimeout(() => console.log('ok', ok, 'completed', client.completed, 'of', client.lastId), 50);
  }
}, 9);
