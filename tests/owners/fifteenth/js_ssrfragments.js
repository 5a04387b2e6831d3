'use strict';
// Server-side rendering: components, a tiny template language, and a page assembler.

const TEMPLATES = {
  card: '<div class="card"><h3>{{title}}</h3><p>{{body}}</p>{{#tags}}<i>{{.}}</i>{{/tags}}</div>',
  line: '<li data-id="{{id}}">{{title}} - {{price}}</li>',
  head: '<head><title>{{title}}</title><meta name="user" content="{{user}}"></head>',
};

function tokenize(src) {
  const out = [];
  const re = /\{\{([#/]?)([\w.]+)\}\}/g;
  let last = 0;
  let m;
  while ((m = re.exec(src))) {
    if (m.index > last) out.push({ type: 'text', value: src.slice(last, m.index) });
    out.push({ type: m[1] || 'var', value: m[2] });
    last = re.lastIndex;
  }
  if (last < src.length) out.push({ type: 'text', value: src.slice(last) });
  return out;
}

function evaluate(tokens, scope, from = 0, until = null) {
  let html = '';
  for (let i = from; i < tokens.length; i++) {
    const t = tokens[i];
    if (t.type === 'text') html += t.value;
    else if (t.type === 'var') html += t.value === '.' ? scope : scope[t.value];
    else if (t.type === '#') {
      const end = tokens.findIndex((x, k) => k > i && x.type === '/' && x.value === t.value);
      for (const item of scope[t.value]) html += evaluate(tokens, item, i + 1, end);
      i = end;
    } else if (t.type === '/') return html;
    if (until !== null && i + 1 === until) return html;
  }
  return html;
}

class CompiledTemplates {
  constructor() {
    this.programs = new Map();
  }
  compile(name) {
    let p = this.programs.get(name);
    if (!p) this.programs.set(name, (p = tokenize(TEMPLATES[name])));
    return p;
  }
}

class Products {
  constructor() {
    this.recent = new Map();
  }
  fetchProduct(id) {
    const hit = this.recent.get(id);
    if (hit) return hit;
    const p = { id, title: 'Product ' + id, price: (id * 37) % 1000, body: `about ${id} `.repeat(20), tags: ['a' + (id % 3), 'b' + (id % 5)] };
    p.related = Array.from({ length: 12 }, (_, i) => ({ id: id + i, score: i / 12, reason: `co-bought with ${id}/${i}` }));
    this.recent.set(id, p);
    if (this.recent.size > 1500) this.recent.delete(this.recent.keys().next().value);
    return p;
  }
}

class PageRenderer {
  constructor() {
    this.templates = new CompiledTemplates();
    this.products = new Products();
    this.fragments = new Map();
  }

  renderCards(user, productIds) {
    const key = JSON.stringify({ user: user.id, ids: productIds });
    const cached = this.fragments.get(key);
    if (cached) return cached;
    const prog = this.templates.compile('card');
    const parts = productIds.map((id) => Buffer.from(evaluate(prog, this.products.fetchProduct(id))).toString('latin1'));
    const fragment = { etag: key.length, parts };
    this.fragments.set(key, fragment); // guilty
    return fragment;
  }

  renderPage(user, productIds) {
    const head = evaluate(this.templates.compile('head'), { title: 'Shop', user: user.name });
    const cards = this.renderCards(user, productIds);
    const list = productIds.map((id) => evaluate(this.templates.compile('line'), this.products.fetchProduct(id)));
    return head + cards.parts.join('') + '<ul>' + list.join('') + '</ul>';
  }
}

const renderer = new PageRenderer();
let bytes = 0;
let seed = 1;
function rnd(n) {
  seed = (seed * 16807) % 2147483647;
  return seed % n;
}

function serve() {
  for (let i = 0; i < 18; i++) {
    const user = { id: rnd(5000), name: 'u' + rnd(5000) };
    const ids = Array.from({ length: 12 }, () => rnd(3000));
    bytes += renderer.renderPage(user, ids).length;
  }
}

let ticks = 0;
(function loop() {
  serve();
  if (++ticks < 420) setTimeout(loop, 7);
  else console.log('bytes', bytes);
})();
