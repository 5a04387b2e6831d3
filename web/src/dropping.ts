// Files that are dropped onto the page, or chosen from a list.

export class Dropping {
  constructor(host: HTMLElement, take: (file: File) => void, signal: AbortSignal) {
    const isFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    addEventListener("dragover", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      host.hidden = false;
    }, { signal });
    addEventListener("dragleave", (event) => { host.hidden ||= event.relatedTarget === null; }, { signal });
    addEventListener("drop", (event) => {
      host.hidden = true;
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      take(file);
    }, { signal });
  }
}

// For those who do not drag.
export function chooseFile(take: (file: File) => void): void {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: ".html,.folded,.txt" });
  input.addEventListener("change", () => input.files?.[0] && take(input.files[0]));
  input.click();
}
