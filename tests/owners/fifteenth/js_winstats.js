'use strict';
// Metrics collector: samples arrive continuously and are rolled up per time window.

class Reservoir {
  constructor(size) {
    this.size = size;
    this.values = [];
    this.seen = 0;
  }
  add(v) {
    this.seen++;
    if (this.values.length < this.size) this.values.push(v);
    else this.values[this.seen % this.size] = v;
  }
}

function quantile(sorted, q) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

class WindowedStats {
  constructor(windowTicks) {
    this.windowTicks = windowTicks;
    this.ticks = 0;
    this.live = new Map();
    this.closed = [];
  }

  ingest(sample) {
    let w = this.live.get(sample.metric);
    if (!w) this.live.set(sample.metric, (w = { count: 0, sum: 0, values: [] }));
    w.count++;
    w.sum += sample.value;
    w.values.push(sample.value);
  }

  closeWindow() {
    const summary = { closedAt: this.ticks, metrics: {} };
    for (const [name, w] of this.live) {
      const sorted = w.values.slice().sort((a, b) => a - b);
      const histogram = [];
      for (let i = 0; i < 16; i++) {
        const hi = quantile(sorted, (i + 1) / 16);
        histogram.push({ le: hi, n: Math.floor((w.count * (i + 1)) / 16), share: (i + 1) / 16.5 });
      }
      summary.metrics[name] = { mean: w.sum / w.count, p99: quantile(sorted, 0.99), histogram };
    }
    this.closed.push(summary); // guilty
    this.live.clear();
  }

  tick() {
    if (++this.ticks % this.windowTicks === 0) this.closeWindow();
  }

  current() {
    return this.closed[this.closed.length - 1];
  }
}

class Alerter {
  constructor(stats) {
    this.stats = stats;
    this.recent = [];
  }
  checkLimits() {
    const w = this.stats.current();
    if (!w) return;
    for (const [name, m] of Object.entries(w.metrics)) {
      if (m.p99 < 0.95) continue;
      this.recent.push({ name, p99: m.p99, text: `metric ${name} p99=${m.p99.toFixed(4)} at ${w.closedAt}`, labels: [name, 'p99', 'host'] });
    }
    if (this.recent.length > 8000) this.recent.splice(0, 4000);
  }
}

class Agent {
  constructor(id, metrics) {
    this.id = id;
    this.metrics = metrics;
    this.reservoir = new Reservoir(5000);
    this.x = id * 7919 + 1;
  }
  poll(sink) {
    const batch = [];
    for (let i = 0; i < 60; i++) {
      this.x = (this.x * 48271) % 2147483647;
      batch.push({ metric: this.metrics[this.x % this.metrics.length], value: (this.x % 10007) / 10007 });
    }
    for (const s of batch) {
      this.reservoir.add(s.value + 0.5);
      sink.ingest(s);
    }
  }
}

const metrics = Array.from({ length: 180 }, (_, i) => `svc${i % 20}.m${i}`);
const stats = new WindowedStats(2);
const alerter = new Alerter(stats);
const agents = Array.from({ length: 25 }, (_, i) => new Agent(i, metrics));

const collector = setInterval(() => {
  for (const a of agents) a.poll(stats);
  stats.tick();
}, 8);
const alarms = setInterval(() => alerter.checkLimits(), 40);
const stopper = setInterval(() => {
  if (stats.closed.length < 240) return;
  clearInterval(collector);
  clearInterval(alarms);
  clearInterval(stopper);
  console.log('windows', stats.closed.length, 'alerts', alerter.recent.length);
}, 100);
