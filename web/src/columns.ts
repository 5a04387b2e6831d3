// The columns of the table: what each says of a function, and what it is sorted by.

import { amount, BYTES, grouped, share } from "./format";
import { changeText } from "./look";
import type { Measure } from "./measure";
import { readable, shortName } from "./names";
import { basename, moduleOf, sourceOf, sourceShort, type Profile } from "./profile";
import type { FunctionRow, Total } from "./tree";

export interface Column {
  id: string;
  title: string;
  isNumber: boolean;
  text(row: FunctionRow): string;
  short?(row: FunctionRow): string; // what a cell shows of it
  by(row: FunctionRow): number | string; // numbers are sorted with the largest first
  part?(row: FunctionRow): number; // of a bar in the cell, from 0 to 1
  hint?: string;
}

const size = ({ grew, released }: Total) => grew + released;
const net = ({ grew, released }: Total) => grew - released;

export function columnsOf(profile: Profile, measure: Measure, whole: number): Column[] {
  const { columns: { after, before, mate }, isDifference, valueType: type } = measure;
  const signed = (value: number) => (value === 0 ? "" : `${value < 0 ? "\u2212" : "+"}${amount(Math.abs(value), type)}`);
  const plain = (value: number) => (value === 0 ? "" : amount(value, type));
  const number = (id: string, title: string, by: (row: FunctionRow) => number, text: (row: FunctionRow) => string, hint?: string): Column =>
    ({ id, title, isNumber: true, by, text, ...(hint === undefined ? {} : { hint }) });
  const barred = (column: Column, of: (row: FunctionRow) => number): Column => ({ ...column, part: (row) => (whole > 0 ? of(row) / whole : 0) });
  const amounts = (id: "self" | "total", title: string): Column[] => [
    barred(number(id, title, (row) => size(row[id]), (row) => plain(row[id].grew)), (row) => row[id].grew),
    number(`${id}-share`, "%", (row) => size(row[id]), (row) => (row[id].grew > 0 ? share(row[id].grew, whole) : ""), "of all that is shown"),
  ];
  const changes = (id: "self" | "total", title: string): Column[] => {
    const values = id === "self" ? "own" : "more";
    const change = barred(number(id, `${title}: \u0394`, (row) => size(row[id]), (row) => signed(net(row[id])), "sorted by all that changed, grown and released"), (row) => size(row[id]));
    if (before < 0) return [
      number(`${id}-grew`, `${title}: grew`, (row) => row[id].grew, (row) => signed(row[id].grew)),
      number(`${id}-released`, "released", (row) => row[id].released, (row) => signed(-row[id].released)),
      change,
    ];
    return [
      number(`${id}-a`, `${title}: A`, (row) => row[values][before]!, (row) => plain(row[values][before]!)),
      number(`${id}-b`, "B", (row) => row[values][after]!, (row) => plain(row[values][after]!)),
      { ...change, title: "\u0394" },
      number(`${id}-factor`, "factor", (row) => row[values][after]! / Math.max(row[values][before]!, 0.5), (row) => (row[values][before] === 0 && row[values][after] === 0 ? "" : changeText(row[values][before]!, row[values][after]!))),
    ];
  };
  const mean = (row: FunctionRow) => measure.meanSize(row.total.grew, row.more[mate]!);
  const objects = (row: FunctionRow) => (type.unit === "bytes" ? row.more[mate]! : row.total.grew);
  const known = (text: (name: number) => string) => profile.names.some((_, name) => text(name) !== "");
  const place = (id: string, title: string, text: (name: number) => string, short = text, hint?: string): Column[] =>
    (known(text) ? [{ id, title, isNumber: false, by: ({ name }) => text(name), text: ({ name }) => text(name), short: ({ name }) => short(name), ...(hint === undefined ? {} : { hint }) }] : []);
  const ownerOf = (name: number) => (profile.owners[name]! > 0 ? profile.names[profile.owners[name]!]! : "");
  return [
    { id: "name", title: "Function", isNumber: false, by: ({ name }) => profile.names[name]!, text: ({ name }) => readable(profile.names[name]!) },
    ...place("owner", "Owner", ownerOf, (name) => shortName(readable(ownerOf(name))), "The function of the program that owns more than half of it, in all of the profile"),
    ...(isDifference ? [...changes("self", "Itself"), ...changes("total", "With callees")] : [...amounts("self", "Itself"), ...amounts("total", "With callees")]),
    ...(mate < 0 ? [] : [number("objects", "Objects", objects, (row) => grouped(objects(row))), number("mean", "Mean size", mean, (row) => amount(mean(row), BYTES))]),
    ...place("module", "Module", (name) => basename(moduleOf(profile, name))),
    ...place("source", "Source", (name) => sourceOf(profile, name), (name) => sourceShort(profile, name)),
  ];
}

const csvCell = (text: string) => `"${(/^[=+@\-\u2212]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

export function csvOf(columns: Column[], rows: FunctionRow[]): string {
  const value = (column: Column, row: FunctionRow) => (column.isNumber && !/%|\u0394|factor/.test(column.title) ? String(column.by(row)) : csvCell(column.text(row)));
  return [columns.map(({ title }) => csvCell(title)), ...rows.map((row) => columns.map((column) => value(column, row)))].map((line) => `${line.join(",")}\n`).join("");
}

export function markdownOf(columns: Column[], rows: FunctionRow[]): string {
  const cell = (text: string) => text.replace(/[\\|`*_<>[\]]/g, (c) => (c === "<" ? "&lt;" : `\\${c}`));
  const line = (cells: string[]) => `| ${cells.join(" | ")} |\n`;
  return line(columns.map(({ title }) => cell(title))) + line(columns.map(({ isNumber }) => (isNumber ? "--:" : ":--"))) +
    rows.map((row) => line(columns.map((column) => cell(column.text(row))))).join("");
}
