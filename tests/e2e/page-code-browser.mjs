#!/usr/bin/env node
// Instructions in the HTML flame graph: below each line and function by function, by keyboard, with hostile names, on a phone.
// timeout: 200
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectEqual } from "../browser/browser.mjs";
import { drawFiles, open, runTests, select } from "../browser/page.mjs";

const AXE = join(process.env.HEAPFLAME_SRC, "tests/browser/node_modules/axe-core/axe.min.js");
const EVIL = "</script><img src=x onerror=window.hit=1>";
const PROGRAM = `#include <stdlib.h>
char *volatile kept[8];
void evil(void);
__attribute__((noinline)) void hold(void)
{
    kept[0] = malloc(100000);
    evil();
    kept[1] = malloc(200000);
}
int main(void)
{
    hold();
    return kept[0] == 0;
}
`;

function run(command, ...words) {
  const done = spawnSync(command, words, { encoding: "utf8" });
  expectEqual(done.status, 0, `${command}: ${done.stderr}`);
  return done.stdout;
}

// A profile of the program, which is compiled in the folder of the test.
function record() {
  writeFileSync("hold.c", PROGRAM);
  writeFileSync("evil.c", "#include <stdlib.h>\nextern char *volatile kept[8];\nvoid evil(void)\n{\n    kept[2] = malloc(3000);\n}\n");
  run("gcc", "-O2", "-g", "-c", "hold.c");
  run("gcc", "-O2", "-c", "evil.c");
  for (const object of ["hold.o", "evil.o"]) run("objcopy", "--redefine-sym", `evil=${EVIL}`, object);
  run("gcc", "-o", "hold", "hold.o", "evil.o");
  run("heapflame", "run", "-q", "--exact", "-o", "hold.hfb", "--", "./hold");
}

const lineOf = (text) => PROGRAM.split("\n").findIndex((line) => line.includes(text)) + 1;
const texts = (page, selector) => page.locator(selector).allTextContents();
const calls = (page) => page.evaluate(() => [...document.querySelectorAll("#source .asm.hot")].map((row) => [...row.cells].slice(0, 3).concat(row.querySelector(".code")).map((cell) => cell.textContent)));

async function opens(browser) {
  record();
  const page = await open(browser, `${drawFiles("code", ["hold.hfb"], "--disassembly")}#v=source`, { viewport: { width: 1400, height: 800 } });
  await page.waitForSelector("#source tbody tr");
  expectEqual(await texts(page, "#source-file optgroup:first-child option"), ["hold.c"], "files");
  const functions = await texts(page, "#source-file optgroup:last-child option");
  expect(functions.includes("hold") && functions.includes("main") && functions.some((name) => name.includes("onerror")), `functions: ${functions}`);
  expectEqual(await page.locator("#source .asm").count(), 0, "nothing is opened unasked");
  const line = lineOf("malloc(200000)");
  const fold = page.locator(`#source tr[data-line="${line}"] .fold`);
  expectEqual([await fold.getAttribute("aria-expanded"), await fold.getAttribute("aria-label")], ["false", `Instructions of line ${line}`], "closed");
  await fold.focus();
  await page.keyboard.press("Enter");
  expectEqual(await fold.getAttribute("aria-expanded"), "true", "opened");
  expectEqual(await calls(page), [["195.3 KiB", "195.3 KiB", "1", "call malloc@plt"]], "its call has its bytes");
  await page.keyboard.press("Enter");
  expectEqual([await fold.getAttribute("aria-expanded"), await page.locator("#source .asm").count()], ["false", 0], "closed again");
  expectEqual(await page.locator(`#source tr[data-line="${lineOf("#include")}"] .fold`).count(), 0, "a line without memory has none");
  await page.keyboard.press("Space");
  await select(page, "metric", { label: "objects in use" });
  expectEqual(await calls(page), [["1", "1", "195.3 KiB", "call malloc@plt"]], "what is measured changes, what is opened does not");
  await select(page, "metric", { label: "bytes in use" });
  await page.locator("#source .asm .link").click();
  expectEqual(await page.locator("#source-file option:checked").textContent(), "hold", "all of the function");
  expectEqual(await texts(page, "#source th"), ["With callees", "Itself", "Objects", "Address", "Instruction", "Source"], "titles");
  const shown = await calls(page);
  expectEqual(shown.map(([total, self, objects]) => [total, self, objects]).sort(), [["195.3 KiB", "195.3 KiB", "1"], ["97.7 KiB", "97.7 KiB", "1"], ["2.9 KiB", "", "1"]].sort(), "calls");
  expect(/^hold in hold, \d+ bytes: bytes in use, without filters$/.test(await page.textContent("#source output")), "what it is");
  const place = page.locator("#source .from .link", { hasText: `hold.c:${line}` }).first();
  expectEqual(await page.locator("#source .from", { hasText: `hold.c:${line}` }).first().locator("code").textContent(), "kept[1] = malloc(200000);", "its source");
  await place.focus();
  await page.keyboard.press("Enter");
  expectEqual([await page.locator("#source-file option:checked").textContent(), await page.locator("#source .aim").getAttribute("data-line")], ["hold.c", String(line)], "back to the line");
}

async function showsHostileNames(browser) {
  record();
  const page = await open(browser, `${drawFiles("hostile-code", ["hold.hfb"], "--disassembly")}#v=source`);
  await page.waitForSelector("#source tbody tr");
  await select(page, "source-file", { label: "hold" });
  const targets = await texts(page, "#source .asm b");
  expect(targets.includes(EVIL), `called by name: ${targets}`);
  for (const option of await texts(page, "#source-file option")) {
    await select(page, "source-file", { label: option });
    expectEqual(await page.evaluate(() => [window.hit, document.querySelectorAll("#source img, #source script").length]), [null, 0], option);
  }
}

// A stripped program has no lines: its instructions alone.
async function showsStripped(browser) {
  record();
  run("strip", "--strip-all", "hold");
  run("heapflame", "run", "-q", "--exact", "-o", "hold.hfb", "--", "./hold");
  const page = await open(browser, `${drawFiles("stripped", ["hold.hfb"], "--disassembly")}#v=source`);
  await page.waitForSelector("#source tbody tr");
  expectEqual(await page.locator("#source-file optgroup").count(), 1, "no files");
  expectEqual(await texts(page, "#source th"), ["With callees", "Itself", "Objects", "Address", "Instruction"], "titles");
  expect((await calls(page)).some(([, self]) => self === "195.3 KiB"), `calls: ${await calls(page)}`);
}

// Nothing that axe finds; and on a phone instructions are in sight.
async function passesAxe(browser) {
  record();
  const page = await open(browser, `${drawFiles("code-axe", ["hold.hfb"], "--disassembly")}#v=source`);
  await page.waitForSelector("#source tbody tr");
  await page.evaluate(readFileSync(AXE, "utf8"));
  for (const width of [1400, 800, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const label of ["hold.c", "hold"]) {
        await select(page, "source-file", { label });
        await page.evaluate(() => document.querySelectorAll("#source .fold[aria-expanded=false]").forEach((button) => button.click()));
        expect(await page.locator("#source .asm.hot").count() > 1, "no instructions to look at");
        const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
        expectEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], `${label}, ${width} pixels, ${colorScheme}`);
      }
    }
  }
  const [left, right] = await page.evaluate(() => {
    const { left: start, right: end } = document.querySelector("#source .asm.hot .code b").getBoundingClientRect();
    return [start, end];
  });
  expect(left > 0 && right <= 390, `what is called is in sight on a phone: ${left} to ${right}`);
}

await runTests(opens, showsHostileNames, showsStripped, passesAxe);
