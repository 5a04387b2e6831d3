#!/usr/bin/env node
// Hostile links and names in the HTML flame graph: nothing of them runs, every view is shown within seconds, and nothing is
// complained of.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { utimesSync, writeFileSync } from "node:fs";
import { expect, expectEqual } from "../browser/browser.mjs";
import { details, draw, drawFiles, focus, open, runTests } from "../browser/page.mjs";

const SCRIPT = "</script><script>window.hit=1</script><img src=x onerror=window.hit=1>";
const VIEWS = { icicle: "main", flame: "main", icicle: "main", reverse: "main", heavy: "main", sandwich: "sandwich", table: "table", suspects: "suspects" };
const PATIENCE_MS = 20000; // of a loaded machine; what freezes takes minutes

const KEYS = ["v", "t", "s", "p", "f", "k", "r", "w", "c", "theme", "thread", "size", "lifetime", "plain", "case", "normalised", "long", "z", "o", "flat"];
const VALUES = ["", SCRIPT, "javascript:window.hit=1", "%", "%zz%80%ff%c0%ae", "%00%0d%0a", "%e2%80%ae%f3%a0%81%81", "99999999999999999999999",
  "99999999999999999999999-1e999", "-1", "0x10", "NaN", "__proto__", "constructor", "toString", "a".repeat(50000), "(a%2b)%2b$", "["];
const FILTERS = ["in=", "out=", "hide=", "recursion=", "in@", "hide@", "in/p/", "out/c/", "hide//", "recursion/pc/", "modules", "__proto__=", "in~", "hide~"];

// Points of a series: what each stack holds, and what it gains from point to point.
function series(name, stacks) {
  return [0, 1, 2].map((point) => {
    const file = `${name}-${point}.folded`;
    writeFileSync(file, Buffer.concat(stacks.map((stack) => Buffer.concat([stack, Buffer.from(` ${1000 + 900 * point}\n`)]))));
    utimesSync(file, 1795300000 + 60 * point, 1795300000 + 60 * point);
    return file;
  });
}

// Every view shows its section, and nothing but the page's own scripts ran.
async function showsAllViews(page, what) {
  for (const [view, section] of Object.entries(VIEWS)) {
    await page.evaluate((of) => heapflame.setView(of), view);
    const shown = await page.evaluate(() => [...document.querySelectorAll("main > section")].filter((of) => !of.hidden).map(({ id }) => id));
    expectEqual(shown, [section], `${what}: sections of ${view}`);
  }
  expectEqual(await page.evaluate(() => [window.hit, document.scripts.length]), [null, 4], `${what}: what ran`);
}

async function follows(browser, address, hash) {
  const page = await open(browser, `${address}#${hash}`);
  page.setDefaultTimeout(PATIENCE_MS);
  const what = hash.slice(0, 60);
  const shown = await page.evaluate(() => [heapflame.state.view, heapflame.state.type, document.querySelectorAll("main > section:not([hidden])").length]);
  expect(shown[0] in VIEWS && Object.hasOwn(VIEWS, shown[0]), `${what}: a view ${shown[0]}`);
  expectEqual(shown[2], 1, `${what}: sections`);
  await showsAllViews(page, what);
  await page.close();
}

async function followsHostileLinks(browser) {
  const address = drawFiles("hostile-links", series("link", [Buffer.from("main;leak"), Buffer.from("main;serve;__proto__")]), "--series");
  for (const value of VALUES) await follows(browser, address, KEYS.map((key) => `${key}=${value}`).join("&"));
  for (const key of KEYS) await follows(browser, address, `${key}=__proto__`);
  await follows(browser, address, FILTERS.map((filter) => `k=${encodeURIComponent(filter + SCRIPT)}`).join("&"));
  await follows(browser, address, "k=recursion&".repeat(200));
  await follows(browser, address, "%&=&&#?=%25%&__proto__=1&constructor=2&".repeat(1000));
}

