// What the tests of the SVG share: a picture, and what is read off it.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { expect, expectEqual } from "./browser.mjs";

export { SERVICE } from "./page.mjs";

// Draws folded stacks into NAME.svg with `heapflame flame --classic`, or with another command in `options` ("answer": without --classic), checks that it is
// well-formed, and returns its address.
export function draw(name, folded, ...options) {
  const file = resolve(`${name}.svg`);
  const [command, ...rest] = options[0] === "flamegraph.pl" ? options : options[0] === "answer" ? ["flame", ...options.slice(1)] : ["flame", "--classic", ...options];
  const done = spawnSync("heapflame", [command, "-", "-o", file, ...rest], { input: folded, encoding: "utf8", maxBuffer: 1 << 28 });
  expectEqual(done.status, 0, `${name}: ${done.stderr}`);
  const size = statSync(file).size;
  const lint = spawnSync("xmllint", ["--noout", "--huge", file], { encoding: "utf8" });
  expect(!lint.error, "xmllint is missing (script/bootstrap test installs it)");
  expectEqual(lint.status, 0, `${name}: ${lint.stderr}`);
  if (folded.length > 100000) expect(size < 10 * folded.length, `${name}: ${size} bytes of ${folded.length}`);
  return `file://${file}`;
}

// A picture whose frames answer.
export async function open(browser, url) {
  const page = await browser.page(url);
  await page.waitForSelector("#frames.live");
  return page;
}

// Every frame that has a box as it stands on the page.
export function framesOf(page) {
  return page.evaluate(() => Array.from(document.querySelectorAll("#frames > g"), (g) => {
    const [rect, released] = g.querySelectorAll("rect");
    const text = g.querySelector("text");
    const [start, width, less] = g.dataset.v.split(" ");
    const number = (name, element = rect) => Number(element.getAttribute(name));
    return {
      title: g.querySelector("title").textContent,
      name: g.querySelector("title").textContent.replace(/ \([^(]*\)$/, ""),
      start, exact: width, less,
      x: number("x"), y: number("y"), width: number("width"), fill: rect.getAttribute("fill"),
      released: released ? number("width", released) : 0,
      releasedEnd: released ? number("x", released) + number("width", released) : 0,
      shown: g.getAttribute("class") || "",
      text: text ? text.textContent : "",
      textWidth: text ? text.getComputedTextLength() : 0,
    };
  }));
}

export const details = (page) => page.textContent("#details");
export const matched = (page) => page.textContent("#matched");

export async function click(page, name) {
  const at = await page.evaluate((start) => Array.from(document.querySelectorAll("#frames > g > title"))
    .findIndex((title) => title.textContent.startsWith(start)), `${name} (`);
  expect(at >= 0, `there is no frame ${name}`);
  await page.locator("#frames > g").nth(at).locator("rect").last().click();
}

export async function search(page, term) {
  await page.keyboard.press("Control+f");
  await page.keyboard.type(term);
  await page.keyboard.press("Enter");
}

// Many stacks of 12 frames, the same ones each time.
export function manyStacks(count) {
  let random = 1;
  const next = (below) => (random = random * 48271 % 2147483647) % below;
  return Array.from({ length: count }, () =>
    `${Array.from({ length: 12 }, (_, level) => `f${level}_${next(2 + level)}`).join(";")} ${1 + next(1000)}\n`).join("");
}
