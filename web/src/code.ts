// The instructions of the places that matter, as src/render/page/page_code.h describes them, and which of them a source line has.

export type Instruction = [offset: number, text: string, target: string, chain: number];

export interface CodeFunction {
  name: string;
  module: string;
  start: number; // address
  size: number;
  files: string[];
  chains: number[][]; // file and line, innermost call first
  pieces: Instruction[][];
  held: number[][]; // offset of an instruction, then for each type of value what stacks through it hold, and what it allocated itself
}

export interface LineCode {
  of: CodeFunction;
  instructions: Instruction[];
}

// The source lines of an instruction, that of the function itself first.
export function linesOf(of: CodeFunction, [, , , chain]: Instruction): [file: string, line: number][] {
  const told = of.chains[chain]!;
  const lines: [string, number][] = [];
  for (let i = told.length - 2; i >= 0; i -= 2) lines.push([of.files[told[i]!]!, told[i + 1]!]);
  return lines;
}

export const addressOf = (of: CodeFunction, offset: number) => (of.start + offset).toString(16);

// By file and line the instructions that were made of it, by function.
export class CodeLines {
  private readonly lines = new Map<string, LineCode[]>();

  constructor(functions: CodeFunction[]) {
    for (const of of functions) for (const instruction of of.pieces.flat()) {
      const keys = new Set(linesOf(of, instruction).map(([file, line]) => `${line} ${file}`));
      for (const key of keys) this.add(key, of, instruction);
    }
  }

  at(file: string, line: number): LineCode[] {
    return this.lines.get(`${line} ${file}`) ?? [];
  }

  private add(key: string, of: CodeFunction, instruction: Instruction): void {
    const all = this.lines.get(key) ?? [];
    if (all.at(-1)?.of !== of) all.push({ of, instructions: [] });
    all.at(-1)!.instructions.push(instruction);
    this.lines.set(key, all);
  }
}