const LONG = 1 << 20;

async function survivesHostileNames(browser) {
  const names = [SCRIPT, "\u202eevil\u2066\u202c", "\u0001\u001b[2J\u0007", "__proto__", "constructor", "hasOwnProperty", "all", "leak:*",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", "e\u0301".repeat(5000), "\ud83d\udd25".repeat(100), "a".repeat(LONG),
    "<".repeat(LONG), "f(".repeat(LONG / 2), "operator<".repeat(LONG / 8), "::".repeat(LONG / 2), "x<y>".repeat(LONG / 4)];
  const stacks = [...names.map((name) => Buffer.from(`main;${name}`)), Buffer.from([0xff, 0xfe]), Buffer.from(`${names.slice(0, 9).join(";")}`)];
  for (const kept of [stacks.slice(0, 9), stacks.slice(9)]) {
    const address = drawFiles("hostile-names", series("<img src=x onerror=window.hit=1>\u202e", kept), "--series", "--title", SCRIPT, "--subtitle", SCRIPT);
    const page = await open(browser, address, { permissions: ["clipboard-read", "clipboard-write"] });
    page.setDefaultTimeout(PATIENCE_MS);
    await showsAllViews(page, "names");
    for (const slider of ["From", "To", "From"]) {
      await page.getByRole("slider", { name: slider }).fill("1");
      await showsAllViews(page, `slider ${slider}`);
    }
    await page.click("button[data-view=Suspects]");
    for (const more of await page.locator("#suspects li .more:visible").all()) await more.click();
    const buttons = page.locator("#suspects li .buttons button");
    for (let i = await buttons.count(); i-- > 0; ) {
      await page.click("button[data-view=Suspects]");
      await buttons.nth(i).click();
    }
    await page.close();
  }
}

// A name that is read from right to left does not turn round the numbers behind it, no letter is cut in two, and a long name leaves
// room for the rest.
async function keepsTextInOrder(browser) {
  const [hebrew, fires, long] = ["\u05e9\u05dc\u05d5\u05dd", "\ud83d\udd25".repeat(40), "long_".repeat(2000)];
  const page = await open(browser, draw("order", `main;${hebrew} 900\nmain;${fires} 500\nmain;${long} 800\n`));
  await page.addInitScript(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    window.written = [];
    CanvasRenderingContext2D.prototype.fillText = function (...all) {
      window.written.push(all[0]);
      fillText.apply(this, all);
    };
  });
  await page.reload();
  await page.waitForFunction((text) => window.written?.includes(text), `\u2068${hebrew}\u2069  900  41 %`);
  const halves = await page.evaluate((name) => {
    const { look, main: { layout }, profile: { names } } = heapflame;
    const node = [...layout.tree.name].indexOf(names.indexOf(name));
    return Array.from({ length: 40 }, (_, room) => look.label(layout, node, room)).filter((text) => !text.isWellFormed());
  }, fires);
  expectEqual(halves, [], "half letters");
  await focus(page, "main", hebrew);
  expect((await details(page)).startsWith(`\u2068${hebrew}\u2069: 900 `), await details(page));
  const chips = await page.locator("#chips button").evaluateAll((all) => all.map((chip) => [chip.scrollWidth <= chip.clientWidth + 1, getComputedStyle(chip.querySelector("bdi")).textOverflow]));
  expect(chips.length === 4 && chips.every(([fits, end]) => fits && end === "ellipsis"), `the legend: ${JSON.stringify(chips)}`);
  const phone = await open(browser, `${page.url().split("#")[0]}#v=suspects`, { viewport: { width: 390, height: 700 } });
  const high = await phone.locator("#suspects li", { hasText: "long_" }).first().evaluate((item) => item.getBoundingClientRect().height);
  expect(high < 500, `a suspect with a long name is ${high} px high`);
}

await runTests(followsHostileLinks, survivesHostileNames, keepsTextInOrder);
