// The columns that a picture carries, whatever it is made of: src/render/trie_data.h describes them.

export class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("the data of this page is cut");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  // A number of up to 64 bits.
  exact(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 49n) {
      let part = 0;
      let scale = 1;
      for (let i = 0; i < 7; i++, scale *= 128) {
        const byte = this.bytes[this.at++];
        if (byte === undefined) throw new Error("the data of this page is cut");
        part += (byte & 127) * scale;
        if (byte < 128) return value + (BigInt(part) << shift);
      }
      value += BigInt(part) << shift;
    }
  }

  take(size: number): Uint8Array {
    if (this.at + size > this.bytes.length) throw new Error("the data of this page is cut");
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }
}

export function readNames(reader: Reader, count: number): string[] {
  const decoder = new TextDecoder();
  const names: string[] = [];
  let before = new Uint8Array(0);
  for (let i = 0; i < count; i++) {
    const shared = reader.varint();
    const rest = reader.take(reader.varint());
    const bytes = new Uint8Array(shared + rest.length);
    bytes.set(before.subarray(0, shared));
    bytes.set(rest, shared);
    names.push(decoder.decode(bytes));
    before = bytes;
  }
  return names;
}

// Each node says how many levels above the one before it hangs.
export function readParents(reader: Reader, count: number): Int32Array {
  const parent = new Int32Array(count);
  const path = [0];
  parent[0] = -1;
  for (let node = 1; node < count; node++) {
    path.length -= Math.min(reader.varint(), path.length - 1);
    parent[node] = path[path.length - 1]!;
    path.push(node);
  }
  return parent;
}

export function readColumn(reader: Reader, count: number): Float64Array {
  const column = new Float64Array(count);
  for (let i = 0; i < count; i++) column[i] = reader.varint();
  return column;
}

export async function inflate(base64: string): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
