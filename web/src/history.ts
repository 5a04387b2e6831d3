// States one after the other, to go back to and forth again.

export class History<T> {
  private readonly states: T[];
  private at = 0;

  constructor(first: T) {
    this.states = [first];
  }

  get now(): T {
    return this.states[this.at]!;
  }

  get canUndo(): boolean {
    return this.at > 0;
  }

  get canRedo(): boolean {
    return this.at + 1 < this.states.length;
  }

  // What was undone is forgotten.
  add(state: T): void {
    this.states.length = ++this.at;
    this.states.push(state);
  }

  undo(): void {
    if (this.canUndo) this.at--;
  }

  redo(): void {
    if (this.canRedo) this.at++;
  }
}
