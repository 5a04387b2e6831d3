// Search in the names: each distinct name once, a regular expression in a worker that is ended at its deadline.

export interface Query {
  text: string;
  isPlain: boolean;
  isCaseSensitive: boolean;
}

export interface Hits {
  isHit: Uint8Array; // by name
  names: number; // how many
}

const DEADLINE_MS = 1000; // of the matching itself; a busy machine may start the worker late

// Runs in the worker: no name of this file may occur in it.
const WORKER = `onmessage = (event) => {
  const { source, flags, names } = event.data;
  postMessage("begun");
  const expression = new RegExp(source, flags);
  const hits = new Uint8Array(names.length);
  for (let i = 1; i < names.length; i++) hits[i] = expression.test(names[i]) ? 1 : 0;
  postMessage(hits);
};
postMessage(undefined);`;

// No expression may be run here, for want of a worker to end.
export class NoWorker extends Error {}

const refusal = () => new NoWorker("this page may not run a regular expression; look for plain text");

// As pages always could read expressions, if not as new ones do.
function flagsFor(query: Query): string {
  const flags = query.isCaseSensitive ? "" : "i";
  try {
    new RegExp(query.text, `${flags}u`);
    return `${flags}u`;
  } catch {
    return flags;
  }
}

export class Search {
  private worker: Worker | undefined;
  private deadline = 0;

  constructor(private readonly names: string[]) {}

  // What runs never settles.
  stop(): void {
    clearTimeout(this.deadline);
    this.worker?.terminate();
    this.worker = undefined;
  }

  // Rejects with a sentence for people. A later search stops an earlier one.
  find(query: Query): Promise<Hits> {
    this.stop();
    if (query.isPlain) return Promise.resolve(this.count(this.findPlain(query)));
    const flags = flagsFor(query);
    try {
      new RegExp(query.text, flags);
    } catch (error) {
      return Promise.reject(new Error(`not a regular expression: ${(error as Error).message.replace(/^.*: /, "")}`));
    }
    return this.findInWorker(query.text, flags);
  }

  private findPlain(query: Query): Uint8Array {
    const fold = (text: string) => (query.isCaseSensitive ? text : text.toLowerCase());
    const text = fold(query.text);
    return Uint8Array.from(this.names, (name, i) => (i > 0 && fold(name).includes(text) ? 1 : 0));
  }

  private findInWorker(source: string, flags: string): Promise<Hits> {
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    let worker: Worker;
    try {
      worker = new Worker(address);
    } catch {
      return Promise.reject(refusal());
    }
    this.worker = worker;
    return new Promise<Hits>((resolve, reject) => {
      const giveUp = () => {
        worker.terminate();
        reject(new Error("this expression takes too long; try a simpler one, or plain text"));
      };
      worker.onmessage = (event: MessageEvent<Uint8Array | "begun" | undefined>) => {
        if (!event.data) return worker.postMessage({ source, flags, names: this.names });
        if (event.data === "begun") {
          this.deadline = setTimeout(giveUp, DEADLINE_MS);
          return;
        }
        clearTimeout(this.deadline);
        worker.terminate();
        resolve(this.count(event.data));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        clearTimeout(this.deadline);
        reject(refusal());
      };
    }).finally(() => URL.revokeObjectURL(address));
  }

  private count(isHit: Uint8Array): Hits {
    return { isHit, names: isHit.reduce((sum, hit) => sum + hit, 0) };
  }
}
