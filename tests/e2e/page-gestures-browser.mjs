#!/usr/bin/env node
// Ranges of the HTML flame graph: marked with the mouse, pinched and moved with fingers, zoomed with Ctrl and the wheel.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { expect, expectEqual } from "../browser/browser.mjs";
import { details, draw, flame, open, runTests } from "../browser/page.mjs";

// Ten functions, a tenth of the width each.
const TENTHS = Array.from({ length: 10 }, (_, i) => `main;part_${i};leaf 100\n`).join("");

// The range shown, in percent of all.
const range = (page) => page.evaluate(() => {
  const { from, to } = heapflame.main.seenRange();
  return [Math.round(from / 10), Math.round(to / 10)];
});

async function drag(page, from, to) {
  const { x, y, width, height } = await page.locator("#main").boundingBox();
  await page.mouse.move(x + from * width, y + height - 27);
  await page.mouse.down();
  await page.mouse.move(x + ((from + to) / 2) * width, y + height - 27);
  await page.mouse.move(x + to * width, y + height - 27);
  await page.mouse.up();
}

async function marksRanges(browser) {
  const page = await open(browser, flame(draw("brush", TENTHS)));
  await page.fill("#search", "part_[135]");
  await page.waitForFunction(() => document.getElementById("matched").textContent === "3 frames, 300, 30.00 %");
  await drag(page, 0.1, 0.35);
  expectEqual(await range(page), [10, 35], "range");
  expect((await details(page)).startsWith("main: "), `the frame around it: ${await details(page)}`);
  await page.waitForFunction(() => /^2 frames, .*, 60.00 %$/.test(document.getElementById("matched").textContent));
  await page.keyboard.press("Escape");
  await page.locator("#main").focus();
  await page.keyboard.press("Escape");
  expectEqual(await range(page), [0, 100], "Esc");
  await drag(page, 0.58, 0.42);
  expectEqual(await range(page), [42, 58], "from right to left");
  await drag(page, 0.1, 0.3);
  expectEqual(await range(page), [44, 47], "a range of the range");
  expect((await details(page)).startsWith("leaf: "), `within one frame: ${await details(page)}`);
  const again = await open(browser, page.url());
  expect((await details(again)).startsWith("leaf: 100 "), `the link keeps the frame: ${await details(again)}`);
  await page.click("#reset");
  expectEqual(await range(page), [0, 100], "reset");
  const { x, y, width, height } = await page.locator("#main").boundingBox();
  await page.mouse.click(x + 0.55 * width, y + height - 45);
  expect((await details(page)).startsWith("part_5: "), `a click after it: ${await details(page)}`);
}

// Fingers by their events: [type, finger, share of the width].
const touch = (page, ...events) => page.evaluate((all) => {
  const host = document.getElementById("main");
  const { left, width, bottom } = host.getBoundingClientRect();
  for (const [type, pointerId, share] of all)
    host.dispatchEvent(new PointerEvent(type, { pointerId, pointerType: "touch", clientX: left + share * width,
      clientY: bottom - 27, bubbles: true, isPrimary: pointerId === 1 }));
}, events);

async function followsFingers(browser) {
  const page = await open(browser, flame(draw("touch", TENTHS)), { hasTouch: true });
  await touch(page, ["pointerdown", 1, 0.4], ["pointerdown", 2, 0.6], ["pointermove", 1, 0.2], ["pointermove", 2, 0.8],
    ["pointerup", 1, 0.2], ["pointerup", 2, 0.8]);
  expectEqual(await range(page), [33, 67], "pinch");
  await touch(page, ["pointerdown", 1, 0.5], ["pointermove", 1, 0.8], ["pointerup", 1, 0.8]);
  expectEqual(await range(page), [23, 57], "moved");
  await touch(page, ["pointerdown", 1, 0.1], ["pointermove", 1, 0.99], ["pointerup", 1, 0.99]);
  expectEqual(await range(page), [0, 33], "not beyond the edge");
  await touch(page, ["pointerdown", 1, 0.1], ["pointerdown", 2, 0.9], ["pointermove", 1, 0.45], ["pointermove", 2, 0.55],
    ["pointerup", 1, 0.45], ["pointerup", 2, 0.55]);
  expectEqual(await range(page), [0, 100], "pinched back");
  expectEqual(await page.evaluate(() => getComputedStyle(document.getElementById("main")).touchAction), "pan-y", "scrolling");
  const { x, y, width, height } = await page.locator("#main").boundingBox();
  await page.touchscreen.tap(x + 0.35 * width, y + height - 45);
  expect((await details(page)).startsWith("part_3: "), `a tap: ${await details(page)}`);
}

async function zoomsWithTheWheel(browser) {
  const page = await open(browser, flame(draw("wheel", TENTHS)));
  const { x, y, width, height } = await page.locator("#main").boundingBox();
  await page.mouse.move(x + 0.5 * width, y + height - 27);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -139);
  await page.waitForFunction(() => heapflame.main.hasRange);
  expectEqual(await range(page), [25, 75], "in");
  await page.mouse.wheel(0, 400);
  await page.waitForFunction(() => !heapflame.main.hasRange);
  expectEqual(await range(page), [0, 100], "out");
}

await runTests(marksRanges, followsFingers, zoomsWithTheWheel);
