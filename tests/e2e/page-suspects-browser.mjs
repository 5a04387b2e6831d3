#!/usr/bin/env node
// sanitized: no, it tests what the page does in a browser
// The suspects of the HTML flame graph are those of `top --json` and `diff --json`, word for word.
// timeout: 300
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectEqual } from "../browser/browser.mjs";
import { details, draw, open, runTests, SERVICE } from "../browser/page.mjs";

const permissions = ["clipboard-read", "clipboard-write"];

function table(input, ...args) {
  const done = spawnSync("heapflame", args, { input, encoding: "utf8" });
  expectEqual(done.status, 0, done.stderr);
  return JSON.parse(done.stdout).suspects;
}

// What the page carries, in the members of the table; the stack is that of the node.
const carried = (page) => page.evaluate(() => {
  const { profile } = heapflame;
  const path = (node) => (node > 0 ? [profile.names[profile.name[node]], ...path(profile.parent[node])] : []);
  return profile.head.types[profile.head.type].suspects.map(({ node, ...suspect }) => ({ ...suspect, stack: path(node) }));
});

async function listsThoseOfTheTable(browser) {
  const page = await open(browser, draw("suspects", SERVICE), { permissions });
  const expected = table(SERVICE, "top", "--json", "-");
  expectEqual(await carried(page), expected, "suspects");
  expectEqual(expected.map((suspect) => suspect.name), ["process_leak", "cache_fill", "buffer_grow"], "who");
  await page.keyboard.press("7");
  expectEqual(await page.locator("#suspects li > p:first-of-type").allTextContents(), expected.map((suspect) => suspect.sentence), "sentences");
  expect((await page.textContent("#suspects > p")).startsWith("Ranked by size"), "how they are ranked");
  const copied = async (name, what) => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.waitForFunction((text) => document.getElementById("spoken").textContent === text, `copied ${what}`);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expectEqual(await copied("Copy the stack: cache_fill", "the stack"), "cache_fill\nhandle\nserve\nmain\n", "stack");
  expectEqual(await copied("Copy the suppression: cache_fill", "the suppression"), "leak:cache_fill\n", "suppression");
  const again = await open(browser, page.url());
  expectEqual(await again.locator("#suspects li").count(), 3, "by the link");
  await page.getByRole("button", { name: "Zoom to it: buffer_grow" }).click();
  expect((await details(page)).startsWith("buffer_grow: 6,291,456"), await details(page));
  expect((await details(await open(browser, page.url()))).startsWith("buffer_grow: "), "zoomed by the link");
  await page.keyboard.press("7");
  await page.getByRole("button", { name: "Callers and callees: cache_fill" }).click();
  expectEqual(await page.textContent("#picked"), "cache_fill", "sandwich");
}

async function ranksGrowth(browser) {
  const before = "main;serve;process_leak 100\nmain;cache 9000\nmain;steady 50000\n";
  const after = "main;serve;process_leak 5100\nmain;cache 100\nmain;steady 50000\nmain;new_one 3000\n";
  writeFileSync("older.folded", before);
  const page = await open(browser, draw("growth", after, "--base", "older.folded"));
  const expected = table(after, "diff", "--json", "older.folded", "-");
  expectEqual(await carried(page), expected, "suspects");
  expectEqual(expected.map(({ name, value }) => [name, value]), [["process_leak", 5000], ["new_one", 3000]], "what grew");
  await page.keyboard.press("7");
  expect((await page.textContent("#suspects > p")).startsWith("Ranked by growth"), "how they are ranked");
}

// In a table's fold each line of source is a frame, in a page's each function: the suspects are the same.
async function agreesOnReports(browser) {
  for (const fixture of ["leaks.memcheck", "named.heap", "service.heaptrack", "leaks.lsan"]) {
    const input = readFileSync(join(process.env.HEAPFLAME_SRC, "tests/fixtures", fixture));
    const expected = table(input, "top", "--json", "-");
    expect(expected.length > 0, `${fixture}: no suspects`);
    const page = await open(browser, draw(`report-${fixture}`, input));
    expectEqual(await carried(page), expected, fixture);
  }
}

async function saysWhenNothingStandsOut(browser) {
  const flat = Array.from({ length: 100 }, (_, i) => `f${i} 10\n`).join("");
  const page = await open(browser, draw("flat", flat));
  await page.keyboard.press("7");
  expect((await page.textContent("#suspects")).startsWith("Nothing stands out"), await page.textContent("#suspects"));
}

// Two places of one function, whose last three callers are the same: the path goes on until it tells them apart.
async function tellsTwinsApart(browser) {
  const page = await open(browser, draw("twins", "main;serve;upload;decode;read;fill;parse 5000\nmain;serve;import;decode;read;fill;parse 3000\nmain;idle 10\n"),
    { viewport: { width: 1400, height: 800 } });
  const lines = await page.locator("#answer button").evaluateAll((all) => all.map((line) => [line.querySelector(".owner").textContent, line.querySelector(".path").textContent]));
  expectEqual(lines, [["parse", "upload \u203a decode \u203a read \u203a fill \u203a"], ["parse", "import \u203a decode \u203a read \u203a fill \u203a"]], "owner and path");
}

await runTests(tellsTwinsApart, listsThoseOfTheTable, ranksGrowth, agreesOnReports, saysWhenNothingStandsOut);
