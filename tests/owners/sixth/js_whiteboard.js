'use strict';
// A board on which many people draw; operations go through middlewares, and are sent to all who are there.

const { EventEmitter } = require('events');

class Point {
  constructor(x, y, pressure) {
    this.x = x;
    this.y = y;
    this.pressure = pressure;
  }
}

class Board extends EventEmitter {
  constructor() {
    super();
    this.shapes = new Map();
    this.middlewares = [];
  }

  use(middleware) {
    this.middlewares.push(middleware);
    return this;
  }

  apply(operation) {
    const next = (i) => (op) => (i < this.middlewares.length ? this.middlewares[i](op, next(i + 1)) : this.commit(op));
    return next(0)(operation);
  }

  commit({ kind, id, points = [] }) {
    if (kind === 'erase') this.shapes.delete(id);
    else this.shapes.set(id % 50, points.map((p) => new Point(p[0], p[1], p[2])));
    this.emit(kind, id);
    return this.shapes.size;
  }
}

function validate(operation, next) {
  if (!Number.isInteger(operation.id)) throw new TypeError(`no id: ${JSON.stringify(operation)}`);
  return next(operation);
}

function simplify(operation, next) {
  if (!operation.points) return next(operation);
  const points = operation.points.filter((p, i) => i % 3 !== 1);
  return next({ ...operation, points });
}

function makeUndo() {
  const done = new Map();
  function remember(operation, next) {
    const list = done.get(operation.user) ?? [];
    list.push(structured(operation)); // guilty
    done.set(operation.user, list);
    return next(operation);
  }
  return { remember, depth: () => Math.max(...[...done.values()].map((l) => l.length)) };
}

function structured(operation) {
  return { ...operation, points: operation.points?.map(([x, y, pressure]) => ({ x, y, pressure })) };
}

function* strokes(count) {
  let r = 1;
  for (let id = 0; id < count; id++) {
    const points = [];
    for (let i = 0; i < 60; i++) {
      r = (Math.imul(r, 1664525) + 1013904223) >>> 0;
      points.push([r % 1920, (r >>> 8) % 1080, (r >>> 16) / 65536]);
    }
    yield { kind: 'draw', id, user: `user${id % 7}`, points };
    if (id % 10 === 9) yield { kind: 'erase', id: id - 5, user: 'user0' };
  }
}

const board = new Board();
const undo = makeUndo();
board.use(validate).use(simplify).use(undo.remember);
let drawn = 0;
board.on('draw', () => drawn++);
for (const operation of strokes(7000)) board.apply(operation);
console.log(drawn, board.shapes.size, undo.depth());
