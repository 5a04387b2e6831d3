'use strict';
const { EventEmitter } = require('events');
class Source extends EventEmitter {
  start(count) { for (let n = 0; n < count; n++) this.emit('chunk', Buffer.alloc(2000, n % 256), n); this.emit('end'); }
}
class Assembler {
  constructor(source) {
    this.parts = new Map();
    this.skipped = 0;
    source.on('chunk', (chunk, n) => this.accept(chunk, n));
    source.on('end', () => this.finish());
  }
  accept(chunk, n) {
    if (n % 7 === 0) { this.skipped++; return; }
    this.parts.set(n, chunk); // guilty
  }
  finish() { console.log(this.parts.size, this.skipped); }
}
const source = new Source();
const assembler = new Assembler(source);
source.start(25000);
