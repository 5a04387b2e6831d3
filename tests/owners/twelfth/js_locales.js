'use strict';
// The texts of a shop in several languages: messages with places for values and plurals, and mails that use them.

const messages = {
  en: {
    greeting: 'Dear {name}, thank you for order {order}.',
    items: '{count, plural, one {# article is} other {# articles are}} on the way to {city}.',
    delay: 'We are sorry: {article} is late by {count, plural, one {a day} other {# days}}.',
  },
  de: {
    greeting: 'Guten Tag {name}, danke für die Bestellung {order}.',
    items: '{count, plural, one {# Artikel ist} other {# Artikel sind}} unterwegs nach {city}.',
    delay: 'Leider kommt {article} {count, plural, one {einen Tag} other {# Tage}} später.',
  },
  nl: {
    greeting: 'Beste {name}, bedankt voor bestelling {order}.',
    items: '{count, plural, one {# artikel is} other {# artikelen zijn}} onderweg naar {city}.',
    delay: 'Helaas komt {article} {count, plural, one {een dag} other {# dagen}} later.',
  },
};

function closing(text, from) {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') depth++;
    if (text[i] === '}' && --depth === 0) return i;
  }
  throw new SyntaxError(`no end of {: ${text.slice(from, from + 20)}`);
}

function parse(text) {
  const parts = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    if (open < 0) {
      parts.push({ kind: 'text', text: text.slice(at) });
      break;
    }
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) });
    const end = closing(text, open);
    const inside = text.slice(open + 1, end);
    const comma = inside.indexOf(',');
    if (comma < 0) parts.push({ kind: 'value', name: inside.trim() });
    else parts.push(parsePlural(inside.slice(0, comma), inside.slice(comma + 1)));
    at = end + 1;
  }
  return parts;
}

function parsePlural(name, text) {
  const forms = new Map();
  for (const match of text.matchAll(/(\w+) \{/g)) {
    const open = match.index + match[0].length - 1;
    forms.set(match[1], parse(text.slice(open + 1, closing(text, open)).replaceAll('#', `{${name}}`)));
  }
  return { kind: 'plural', name, forms };
}

function write(parts, values) {
  let out = '';
  for (const part of parts) {
    if (part.kind === 'text') out += part.text;
    else if (part.kind === 'value') out += values[part.name] ?? `{${part.name}}`;
    else out += write(part.forms.get(values[part.name] === 1 ? 'one' : 'other'), values);
  }
  return out;
}

class Translator {
  constructor(language) {
    this.language = language;
    this.compiled = new Map();
    this.hits = 0;
  }

  format(text, values) {
    let parts = this.compiled.get(text);
    if (parts) {
      this.hits++;
    } else {
      parts = parse(text);
      this.compiled.set(text, parts); // guilty
    }
    return write(parts, values);
  }

  say(name, values) {
    return this.format(messages[this.language][name], values);
  }
}

class Orders {
  constructor() {
    this.state = 9;
  }
  below(n) {
    this.state = (Math.imul(this.state, 69069) + 12345) >>> 0;
    return (this.state >>> 8) % n;
  }
  next(number) {
    const names = ['Ilse', 'Bram', 'Tom', 'Nadia'];
    const articles = ['lamp', 'tent', 'kettle', 'bicycle pump'];
    const lines = [];
    for (let i = 0, n = 1 + this.below(4); i < n; i++) lines.push({ article: articles[this.below(4)], count: 1 + this.below(3), cents: this.below(9000) });
    return { number, name: names[this.below(4)], city: ['Delft', 'Ulm', 'Leeds'][this.below(3)], lines, language: ['en', 'de', 'nl'][this.below(3)] };
  }
}

class Mailer {
  constructor() {
    this.translators = new Map(Object.keys(messages).map((l) => [l, new Translator(l)]));
    this.outbox = [];
    this.bytes = 0;
  }

  confirm(order) {
    const t = this.translators.get(order.language);
    const body = [t.say('greeting', { name: order.name, order: order.number })];
    body.push(t.say('items', { count: order.lines.length, city: order.city }));
    for (const line of order.lines) {
      // the shop's own words come with places, too
      body.push(t.format(`{count} x ${line.article} ${(line.cents / 100).toFixed(2)} ({order}/${order.number})`, { count: line.count, order: 'no.' }));
      if (line.cents % 7 === 0) body.push(t.say('delay', { article: line.article, count: 1 + (line.cents % 3) }));
    }
    this.outbox.push(body.join('\n'));
    if (this.outbox.length >= 50) this.flush();
  }

  flush() {
    for (const mail of this.outbox.splice(0)) this.bytes += Buffer.byteLength(mail);
  }
}

const orders = new Orders();
const mailer = new Mailer();
for (let i = 0; i < 36000; i++) mailer.confirm(orders.next(100000 + i));
mailer.flush();
console.log(`${mailer.bytes} bytes of mail`);
for (const [language, t] of mailer.translators) console.log(`${language}: ${t.compiled.size} compiled, ${t.hits} hits`);
