'use strict';
// sitehost - hosts many small sites; each has middleware set up from its configuration.

class Stack {
  constructor() {
    this.layers = [];
  }
  use(path, fn) {
    this.layers.push({ path, fn });
    return this;
  }
  handle(req, res) {
    let i = 0;
    const next = () => {
      while (i < this.layers.length) {
        const layer = this.layers[i++];
        if (req.path.startsWith(layer.path)) return layer.fn(req, res, next);
      }
      res.status = res.status || 404;
      return res;
    };
    return next();
  }
}

function requestId() {
  let n = 0;
  return (req, res, next) => {
    req.id = ++n;
    return next();
  };
}

function accessLog(size) {
  const lines = [];
  const mw = (req, res, next) => {
    const r = next();
    lines.push(`${req.id} ${req.path} ${res.status}`);
    if (lines.length > size) lines.splice(0, size / 2);
    return r;
  };
  mw.lines = lines;
  return mw;
}

class ConfigSource {
  constructor(sites) {
    this.version = new Array(sites).fill(0);
  }
  change(site) {
    this.version[site]++;
  }
  read(site) {
    const v = this.version[site];
    const redirects = {};
    for (let i = 0; i < 100; i++) redirects[`/s${site}/old-${i}-v${v}`] = `/s${site}/new/${(i * 7 + v) % 500}`;
    return { site, version: v, title: `Site ${site}`, redirects, text: JSON.stringify(Object.keys(redirects).slice(0, 5)) };
  }
}

class Host {
  constructor(source) {
    this.source = source;
    this.stack = new Stack();
    this.loaded = new Map();
    this.log = accessLog(2000);
    this.stack.use('/', requestId()).use('/', this.log);
  }

  mountSite(site) {
    const config = this.source.read(site);
    this.stack.use(`/s${site}/`, (req, res, next) => { // guilty
      if (this.loaded.get(site) !== config.version) return next();
      const to = config.redirects[req.path];
      res.status = to ? 301 : 200;
      res.location = to;
      res.body = to ? '' : page(config, req.path);
      return res;
    });
    this.loaded.set(site, config.version);
  }

  request(path) {
    const site = Number(path.slice(2, path.indexOf('/', 2)));
    if (this.loaded.get(site) !== this.source.version[site]) this.mountSite(site);
    return this.stack.handle({ path }, {});
  }
}

function page(config, path) {
  const items = [];
  for (let i = 0; i < 12; i++) items.push(`<li>${config.title} ${path} ${i}</li>`);
  return `<html><title>${config.title}</title><ul>${items.join('')}</ul></html>`;
}

const SITES = 60;
const source = new ConfigSource(SITES);
const host = new Host(source);
const totals = { 200: 0, 301: 0, 404: 0 };
let x = 12345;
let rounds = 0;

function traffic() {
  for (let i = 0; i < 30; i++) {
    x = (x * 48271) % 2147483647;
    const site = x % SITES;
    const v = source.version[site];
    const path = x % 3 ? `/s${site}/page/${x % 400}` : `/s${site}/old-${x % 100}-v${v}`;
    totals[host.request(path).status]++;
  }
  for (let i = 0; i < 5; i++) source.change((rounds * 5 + i) % SITES);
  if (++rounds < 700) setTimeout(traffic, 2);
  else console.log(totals, 'layers', host.stack.layers.length, 'log', host.log.lines.length);
}

traffic();
