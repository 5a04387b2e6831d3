'use strict';
class Cell {
  constructor(row, column, value) { this.row = row; this.column = column; this.value = value; this.deps = []; }
  evaluate() { return this.value.length + this.deps.length; }
}
class History {
  constructor() { this.states = []; }
  commit(state) { this.states.push(state); } // guilty
  last() { return this.states[this.states.length - 1]; }
}
class Sheet {
  constructor() { this.cells = new Map(); this.history = new History(); }
  copy() {
    const state = {};
    for (const [key, cell] of this.cells) state[key] = new Cell(cell.row, cell.column, cell.value);
    return state;
  }
  set(row, column, value) {
    this.history.commit(this.copy());
    this.cells.set(`${row}:${column}`, new Cell(row, column, value));
  }
  checksum() { return Object.values(this.copy()).reduce((sum, cell) => sum + cell.evaluate(), 0); }
}
const sheet = new Sheet();
let sum = 0;
for (let i = 0; i < 900; i++) {
  sheet.set(i % 90, i % 13, `value ${i}`);
  if (i % 10 === 0) sum += sheet.checksum();
}
console.log(sum, Object.keys(sheet.history.last()).length);
