#!/usr/bin/env node
// The filters of the HTML flame graph in real Chromium, compared with those of the command line; its menus; what is copied.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, expectEqual } from "../browser/browser.mjs";
import { choose, copied, details, draw, flame, focus, open, rows, runTests, SERVICE } from "../browser/page.mjs";

const RECURSIVE = "main;walk;walk;walk;leaf 100\nmain;walk;leaf 30\nmain;walk;walk 7\nmain;other;walk;other;walk 5\nall;leaf 3\n";

const permissions = ["clipboard-read", "clipboard-write"];
const pills = (page) => page.locator("#filters li span").allTextContents();
const left = (page) => page.textContent("#filters output");
const tableOf = async (page) => {
  await page.keyboard.press("6");
  return page.locator("#table tbody tr").allInnerTexts();
};

// What the command line says of the same stacks.
function fold(folded, ...options) {
  const done = spawnSync("heapflame", ["fold", "-", ...options], { input: folded, encoding: "utf8" });
  expectEqual(done.status, 0, done.stderr);
  return done.stdout;
}

// Gives a frame of the main chart the focus, by its path.
// All stacks that are left, as folded text.
async function folded(page) {
  await page.keyboard.press("1");
  await focus(page);
  return copied(page, "Copy as folded stacks", "folded stacks");
}

async function filtersLikeTheCommandLine(browser) {
  const page = await open(browser, draw("filters", SERVICE), { permissions });
  expectEqual(await folded(page), fold(SERVICE), "no filter");
  await focus(page, "main", "serve", "handle", "cache_fill");
  await page.keyboard.press("i");
  expectEqual(await pills(page), ["keep stacks with cache_fill"], "pills");
  expectEqual(await left(page), "20,971,520 left, 25.63 % of the profile", "left");
  expectEqual(await folded(page), fold(SERVICE, "--focus", "^cache_fill$"), "in");
  expectEqual(await tableOf(page), ["cache_fill\t12,582,912\t60 %\t20,971,520\t100 %",
    "lru_put\t8,388,608\t40 %\t8,388,608\t40 %", "handle\t\t\t20,971,520\t100 %",
    "main\t\t\t20,971,520\t100 %", "serve\t\t\t20,971,520\t100 %"], "table");
  await page.keyboard.press("3");
  expectEqual((await rows(page))[1], ["cache_fill 12582912", "lru_put 8388608"], "reverse");
  const again = await open(browser, page.url());
  expectEqual(await left(again), "20,971,520 left, 25.63 % of the profile", "by its link");
  await page.keyboard.press("u");
  expectEqual(await pills(page), [], "undone");
  await page.keyboard.press("1");
  await focus(page, "main");
  await page.keyboard.press("o");
  expectEqual(await folded(page), fold(SERVICE, "--ignore", "^main$"), "out");
  await focus(page, "start_thread", "loop");
  await page.keyboard.press("h");
  expectEqual(await folded(page), fold(SERVICE, "--ignore", "^main$", "--exclude", "^loop$"), "out, then hidden");
  expectEqual(await pills(page), ["drop stacks with main", "hide loop"], "both");
  await page.getByRole("button", { name: "remove: drop stacks with main" }).click();
  expectEqual(await folded(page), fold(SERVICE, "--exclude", "^loop$"), "hidden");
}

async function undoesAndRedoes(browser) {
  const page = await open(browser, draw("undo", SERVICE));
  for (const [key, ...path] of [["i", "main"], ["h", "main", "serve"], ["o", "main", "init"]]) {
    await focus(page, ...path);
    await page.keyboard.press(key);
  }
  const all = ["keep stacks with main", "hide serve", "drop stacks with init"];
  const expectPills = async (count, what) => expectEqual(await pills(page), all.slice(0, count), what);
  await expectPills(3, "all");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("u");
  await expectPills(1, "two undone");
  await page.keyboard.press("Control+Shift+Z");
  await expectPills(2, "one redone");
  await page.keyboard.press("U");
  await page.keyboard.press("U");
  await expectPills(3, "all redone, and no more");
  expect((await details(page)).startsWith("all: 73,605,120"), await details(page));
  await page.getByRole("button", { name: "Undo" }).click();
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  expectEqual([await pills(page), new URL(page.url()).hash], [[], ""], "nothing left");
}

async function collapsesRecursion(browser) {
  const page = await open(browser, draw("recursion", RECURSIVE), { permissions });
  const table = await tableOf(page);
  await page.keyboard.press("1");
  await focus(page, "main");
  await page.keyboard.press("r");
  expectEqual(await folded(page), "all;leaf 3\nmain;other;walk;other;walk 5\nmain;walk 7\nmain;walk;leaf 130\n", "all");
  expectEqual(await tableOf(page), table, "every function keeps its sums");
  await page.keyboard.press("u");
  await page.keyboard.press("1");
  await focus(page, "main", "walk");
  await choose(page, "Collapse its recursion");
  expectEqual(await pills(page), ["collapse recursion of walk"], "of one function");
  await focus(page, "all");
  await page.keyboard.press("o");
  expectEqual(await left(page), "142 left, 97.93 % of the profile", "a function called all is not the root");
}

