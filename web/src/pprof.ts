// Stacks as a profile of pprof: profile.proto, compressed. One function and one location for each name.

import type { Stack } from "./folded";
import type { ValueType } from "./profile";

type Field = [number: number, value: number | bigint | Uint8Array]; // of a message

function putVarint(to: number[], value: bigint): void {
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) to.push(Number(rest & 127n) | 128);
  to.push(Number(rest));
}

function message(fields: Field[]): Uint8Array<ArrayBuffer> {
  const to: number[] = [];
  for (const [number, value] of fields) {
    const isBytes = value instanceof Uint8Array;
    putVarint(to, BigInt((number << 3) | (isBytes ? 2 : 0)));
    putVarint(to, BigInt(isBytes ? value.length : value));
    if (isBytes) for (const byte of value) to.push(byte);
  }
  return Uint8Array.from(to);
}

function packed(values: (number | bigint)[]): Uint8Array {
  const to: number[] = [];
  for (const value of values) putVarint(to, BigInt(value));
  return Uint8Array.from(to);
}

export function pprofBytes(stacks: Stack[], names: string[], type: ValueType): Uint8Array<ArrayBuffer> {
  const texts = ["", type.name, type.unit];
  const ids = new Map<number, number>(); // of names: of function and location, from 1 on
  const id = (name: number) => ids.get(name) ?? (ids.set(name, ids.size + 1), texts.push(names[name]!), ids.size);
  const samples = stacks.map((stack): Field =>
    [2, message([[1, packed(stack.names.map(id).reverse())], [2, packed([BigInt(stack.value)])]])]);
  const all = [...ids.values()];
  const text = new TextEncoder();
  return message([
    [1, message([[1, 1], [2, 2]])],
    ...samples,
    ...all.map((of): Field => [4, message([[1, of], [4, message([[1, of]])]])]),
    ...all.map((of): Field => [5, message([[1, of], [2, of + 2]])]),
    ...texts.map((of): Field => [6, text.encode(of)]),
  ]);
}

export async function pprofFile(stacks: Stack[], names: string[], type: ValueType): Promise<Blob> {
  const stream = new Blob([pprofBytes(stacks, names, type)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Response(stream).blob();
}
