// Drags and pinches on a chart: a drag of the mouse marks a range of x to zoom to, one finger moves what is zoomed, two
// fingers (or Ctrl and the wheel) zoom. What moves up and down is left to the browser: it scrolls.

export interface GestureTarget {
  readonly host: HTMLElement;
  valueAt(clientX: number): number;
  seenRange(): { from: number; to: number };
  span(from: number, to: number): void;
  brush(from: number, to: number): void; // shows a range that is being marked
}

interface Pointer {
  from: number; // px of the window, where it began
  x: number; // where it is
  value: number; // what lay under it
}

const SLOP_PX = 6; // less is a click

export class Gestures {
  private readonly pointers = new Map<number, Pointer>();
  private hasMoved = false; // so what follows is no click

  constructor(private readonly target: GestureTarget) {
    const { host } = target;
    host.addEventListener("pointerdown", (event) => this.begin(event));
    host.addEventListener("pointermove", (event) => this.move(event));
    host.addEventListener("pointerup", (event) => this.end(event));
    host.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    host.addEventListener("click", (event) => this.hasMoved && event.stopImmediatePropagation(), { capture: true });
    host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private begin(event: PointerEvent): void {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.hasMoved = false;
    this.pointers.set(event.pointerId, { from: event.clientX, x: event.clientX, value: this.target.valueAt(event.clientX) });
  }

  private move(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    pointer.x = event.clientX;
    if (Math.abs(pointer.x - pointer.from) > SLOP_PX) this.hasMoved = true;
    if (!this.hasMoved) return;
    if (this.pointers.size === 2) this.pinch();
    else if (event.pointerType === "touch") this.pan(pointer);
    else this.target.brush(pointer.value, this.target.valueAt(pointer.x));
  }

  private end(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!pointer || !this.hasMoved || event.pointerType === "touch") return;
    const value = this.target.valueAt(event.clientX);
    this.target.span(Math.min(pointer.value, value), Math.max(pointer.value, value));
  }

  private pan(pointer: Pointer): void {
    const { from, to } = this.target.seenRange();
    const shift = pointer.value - this.target.valueAt(pointer.x);
    this.target.span(from + shift, to + shift);
  }

  // Keeps under both fingers what they took hold of.
  private pinch(): void {
    const [a, b] = [...this.pointers.values()].sort((one, other) => one.value - other.value) as [Pointer, Pointer];
    const { left, width } = this.target.host.getBoundingClientRect();
    if (b.x - a.x < 1 || b.value <= a.value) return;
    const whole = ((b.value - a.value) / (b.x - a.x)) * width;
    const from = a.value - ((a.x - left) / width) * whole;
    this.target.span(from, from + whole);
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { from, to } = this.target.seenRange();
    const center = this.target.valueAt(event.clientX);
    const factor = Math.exp(event.deltaY / 200);
    this.target.span(center - (center - from) * factor, center + (to - center) * factor);
  }
}
