#!/usr/bin/env node
// The SVG flame graph in real Chromium: zoom, search, links, hostile names and options, very deep and very long.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, expectEqual, runTests } from "../browser/browser.mjs";
import { SERVICE, click, details, draw, framesOf, matched, open, search } from "../browser/svg.mjs";

// What "Matched" has to say: the union of the hits' intervals in the zoomed frame, computed another way.
function expectedMatch(frames, expression, zoomedName) {
  const zoomed = frames.find((frame) => frame.name === zoomedName);
  const from = BigInt(zoomed.start), to = from + BigInt(zoomed.exact);
  const spans = frames.filter((frame) => expression.test(frame.name)).map((frame) => {
    const start = BigInt(frame.start), end = start + BigInt(frame.exact);
    return [start < from ? from : start, end > to ? to : end];
  }).filter(([start, end]) => start < end).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  let sum = 0n, reached = from;
  for (const [start, end] of spans) {
    if (end > reached) sum += end - (start > reached ? start : reached);
    if (end > reached) reached = end;
  }
  const percent = Number(sum * 1000000n / (to - from)) / 10000;
  return `Matched: ${percent === 100 ? "100" : percent.toFixed(2)}%`;
}

function expectTextFits(frames) {
  for (const frame of frames.filter((one) => one.shown !== "hide"))
    expect(frame.textWidth <= frame.width, `"${frame.text}" is ${frame.textWidth} px in ${frame.width} px`);
}

async function zooms(browser) {
  const page = await open(browser, draw("zoom", SERVICE, "--nametype", "Funktion:"));
  const before = await framesOf(page);
  expectTextFits(before);
  const resting = await details(page);
  expect(/^Width: samples, 81,839,841 in all/.test(resting), resting);
  expect(!(await page.isVisible("#unzoom")) && (await page.isVisible("#search")), "the wrong buttons are shown");
  await page.hover('#frames > g:has(title:text-matches("^process_leak"))');
  expectEqual(await details(page), "Funktion: process_leak (52,428,800 samples, 64.06%)", "hover");
  await page.mouse.move(600, 5);
  expectEqual(await details(page), resting, "details after hovering");

  await click(page, "init");
  const zoomed = await framesOf(page);
  const of = (name) => zoomed.find((frame) => frame.name === name);
  for (const name of ["all", "main"])
    expectEqual([of(name).shown, of(name).x, of(name).width], ["parent", 10, 1180], name);
  expectEqual([of("init").shown, of("init").x, of("init").width], ["", 10, 1180], "the zoomed frame");
  expectEqual([of("json_object_set").x, of("json_object_set").width], [10, 786.7], "in the zoomed frame");
  expectEqual(of("json_object_set").text, "json_object_set", "text in the zoomed frame");
  expectEqual(zoomed.filter((frame) => frame.shown !== "hide").map((frame) => frame.name),
    ["all", "main", "init", "json_parse", "json_object_set", "json_string"], "what is left");
  expectTextFits(zoomed);
  expect(new URL(page.url()).searchParams.has("x"), "the link does not say where");
  const link = page.url();

  await click(page, "main");
  const wider = await framesOf(page);
  expectEqual(wider.find((frame) => frame.name === "main").width, 1180, "zoom to an ancestor");
  expect(wider.find((frame) => frame.name === "serve").shown === "", "a sibling comes back");
  await page.click("#unzoom");
  const geometry = (frames) => frames.map((one) => [one.name, one.x, one.y, one.width, one.text, one.fill]);
  expectEqual(geometry(await framesOf(page)), geometry(before), "after Reset Zoom");
  expectEqual(new URL(page.url()).search, "", "the link after Reset Zoom");

  const again = await open(browser, link);
  expectEqual((await framesOf(again)).find((frame) => frame.name === "init").width, 1180, "by its link");
  const stale = await open(browser, `${link.split("?")[0]}?x=1&y=2`);
  expectEqual(await details(stale), "The link's frame is not in this picture.", "a stale link");
}

