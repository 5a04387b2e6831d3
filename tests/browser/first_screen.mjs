#!/usr/bin/env node
// What the first screen of pages says: first_screen.mjs "FILE<tab>PATTERN"... For each a line of JSON: rows of the graph below its
// trunk, seen and at all; what can be read, as far as it is seen; how names are told that match the pattern as wholes.
import { Browser } from "./browser.mjs";

export const WINDOW = { width: 1400, height: 900 };

// Notes what is written on canvases, before the page does.
const noteTexts = () => {
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  window.written = new Map(); // canvas -> [text, y]
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    if (!window.written.has(this.canvas)) window.written.set(this.canvas, []);
    window.written.get(this.canvas).push([String(text), this.getTransform().transformPoint({ x, y }).y]);
    return fillText.call(this, text, x, y, ...rest);
  };
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    window.written.delete(this.canvas);
    return clearRect.call(this, ...area);
  };
};

// Rows below the last one with a box of 99 %: those that are seen, and those there are.
const rowsBelowTrunk = () => {
  const { layout, host } = heapflame.main;
  const all = layout.rowStart.length - 1;
  const seen = Math.min(Math.floor(host.clientHeight / 18), all);
  let trunk = 0;
  for (let row = 0; row < all; row++)
    if (layout.rowNodes.subarray(layout.rowStart[row], layout.rowStart[row + 1]).some((node) => layout.width[node] >= 0.99 * layout.width[0])) trunk = row;
  return { shown: Math.max(seen - trunk - 1, 0), existing: all - trunk - 1 };
};

// Lines of text of the document and of its canvases, without what is cut.
const readTexts = () => {
  const lines = [];
  const clips = (node) => {
    const area = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflow === "visible") continue;
      const box = at.getBoundingClientRect();
      const isCut = style.textOverflow === "ellipsis" && at.scrollWidth > at.clientWidth;
      area.left = Math.max(area.left, box.left);
      area.top = Math.max(area.top, box.top);
      area.right = Math.min(area.right, box.right - (isCut ? parseFloat(style.fontSize) : 0));
      area.bottom = Math.min(area.bottom, box.bottom);
    }
    return area;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || element.closest("script, style") || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const area = clips(element);
    const range = document.createRange();
    let seen = "";
    for (let i = 0; i < Math.min(text.data.length, 1000); i++) {
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      const box = range.getBoundingClientRect();
      if (box.left >= area.left - 1 && box.right <= area.right + 1 && box.top < area.bottom && box.bottom > area.top) seen += text.data[i];
    }
    if (seen.trim()) lines.push(seen);
  }
  for (const [canvas, texts] of window.written) {
    if (!canvas.isConnected || !canvas.checkVisibility()) continue;
    for (const [text, y] of texts) if (y >= 0 && y <= canvas.height) lines.push(text);
  }
  return lines;
};

// How names are told that match a pattern as wholes.
const namesOf = (pattern) => {
  const whole = new RegExp(`^(?:${pattern})$`);
  const { look, profile: { head, names } } = heapflame;
  return names.slice(1, head.names).flatMap((name, i) => (whole.test(name) ? [name, look.nameOf(i + 1)] : []));
};

export async function lookAt(browser, file, pattern = "") {
  const page = await browser.chromium.newPage({ viewport: WINDOW });
  page.setDefaultTimeout(300000);
  await page.addInitScript(noteTexts);
  await page.goto(`file://${file}`);
  await page.waitForSelector("body[data-ready]");
  await page.waitForFunction(() => window.written.size > 0 && heapflame.main.drawnBoxes > 0);
  const found = { file, ...await page.evaluate(rowsBelowTrunk), texts: await page.evaluate(readTexts), names: pattern ? await page.evaluate(namesOf, pattern) : [] };
  if (process.env.HEAPFLAME_SHOTS) await page.screenshot({ path: `${file}.png` });
  await page.close();
  return found;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const browser = await Browser.open();
  for (const pair of process.argv.slice(2)) {
    const [file, pattern] = pair.split("\t");
    console.log(JSON.stringify(await lookAt(browser, file, pattern)));
  }
  await browser.close();
}
