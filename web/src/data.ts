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

  // The next bytes, to a place in `to`.
  copy(to: Uint8Array, at: number, size: number): void {
    if (this.at + size > this.bytes.length) throw new Error("the data of this page is cut");
    for (let i = 0; i < size; i++) to[at + i] = this.bytes[this.at + i]!;
    this.at += size;
  }

  // As many numbers as `to` has room for; nearly all have one byte. Of 32 bits and of more apart: each is a loop of its own for the
  // browser's compiler.
  ints(to: Int32Array): Int32Array {
    const { bytes } = this;
    let { at } = this;
    for (let i = 0; i < to.length; i++) {
      const byte = bytes[at++]!;
      if (byte < 128) {
        to[i] = byte;
        continue;
      }
      let value = byte & 127;
      for (let shift = 7, more = byte; more > 127; shift += 7) {
        more = bytes[at++]!;
        value |= (more & 127) << shift;
      }
      to[i] = value;
    }
    return this.filled(to, at);
  }

  doubles(to: Float64Array): Float64Array {
    const { bytes } = this;
    let { at } = this;
    for (let i = 0; i < to.length; i++) {
      const byte = bytes[at++]!;
      if (byte < 128) {
        to[i] = byte;
        continue;
      }
      let value = byte & 127;
      for (let scale = 128, more = byte; more > 127; scale *= 128) {
        more = bytes[at++]!;
        value += (more & 127) * scale;
      }
      to[i] = value;
    }
    return this.filled(to, at);
  }

  // Numbers of one, two or four bytes, or of as many as each needs.
  packed(count: number): Uint8Array | Uint16Array | Uint32Array | Float64Array {
    const [width] = this.take(1);
    if (width === 0) return this.doubles(new Float64Array(count));
    const { buffer } = this.take(width! * count).slice(); // where it begins is no matter
    return width === 1 ? new Uint8Array(buffer) : width === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
  }

  private filled<T>(to: T, at: number): T {
    if (at > this.bytes.length) throw new Error("the data of this page is cut");
    this.at = at;
    return to;
  }
}

// Each name begins with some bytes of the one before. All become lines of one text, which is decoded at once: no name holds an
// end of line.
export function readNames(reader: Reader, count: number): string[] {
  let lines = new Uint8Array(1 << 20);
  let end = 0;
  let before = 0; // where the name before begins
  for (let i = 0; i < count; i++) {
    const shared = reader.varint();
    const rest = reader.varint();
    const needed = end + shared + rest + 1;
    if (needed > lines.length) {
      const larger = new Uint8Array(2 * needed);
      larger.set(lines);
      lines = larger;
    }
    const start = end;
    for (const stop = before + shared; before < stop; ) lines[end++] = lines[before++]!;
    reader.copy(lines, end, rest);
    before = start;
    end = needed;
    lines[end - 1] = 10;
  }
  return new TextDecoder().decode(lines.subarray(0, Math.max(end - 1, 0))).split("\n");
}

// The same as lines.
export function readLines(reader: Reader, count: number): string[] {
  const names = new TextDecoder().decode(reader.take(reader.varint())).split("\n");
  if (names.length !== count) throw new Error("the data of this page is cut");
  return names;
}

// Each node says how many levels above the one before it hangs.
export function parentsOf(ups: ArrayLike<number>): Int32Array {
  const parent = new Int32Array(ups.length + 1);
  const path = [0];
  let depth = 0;
  parent[0] = -1;
  for (let i = 0; i < ups.length; i++) {
    depth = Math.max(depth - ups[i]!, 0);
    parent[i + 1] = path[depth]!;
    path[++depth] = i + 1;
  }
  return parent;
}

export function readColumn(reader: Reader, count: number): Float64Array {
  return reader.doubles(new Float64Array(count));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const native = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }; // of browsers since 2025
  if (native.fromBase64) return native.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const reader = stream.getReader();
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

// Not by way of a Blob: here nothing waits for another task, so what is made of it stands in the first picture of the page.
export async function inflate(base64: string): Promise<Uint8Array> {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const [bytes] = await Promise.all([readAll(readable), writer.write(bytesOf(base64)), writer.close()]);
  return bytes;
}