async function searches(browser) {
  const url = draw("search", SERVICE);
  const page = await open(browser, url);
  const frames = await framesOf(page);
  const matches = (expression, zoomed) => page.waitForFunction(
    (text) => document.getElementById("matched").textContent === text, expectedMatch(frames, expression, zoomed),
  ).catch(async () => { throw new Error(`${expression} in ${zoomed}: ${await matched(page)}, not ${
    expectedMatch(frames, expression, zoomed)}`); });
  const hits = async () => (await framesOf(page)).filter((frame) => frame.fill === "rgb(230,0,230)")
    .map((frame) => frame.name);

  await search(page, "json|cache_fill|lru");
  await matches(/json|cache_fill|lru/, "all");
  expectEqual(await hits(), ["json_parse", "json_object_set", "json_string", "cache_fill", "lru_put", "json_string"],
    "frames that match");
  expectEqual(await page.textContent("#search"), "Reset Search", "the button");
  await click(page, "handle");
  await matches(/json|cache_fill|lru/, "handle");
  await click(page, "lru_put");
  expectEqual(await matched(page), "Matched: 100%", "below a hit");
  await page.click("#unzoom");
  await matches(/json|cache_fill|lru/, "all");
  await page.click("#search");
  expectEqual([await matched(page), await hits(), new URL(page.url()).search], [" ", [], ""], "after Reset Search");

  await search(page, "^drain");
  await matches(/^drain/, "all");
  await page.keyboard.press("Control+i");
  await matches(/^drain/i, "all");
  await page.click("#ignorecase");
  await matches(/^drain/, "all");
  await page.click("#search");
  await search(page, "52,428");
  await matches(/52,428/, "all"); // numbers are not names

  const linked = await open(browser, `${url}?s=process_`);
  await linked.waitForFunction(() => document.getElementById("matched").textContent === "Matched: 64.06%");
}

// A link may hold any expression: the page says so, and lives.
async function survivesBadExpressions(browser) {
  const url = draw("expressions", `${SERVICE}main;${"a".repeat(32)}! 5000000\n`);
  const broken = await open(browser, `${url}?s=[`);
  expect(/^Not a regular expression: .*: \[$/.test(await details(broken)), `?s=[: ${await details(broken)}`);
  const slow = await open(browser, `${url}?s=${encodeURIComponent("^(a+)+$")}`);
  const start = Date.now();
  await click(slow, "main");
  await slow.click("#unzoom");
  expect(Date.now() - start < 90000, `the page was busy for ${Date.now() - start} ms`); // instead of hours
  await slow.waitForFunction(() => document.getElementById("details").textContent.startsWith("This expression takes too long"));
  await slow.click("#search");
  await search(slow, "process_leak");
  await slow.waitForFunction(() => document.getElementById("matched").textContent.startsWith("Matched: 6"));
}

async function executesNothing(browser) {
  const evil = ["</title><script>window.hit=1</script>", "<img src=x onerror=window.hit=1>", "\" onclick=\"window.hit=1",
    "]]><script>window.hit=1</script>", "' onload='window.hit=1", "&lt;script&gt;", "javascript:window.hit=1",
    "\u202eevil\u202c", "\u0001\u001b[2J", "\ufffe", "a\u200bb", "--><script>window.hit=1</script>"];
  const names = Buffer.concat([Buffer.from(evil.map((name) => `${name.replace(/;/g, ",")} 100\n`).join("")),
    Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x20, 0x31, 0x30, 0x30, 0x0a])]);
  const text = evil.slice(0, 8).join(" ");
  const url = draw("hostile", names, "--title", text, "--subtitle", text, "--notes", text, "--countname", text,
    "--nametype", text);
  const page = await open(browser, `${url}?s=${encodeURIComponent(text)}&x=${encodeURIComponent(text)}&y=1`);
  const frames = await framesOf(page);
  expectEqual(frames.length, evil.length + 2, "frames");
  expect(frames.some((frame) => frame.title.startsWith("\\xff\\xfe\\xc3(")), "broken UTF-8 is not shown");
  expect(frames.some((frame) => frame.title.startsWith("\\u{202e}evil")), "a bidi override is not shown");
  for (let i = 0; i < frames.length; i++) {
    await page.locator("#frames > g > rect").nth(i).click();
    if (i > 0) await page.locator("#unzoom").click(); // the first is all of it: no zoom
  }
  await search(page, "<script>");
  await page.waitForFunction(() => document.getElementById("matched").textContent.startsWith("Matched"));
  expectEqual(await page.evaluate(() => [window.hit, document.querySelectorAll("script, img, a").length]), [null, 1],
    "what ran, what was made");
}

