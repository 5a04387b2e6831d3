// What the tests of the HTML page share: a profile, its page, and what is read off it.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expectEqual } from "./browser.mjs";

// Draws profiles into NAME.html and returns its address.
export function drawFiles(name, files, ...options) {
  return run(name, files, {}, options);
}

// The same of folded stacks.
export function draw(name, folded, ...options) {
  return run(name, ["-"], { input: folded }, options);
}

function run(name, profiles, input, options) {
  const file = resolve(`${name}.html`);
  const done = spawnSync("heapflame", ["flame", ...profiles, "-o", file, ...options], { ...input, encoding: "utf8" });
  expectEqual(done.status, 0, `${name}: ${done.stderr}`);
  return `file://${file}`;
}

export async function open(browser, url, options) {
  const page = await browser.page(url, options);
  await page.waitForSelector("body[data-ready]");
  return page;
}

export const SERVICE = `main;serve;handle;process_leak 52428800
main;serve;handle;cache_fill 12582912
main;serve;handle;cache_fill;lru_put 8388608
main;serve;log_line;vasprintf 204800
main;init;json_parse;json_object_set 1048576
main;init;json_parse;json_string 524288
start_thread;loop;drain;buffer_grow 6291456
start_thread;loop;Drain_Queue;json_string 268001
start_thread;loop;timer 102400
`;

// What a chart shows: every frame of a row, from left to right, as "name width".
export const rows = (page, chart = "main") => page.evaluate((which) => {
  const { layout } = heapflame[which];
  return Array.from({ length: layout.rowStart.length - 1 }, (_, row) =>
    Array.from(layout.rowNodes.subarray(layout.rowStart[row], layout.rowStart[row + 1]).filter((node) => node === 0 || layout.width[node] > 0),
      (node) => `${heapflame.profile.names[layout.tree.name[node]]} ${layout.width[node]}`));
}, chart);

// Something of the settings, which are opened for it.
async function inSettings(page, id, act) {
  const control = page.locator(`#${id}`);
  const isInside = await page.evaluate((of) => document.getElementById(of).closest("#settings") !== null, id);
  if (isInside) await page.evaluate(() => document.getElementById("settings").showPopover());
  await act(control);
  if (isInside) await page.evaluate(() => document.getElementById("settings").hidePopover());
}

export const select = (page, id, value) => inSettings(page, id, (control) => control.selectOption(value));
export const tick = (page, id, isOn = true) => inSettings(page, id, (control) => control.setChecked(isOn));

// Whether the settings offer it.
export async function isOffered(page, id) {
  let isShown = false;
  await inSettings(page, id, async (control) => { isShown = await control.isVisible(); });
  return isShown;
}

// The graph with the root at the bottom.
export const flame = (url) => `${url}#v=flame`;

export const details = (page) => page.textContent("#details");

// Gives the focus to a frame by its path.
export async function focus(page, ...path) {
  await page.focus("#main");
  await page.evaluate((names) => {
    const { main, profile } = heapflame;
    const { tree } = main.layout;
    let node = 0;
    for (const name of names)
      for (let i = 1; i < tree.count; i++) if (tree.parent[i] === node && profile.names[tree.name[i]] === name) { node = i; break; }
    main.focus(node);
  }, path);
}

// What the menu of the focused frame offers.
export async function choose(page, title) {
  await page.keyboard.press("m");
  await page.locator("#menu").getByRole("menuitem", { name: title }).click();
}

// What an item of it copies.
export async function copied(page, title, what) {
  await choose(page, title);
  await page.waitForFunction((text) => document.getElementById("spoken").textContent === text, `copied ${what}`);
  return page.evaluate(() => navigator.clipboard.readText());
}

export { runTests } from "./browser.mjs";
