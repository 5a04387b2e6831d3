'use strict';
// profileapi - serves user profiles; concurrent requests for one profile share a single fetch.

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

class Upstream {
  constructor() {
    this.calls = 0;
  }

  async load(id, version) {
    this.calls++;
    await sleep(1);
    if (id % 211 === 0) throw new Error(`no profile ${id}`);
    return {
      id,
      version,
      name: `User Number ${id}`,
      followers: Array.from({ length: 40 }, (_, i) => ({ id: id * 31 + i, nick: `nick-${(id + i) % 977}`, since: version + i })),
      bio: `bio of ${id} `.repeat(8 + (id % 9)),
    };
  }
}

class Lru {
  constructor(max) {
    this.max = max;
    this.map = new Map();
  }
  get(key) {
    const v = this.map.get(key);
    if (v === undefined) return undefined;
    this.map.delete(key);
    this.map.set(key, v);
    return v;
  }
  set(key, value) {
    this.map.delete(key);
    this.map.set(key, value);
    if (this.map.size > this.max) this.map.delete(this.map.keys().next().value);
  }
}

class ProfileService {
  constructor(upstream) {
    this.upstream = upstream;
    this.pending = new Map();
    this.badges = new Lru(500);
    this.versions = new Map();
  }

  currentVersion(id) {
    return this.versions.get(id % 1000) || 0;
  }

  touch(id) {
    this.versions.set(id % 1000, this.currentVersion(id) + 1);
  }

  profile(id) {
    const key = `${id}@${this.currentVersion(id)}`;
    let p = this.pending.get(key);
    if (!p) {
      p = this.upstream.load(id, this.currentVersion(id));
      this.pending.set(key, p); // guilty
    }
    return p;
  }

  badge(profile) {
    let b = this.badges.get(profile.id);
    if (!b) {
      b = `<svg><text>${profile.name} (${profile.followers.length})</text></svg>`;
      this.badges.set(profile.id, b);
    }
    return b;
  }
}

function render(profile, badge) {
  const rows = profile.followers.slice(0, 10).map((f) => `<li>${f.nick} since ${f.since}</li>`);
  return `<h1>${profile.name}</h1>${badge}<p>${profile.bio}</p><ul>${rows.join('')}</ul>`;
}

class Api {
  constructor(service) {
    this.service = service;
    this.stats = { ok: 0, notFound: 0, bytes: 0 };
  }

  async get(id) {
    try {
      const p = await this.service.profile(id);
      const html = render(p, this.service.badge(p));
      this.stats.ok++;
      this.stats.bytes += html.length;
      return 200;
    } catch (e) {
      this.stats.notFound++;
      return 404;
    }
  }

  put(id) {
    this.service.touch(id);
    return 204;
  }
}

async function client(api, seed, requests) {
  let x = seed;
  for (let i = 0; i < requests; i++) {
    x = (x * 48271) % 2147483647;
    const id = x % 20000;
    if (x % 10 === 0) api.put(id);
    await Promise.all([api.get(id), api.get(id)]);
    if (i % 4 === 0) await sleep(1);
  }
}

async function main() {
  const upstream = new Upstream();
  const api = new Api(new ProfileService(upstream));
  const clients = [];
  for (let c = 1; c <= 12; c++) clients.push(client(api, c * 7919, 1300));
  await Promise.all(clients);
  console.log(api.stats, 'upstream calls', upstream.calls);
}

main();