async function filtersByTheSearch(browser) {
  const page = await open(browser, draw("by-search", SERVICE), { permissions });
  expect(await page.locator("#hits").isDisabled(), "a filter without a search");
  await page.fill("#search", "json|drain");
  await page.locator("#hits:enabled").click();
  await page.getByRole("menuitem", { name: "Drop stacks with a hit" }).click();
  await page.waitForSelector("#filters li"); // the expression runs in a worker
  expectEqual(await pills(page), ["drop stacks with /json|drain/i"], "pills");
  await page.fill("#search", "");
  expectEqual(await folded(page), fold(SERVICE, "--ignore", "(?i)json|drain"), "by an expression");
  const again = await open(browser, page.url(), { permissions });
  expectEqual(await folded(again), fold(SERVICE, "--ignore", "(?i)json|drain"), "by its link");
  const address = page.url().split("#")[0];
  const links = { "in//[": /keep stacks with \/\[\/i: not a regular expression/,
    "in/p/[": /keep stacks with "\["$/, "hide/c/^(a+)+$": /takes too long/ };
  for (const [filter, expected] of Object.entries(links)) {
    const slow = draw("slow-filter", `${SERVICE}main;${"a".repeat(40)}! 5000000\n`);
    const bad = await open(browser, `${filter.includes("+") ? slow : address}#k=${encodeURIComponent(filter)}&k=nonsense`);
    expect((await pills(bad)).length === 1 && expected.test((await pills(bad))[0]), `${filter}: ${await pills(bad)}`);
  }
}

async function opensMenus(browser) {
  const page = await open(browser, flame(draw("menus", SERVICE)), { permissions });
  const box = await page.locator("#main").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 45, { button: "right" });
  expectEqual(await page.getAttribute("#menu", "aria-label"), "serve", "what was clicked");
  await page.keyboard.press("ArrowUp");
  expectEqual(await page.evaluate(() => document.activeElement.textContent), "Copy as folded stacks", "the last");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  expect((await details(page)).startsWith("serve: "), "zoomed");
  await page.keyboard.press("ContextMenu");
  expect(await page.isVisible("#menu"), "no menu by its key");
  await page.keyboard.press("Escape");
  expect(!await page.isVisible("#menu"), "the menu stays");
  expectEqual(await page.evaluate(() => document.activeElement.id), "main", "focus");
  await page.keyboard.press("3");
  await focus(page, "json_string", "json_parse");
  expectEqual(await copied(page, "Copy the stack", "the stack"), "json_string\njson_parse\n", "stack from the leaf");
  expectEqual(await copied(page, "Copy as folded stacks", "folded stacks"), "main;init;json_parse;json_string 524288\n", "subset");
  expectEqual(await copied(page, "Copy its name", "the name"), "json_parse", "name");
  await choose(page, "Callers and callees");
  expectEqual(await page.textContent("#picked"), "json_parse", "sandwich");
  await page.keyboard.press("6");
  await page.getByRole("button", { name: "timer", exact: true }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Keep only stacks with it" }).click();
  expectEqual(await page.locator("#table tbody tr").count(), 3, "by the table's menu");
  const long = `std::map<int, long, std::less<int>>::at(int const&) ${"const ".repeat(20)}\u05d0  end`; // as it is, however it is shown
  const whole = await open(browser, draw("menus-long", `main;${long} 5\n`), { permissions });
  await focus(whole, "main", long);
  expectEqual(await copied(whole, "Copy its name", "the name"), long, "a long name");
  expectEqual(await copied(whole, "Copy the stack", "the stack"), `${long}\nmain\n`, "a stack with it");
}

async function filtersDifferences(browser) {
  writeFileSync("base.folded", "main;stay 500\nmain;serve;cache 1500\nmain;\ud83d\ude00;\uff5e 4\n");
  const after = "main;stay 510\nmain;serve;leak 900\nmain;serve;cache;lru 100\nmain;\ud83d\ude00;\uff5e 9\nmain;\uff5e 1\n";
  const page = await open(browser, draw("filter-difference", after, "--base", "base.folded"), { permissions });
  expectEqual(await folded(page), fold(after, "--base", "base.folded"), "all");
  await focus(page, "main", "serve");
  await page.keyboard.press("i");
  expectEqual(await left(page), "+1,000 \u22121,500 left, 99.36 % of the profile", "both sums");
  expectEqual(await folded(page), fold(after, "--base", "base.folded", "--focus", "^serve$"), "in");
}

await runTests(filtersLikeTheCommandLine, undoesAndRedoes, collapsesRecursion, filtersByTheSearch, opensMenus, filtersDifferences);