async function takesExtremes(browser) {
  const deep = await open(browser, draw("deep", `${Array.from({ length: 50000 }, (_, i) => `f${i % 7}`).join(";")} 10\n`));
  expectEqual(await deep.textContent("#toodeep"), "48,017 frames deeper than 1,983 levels are not drawn", "the note");
  const frames = await framesOf(deep);
  expectEqual(frames.length, 1984, "levels drawn");
  await deep.locator("#frames > g > rect").nth(1000).click();
  expectEqual((await framesOf(deep)).filter((frame) => frame.shown === "parent").length, 1000, "ancestors");

  const long = await open(browser, draw("long", `main;${"A".repeat(5 << 20)} 10\nmain;b 5\n`));
  const title = (await framesOf(long))[2].title;
  expect(/^A{512}\u2026\[name of 5,242,880 bytes\] \(10 samples, 66\.67%\)$/.test(title), title.slice(500));
  expectTextFits(await framesOf(long));

}

async function drawsDifferences(browser) {
  writeFileSync("before.folded", "main;stay 50331648\nmain;serve;cache_fill 157286400\nmain;init 2097152\n");
  const after = `main;stay 50331648
main;serve;process_leak 104857600
main;serve;cache_fill;lru_put 12582912
loop;grow 6291456
`;
  const page = await open(browser, draw("difference", after, "--base", "before.folded"));
  expectEqual(await page.textContent("#difference"),
    "A 209,715,200 \u2192 B 174,063,616: grew 123,731,968, released 159,383,552, net \u221235,651,584 samples", "sums");
  expect(await page.isVisible("#legend"), "no legend");
  const frames = await framesOf(page);
  const all = frames[0];
  expectEqual(all.title, "all (+123,731,968 samples grew, \u2212159,383,552 released, net \u221235,651,584, 100%)", "all");
  expectEqual(all.released, 664.3, "the released part of all");
  expectEqual(all.releasedEnd, 1190, "its end");
  // What a frame's children do never exceeds what it does, and leaves add up to the whole.
  for (const frame of frames) {
    const inside = frames.filter((one) => Math.abs(Math.abs(one.y - frame.y) - 16) < 0.1 &&
      BigInt(one.start) >= BigInt(frame.start) &&
      BigInt(one.start) + BigInt(one.exact) <= BigInt(frame.start) + BigInt(frame.exact) && one.y < frame.y);
    const released = inside.reduce((sum, one) => sum + BigInt(one.less), 0n);
    expect(released <= BigInt(frame.less), `${frame.name}: its children released more than it did`);
  }
  await click(page, "cache_fill");
  const zoomed = (await framesOf(page)).find((frame) => frame.name === "cache_fill");
  expectEqual([zoomed.width, zoomed.released, zoomed.text], [1180, 1092.6, "\u00b1 cache_fill"], "zoomed");
}

// Image viewers and code hosts run no script: the picture has to do.
async function readsWithoutScript(browser) {
  const url = draw("plain", SERVICE);
  const page = await browser.page(url, { javaScriptEnabled: false });
  for (const id of ["title", "details", "frames"]) expect(await page.isVisible(`#${id}`), `${id} is not shown`);
  for (const id of ["search", "unzoom", "ignorecase"])
    expect(!(await page.isVisible(`#${id}`)), `${id} is shown, and does nothing`);
  writeFileSync("page.html", '<!DOCTYPE html><img src="plain.svg">');
  const holder = await browser.chromium.newPage();
  await holder.goto(`file://${resolve("page.html")}`);
  expectEqual(await holder.evaluate(() => [document.images[0].naturalWidth, document.images[0].complete]), [1200, true],
    "as an image");
}

await runTests(zooms, searches, survivesBadExpressions, executesNothing, takesExtremes, drawsDifferences, readsWithoutScript);
