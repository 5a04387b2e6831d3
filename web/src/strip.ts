// A narrow strip over the whole width that marks where hits lie, also those too narrow to be seen below.

import type { Layout } from "./layout";
import type { Range } from "./section";

export class Strip {
  constructor(private readonly canvas: HTMLCanvasElement, goTo: (share: number) => void) {
    canvas.addEventListener("click", (event) => goTo(event.offsetX / canvas.clientWidth));
  }

  show(layout: Layout | undefined, { from, to }: Range, isHit: Uint8Array | undefined): void {
    const { canvas } = this;
    canvas.classList.toggle("idle", !isHit);
    if (!layout || !isHit) return;
    canvas.width = canvas.clientWidth;
    canvas.height = canvas.clientHeight;
    const scale = canvas.width / (to - from || 1);
    const context = canvas.getContext("2d")!;
    context.fillStyle = "#e600e6";
    const marked = new Uint8Array(canvas.width + 1); // a pixel is painted once
    for (let node = 0; node < layout.tree.count; node++) {
      if (!isHit[layout.tree.name[node]!] || layout.width[node] === 0) continue;
      const left = Math.max(Math.floor((layout.start[node]! - from) * scale), 0);
      const right = Math.min(Math.ceil((layout.start[node]! + layout.width[node]! - from) * scale), canvas.width);
      for (let x = left; x < right; x++) marked[x] = 1;
    }
    for (let x = 0; x < canvas.width; x++) if (marked[x]) context.fillRect(x, 0, 1, canvas.height);
  }
}
