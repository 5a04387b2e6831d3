'use strict';
// livefeed - writes a live score feed to many subscribers through per-client streams.
const { Writable, Transform } = require('stream');

class ClientSocket extends Writable {
  constructor(id, bytesPerTick) {
    super({ highWaterMark: 16 * 1024 });
    this.id = id;
    this.rate = bytesPerTick;
    this.credit = 0;
    this.received = 0;
    this.waiting = null;
  }

  _write(chunk, enc, done) {
    this.waiting = { left: chunk.length, done };
    this.pump();
  }

  pump() {
    while (this.waiting && this.credit > 0) {
      const n = Math.min(this.credit, this.waiting.left);
      this.credit -= n;
      this.received += n;
      this.waiting.left -= n;
      if (this.waiting.left > 0) return;
      const { done } = this.waiting;
      this.waiting = null;
      done();
    }
  }

  tick() {
    this.credit = this.rate;
    process.nextTick(() => this.pump());
  }
}

class Filter extends Transform {
  constructor(leagues) {
    super({ objectMode: true, highWaterMark: 64 });
    this.leagues = leagues;
    this.passed = 0;
  }
  _transform(event, enc, done) {
    if (this.leagues.has(event.league)) {
      this.passed++;
      this.push(event);
    }
    done();
  }
}

class Scores {
  constructor(games) {
    this.games = Array.from({ length: games }, (_, i) => ({ id: i, league: i % 9, home: 0, away: 0, minute: 0 }));
    this.x = 77;
  }
  next() {
    this.x = (this.x * 48271) % 2147483647;
    const g = this.games[this.x % this.games.length];
    g.minute++;
    if (this.x % 5 === 0) g.home++;
    if (this.x % 7 === 0) g.away++;
    return { ...g, comment: `minute ${g.minute}: ${g.home}-${g.away} `.repeat(4 + (this.x % 12)) };
  }
}

class Feed {
  constructor() {
    this.clients = new Set();
    this.seq = 0;
    this.last = new Map();
  }

  join(client) {
    this.clients.add(client);
    for (const text of this.last.values()) client.write(text);
  }

  encode(event) {
    return `id: ${++this.seq}\nevent: score\ndata: ${JSON.stringify(event)}\n\n`;
  }

  broadcast(event) {
    const text = this.encode(event);
    this.last.set(event.id, text);
    for (const c of this.clients) {
      c.write(text); // guilty
    }
  }
}

function summary(clients) {
  const total = clients.reduce((n, c) => n + c.received, 0);
  return `${clients.length} clients, ${total} bytes received`;
}

const scores = new Scores(80);
const feed = new Feed();
const filter = new Filter(new Set([0, 1, 2, 4, 5, 7]));
filter.on('data', (e) => feed.broadcast(e));

const clients = [];
for (let i = 0; i < 60; i++) {
  const c = new ClientSocket(i, i % 4 === 0 ? 250 : 60000);
  clients.push(c);
  feed.join(c);
}

let ticks = 0;
const timer = setInterval(() => {
  for (let i = 0; i < 15; i++) filter.write(scores.next());
  for (const c of clients) c.tick();
  if (++ticks < 440) return;
  clearInterval(timer);
  console.log(summary(clients), 'events', feed.seq, 'passed', filter.passed);
}, 4);
