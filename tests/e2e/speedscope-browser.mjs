#!/usr/bin/env node
// sanitized: no, it tests what is shown in a browser
// npm's speedscope in real Chromium: it opens what `convert` writes, and its table shows our numbers.
// timeout: 120
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Browser, expectEqual } from "../browser/browser.mjs";

const FOLDER = join(process.env.HEAPFLAME_SRC, "tests/browser/node_modules/speedscope/dist/release");
const FIXTURES = join(process.env.HEAPFLAME_SRC, "tests/fixtures");
const HEAP = [join(FIXTURES, "golden/b.heap"), "--exe", join(FIXTURES, "golden/golden"), "-q"];

if (!existsSync(FOLDER)) {
  console.log("speedscope is missing (script/bootstrap test installs it)");
  process.exit(77);
}

function heapflame(...args) {
  const done = spawnSync("heapflame", args, { encoding: "utf8" });
  expectEqual(done.status, 0, `heapflame ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

// What speedscope writes for a number: 2^10 a step, two decimals; counts as they are.
function shown(value, unit) {
  if (unit !== "bytes") return value.toLocaleString("en-US");
  const units = ["B", "KB", "MB", "GB"];
  let step = 0;
  for (; value >= 1024 && step + 1 < units.length; step++) value /= 1024;
  return step === 0 ? `${value} B` : `${value.toFixed(2)} ${units[step]}`;
}

// {name: [total, self]} of the folded stacks.
function expected(folded, unit) {
  const total = {}, self = {};
  for (const line of folded.trim().split("\n")) {
    const [, stack, value] = line.match(/^(.*) (\d+)$/);
    const frames = stack.split(";");
    for (const frame of new Set(frames)) total[frame] = (total[frame] || 0) + Number(value);
    self[frames.at(-1)] = (self[frames.at(-1)] || 0) + Number(value);
  }
  return Object.fromEntries(Object.keys(total).sort()
    .map((name) => [name, [shown(total[name], unit), shown(self[name] || 0, unit)]]));
}

// Opens a file, and the table of its functions.
async function open(browser, file) {
  const page = await browser.page(`file://${FOLDER}/index.html`, { folder: `file://${FOLDER}` });
  await page.setInputFiles("input[type=file]", file);
  await page.getByText("Sandwich").click();
  await page.getByText("Symbol Name").waitFor();
  return page;
}

// {name: [total, self]} as the table shows them, without the shares. Its rows come after its head.
async function table(page) {
  await page.waitForFunction(
    () => Array.from(document.querySelectorAll("td")).some((cell) => cell.innerText.includes("%)")));
  const rows = await page.evaluate(() => Array.from(document.querySelectorAll("tr"),
    (row) => Array.from(row.querySelectorAll("td"), (cell) => cell.innerText.trim())));
  return Object.fromEntries(rows.filter((row) => row.length === 3 && row[0].endsWith("%)"))
    .map(([total, self, name]) => [name, [total, self].map((text) => text.replace(/\s*\([^)]*\)$/, ""))])
    .sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function showsOurNumbers(browser) {
  heapflame("convert", ...HEAP, "-o", "b.speedscope.json");
  const page = await open(browser, resolve("b.speedscope.json"));
  await page.getByText("inuse_space (2/2)").waitFor();
  expectEqual(await table(page), expected(heapflame("fold", ...HEAP), "bytes"), "inuse_space");
  await page.keyboard.press("p");
  await page.getByText("inuse_objects (1/2)").waitFor();
  expectEqual(await table(page), expected(heapflame("fold", ...HEAP, "--inuse_objects"), "none"), "inuse_objects");
}

async function showsDifferences(browser) {
  const options = [...HEAP, "--base", join(FIXTURES, "golden/a.heap")];
  heapflame("convert", ...options, "-o", "d.speedscope.json");
  const page = await open(browser, resolve("d.speedscope.json"));
  await page.getByText("inuse_space grew (3/4)").waitFor();
  expectEqual((await table(page)).process_leak, ["100.00 MB", "100.00 MB"], "grew");
  await page.keyboard.press("n");
  await page.getByText("inuse_space released (4/4)").waitFor();
  expectEqual((await table(page)).cache_fill, ["150.00 MB", "150.00 MB"], "released");
}

// Names that are markup, quotes or no UTF-8 are names.
async function showsAnyName(browser) {
  writeFileSync("odd.folded", Buffer.concat([Buffer.from('a"b\\c;</script><b>x;日本 7\n'),
    Buffer.from([0x61, 0xff, 0x3b, 0x01, 0x20, 0x33, 0x0a])]));
  heapflame("convert", "odd.folded", "-o", "odd.speedscope.json");
  const page = await open(browser, resolve("odd.speedscope.json"));
  expectEqual(await table(page), {
    "</script><b>x": ["7", "0"], "\\x01": ["3", "3"], 'a"b\\c': ["7", "0"], "a\\xff": ["3", "0"], "日本": ["7", "7"],
  }, "odd names");
}

const browser = await Browser.open();
for (const test of [showsOurNumbers, showsDifferences, showsAnyName]) {
  await test(browser);
  console.log(`ok    ${test.name}`);
}
await browser.close();
