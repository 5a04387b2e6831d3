#!/usr/bin/env node
// How the HTML flame graph is designed (docs/page/design.md), counted: nothing moves under the pointer, what is named is what a
// click meets, the first screen answers, and all works by keys; in scenes that people have.
// timeout: 600
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, expectEqual } from "../browser/browser.mjs";
import { details, draw, drawFiles, focus, open, rows, runTests, SERVICE, tick } from "../browser/page.mjs";
import { moveInChromium } from "../browser/moves.mjs";
import { SCENES } from "../browser/scenes.mjs";
import { seriesFiles } from "../browser/screenshots.mjs";

const permissions = ["clipboard-read", "clipboard-write"];
const MOVES = Number(process.env.HEAPFLAME_MOVES ?? 60); // in each scene: half at the root, half zoomed; script/soak moves makes 1,000

async function neverMoves(browser) {
  await moveInChromium(browser, Object.keys(SCENES), MOVES);
}

// A move from box to box: what is told is written first, and then asked once how large it is.
async function laysOutOnce(browser) {
  const page = await open(browser, draw("moves", SERVICE));
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const layouts = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "LayoutCount").value;
  const before = await layouts();
  const moved = await page.evaluate(async () => {
    const host = document.querySelector("#main");
    const { left, top, width } = host.getBoundingClientRect();
    const told = new Set();
    for (let i = 0; i < 40; i++) {
      host.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: left + (i * 97.3) % width, clientY: top + 9 + 18 * (i % 4) }));
      told.add(document.getElementById("details").textContent);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
    return told.size;
  });
  const count = await layouts() - before;
  expect(moved > 3 && count <= 50, `${count} layouts for 40 moves over ${moved} boxes`);
  await page.evaluate(async () => {
    const host = document.querySelector("#main");
    const { left, top } = host.getBoundingClientRect();
    for (let i = 0; i < 20; i++) {
      host.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: left + 100 + i, clientY: top + 9 }));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
  });
  const within = await layouts() - before - count;
  expect(within <= 5, `${within} layouts for 20 moves within a box`);
}

// Rows below the last one that is a trunk: a box of 99 %.
const rowsBelowTrunk = (page) => page.evaluate(() => {
  const { layout, host } = heapflame.main;
  const seen = Math.min(Math.floor(host.clientHeight / 18), layout.rowStart.length - 1);
  let trunk = 0;
  for (let row = 0; row < seen; row++)
    if (layout.rowNodes.subarray(layout.rowStart[row], layout.rowStart[row + 1]).some((node) => layout.width[node] >= 0.99 * layout.width[0])) trunk = row;
  return [seen - trunk - 1, layout.rowStart.length - 1 - trunk - 1];
});

async function answersFirst(browser) {
  for (const [name, guilty] of [["small", "process_leak"], ["series", "Session::remember"], ["diff", "app.sessions.remember"], ["diff-many", "place_4711"], ["python", "json"], ["rust", "service::cache::Shard::insert"]]) {
    const { draw: drawScene, options } = SCENES[name];
    for (const viewport of [{ width: 1400, height: 800 }, { width: 800, height: 600 }]) {
      const page = await open(browser, drawScene(), { ...options, viewport });
      const [shown, existing] = await rowsBelowTrunk(page);
      expect(shown >= Math.min(5, existing), `${name}, ${viewport.width} px: ${shown} rows below the trunk`);
      const texts = await page.evaluate(() => {
        const { host, layout } = heapflame.main;
        const inBoxes = layout.rowNodes.filter((node) => layout.width[node] * host.clientWidth > 90 * layout.width[0]);
        return [document.getElementById("answer").innerText, ...Array.from(inBoxes, (node) => heapflame.look.label(layout, node, Math.floor(layout.width[node] / layout.width[0] * host.clientWidth / 7.3)))].join("\n");
      });
      expect(texts.includes(guilty), `${name}, ${viewport.width} px: ${guilty} is not on the first screen: ${texts}`);
      await page.close();
    }
  }
  const page = await open(browser, draw("answer", SERVICE));
  expectEqual(await page.locator("#answer button").allInnerTexts().then((all) => all.map((text) => text.split("\n").filter((word) => word.trim()).slice(0, 3))),
    [["50.0 MiB", "64 %", "process_leak"], ["20.0 MiB", "26 %", "cache_fill"], ["6.0 MiB", "8 %", "buffer_grow"]].map(([, share, name], i) =>
      [["52,428,800", "20,971,520", "6,291,456"][i], share, name]), "amount, share, owner");
  await page.locator("#answer button", { hasText: "buffer_grow" }).click();
  expect((await details(page)).startsWith("buffer_grow: "), await details(page));
  const long = "clang::Preprocessor::ReadOptionalMacroParameterListAndBody";
  for (const width of [1400, 800]) { // a name comes before its path
    const wide = await open(browser, draw("long", `main;a::first;b::second;c::third_of_them;${long} 900\nmain;other 90\n`), { viewport: { width, height: 600 } });
    const cut = await wide.locator("#answer .owner").evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    expectEqual([await wide.locator("#answer .owner").first().textContent(), cut], [long, []], `${width} px: owners that are cut`);
  }
}

// Of this, what is in use at the end tells a thirtieth of what was.
const SPIKE = `
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static char *spike(int deep) { return deep > 0 ? spike(deep - 1) + 1 : memset(malloc(30 << 20), 1, 30 << 20); }
__attribute__((noinline)) static char *keep(void) { return memset(malloc(1023 << 10), 1, 1023 << 10); }
char *volatile held;
int main(void)
{
    held = spike(30);
    free(held - 30);
    held = keep();
    return held[5] - 1;
}
`;

async function tellsThePeak(browser) {
  writeFileSync("spike.c", SPIKE);
  for (const command of [["gcc", "-O1", "-g", "-o", "spike", "spike.c"], ["heapflame", "run", "-q", "--exact", "-o", "spike.hfb", "--", "./spike"]]) {
    const done = spawnSync(command[0], command.slice(1), { encoding: "utf8" });
    expectEqual(done.status, 0, `${command[0]}: ${done.stderr}`);
  }
  const page = await open(browser, drawFiles("spike", ["spike.hfb"]), { viewport: { width: 1400, height: 800 } });
  const lines = () => page.locator("#answer button").evaluateAll((all) => all.map((line) => [".held", ".judged", ".owner"].map((part) => line.querySelector(part).textContent)));
  expectEqual(await lines(), [["30.0 MiB", "at the peak", "spike"], ["1023.0 KiB", "", "keep"]], "the answer");
  await page.waitForFunction(() => { // the minimap is as high as what is shown, not as the peak's stacks
    const map = document.getElementById("minimap");
    return map.getContext("2d").getImageData(5, map.height - 2, 1, 1).data[3] > 0;
  });
  await page.locator("#answer button").first().click();
  await page.waitForFunction(() => document.getElementById("details").textContent.startsWith("spike: 30.0 MiB"));
  expectEqual([await page.inputValue("#metric"), await lines()], ["peak_space", [["30.0 MiB", "", "spike"]]], "its click shows the peak");
  await page.goBack();
  await page.waitForFunction(() => document.getElementById("metric").value === "inuse_space");
  expectEqual((await lines()).length, 2, "Back");
  await page.locator("#answer button").last().click();
  expect((await details(page)).startsWith("keep: 1023.0 KiB"), await details(page));
}

async function saysWhatItIsOf(browser) {
  const page = await open(browser, drawFiles("facts", seriesFiles(), "--series"));
  expectEqual([await page.textContent("#title"), await page.textContent("#subtitle"), await page.title()],
    ["service", "+42.3 MiB \u22124.0 MiB \u00b7 2026-01-01 09:00:00 to 16:00:00 UTC \u00b7 8 profiles over time", "service"], "title");
}

const CHAIN = ["_start", "libc_start", "main", "run", "loop", "serve"];
const CHAINED = `${CHAIN.join(";")};leak 9000\n${CHAIN.join(";")};cache;fill 900\n_start;dl_init 50\nmain2;x 20\n`;

async function foldsChains(browser) {
  const page = await open(browser, draw("chain", CHAINED));
  const lines = await rows(page);
  expectEqual(lines, [["all 9970"], ["_start 9950", "main2 20"], ["dl_init 50", "cache 900", "leak 9000", "x 20"], ["fill 900"]], "rows: what hangs beside a chain stands below it");
  const label = (room) => page.evaluate((letters) => heapflame.look.label(heapflame.main.layout, heapflame.main.layout.rowNodes[1], letters), room);
  expectEqual([await label(100), await label(23), await label(8), await label(7)], ["6 frames: _start \u2026 serve", "_start \u2026", "6 frames", "_start"], "labels: where there is little room, a name says more than a number");
  const box = await page.locator("#main").boundingBox();
  await page.mouse.click(box.x + 300, box.y + 27);
  expectEqual((await rows(page)).length, 9, "a click opens it");
  expect(new URL(page.url()).hash.length < 20, `the link: ${page.url()}`);
  const again = await open(browser, page.url());
  expectEqual((await rows(again)).length, 9, "the link keeps it open");
  await focus(again, "_start", "libc_start", "main");
  await again.keyboard.press("x");
  expectEqual((await rows(again)).length, 4, "x folds it");
  await again.keyboard.press("x");
  expectEqual((await rows(again)).length, 9, "x opens it");
  await again.evaluate(() => history.back());
  await page.keyboard.press("Control+k");
  await page.keyboard.type("draw every frame");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !heapflame.state.isFolded);
  expectEqual((await rows(page)).length, 9, "all of them");
  await tick(page, "folded");
  await page.waitForFunction(() => heapflame.state.isFolded);
  await page.fill("#search", "^loop$");
  await page.waitForFunction(() => document.getElementById("matched").textContent.startsWith("1 frame, 9,900"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("details").textContent.startsWith("loop: "));
}

async function colorsByRelativeChange(browser) {
  writeFileSync("a.folded", "m;same 100000\nm;plus 100000\nm;twice 100000\nm;less 100000\nm;half 100000\nm;gone 100000\nm;tiny 100000\n");
  const page = await open(browser, draw("relative", "m;same 100000\nm;plus 120000\nm;twice 300000\nm;less 80000\nm;half 30000\nm;new 100000\nm;tiny 100100\n", "--base", "a.folded"));
  const colors = () => page.evaluate(() => {
    const { look, main: { layout }, profile: { names } } = heapflame;
    return Object.fromEntries(Array.from({ length: layout.tree.count }, (_, node) => [names[layout.tree.name[node]], look.colorsOf(layout)(node)]));
  });
  const scale = () => page.locator("#chips i").evaluateAll((all) => all.map((one) => {
    const [red, green, blue] = getComputedStyle(one).backgroundColor.match(/\d+/g).map(Number);
    return (red << 16) | (green << 8) | blue;
  }));
  const [found, steps] = [await colors(), await scale()];
  expectEqual(["gone", "half", "less", "tiny", "plus", "twice", "new"].map((name) => steps.indexOf(found[name])), [0, 1, 2, 3, 4, 5, 6], "steps of the scale");
  expectEqual(new Set(steps).size, 7, "steps differ");
  expectEqual(await page.evaluate(() => heapflame.look.figures(heapflame.main.layout, [...heapflame.main.layout.tree.name].indexOf(heapflame.profile.names.indexOf("twice")))),
    "+200,000  \u00d73.0", "figures of a box");
  await page.evaluate(() => { heapflame.state.coloring = "absolute"; heapflame.painted(); });
  const absolute = await colors();
  expectEqual([steps.indexOf(absolute.twice), steps.indexOf(absolute.tiny)], [6, 3], "the largest change, and nearly none");
  expect(absolute.new !== absolute.twice && absolute.tiny !== absolute.plus && absolute.new !== absolute.gone, "absolute colours tell sizes apart");
}

async function comparesSideBySide(browser) {
  const page = await open(browser, `${drawFiles("sides", seriesFiles(), "--series")}#v=compare`);
  const zoomed = () => page.evaluate(() => heapflame.sides.charts.map(({ layout, zoomed: node }) => heapflame.profile.names[layout.tree.name[node]]));
  const totals = await page.evaluate(() => heapflame.sides.charts.map(({ layout }) => layout.grew[0] - layout.released[0]));
  expectEqual(totals[1] - totals[0], totals[2], "B less A is the change");
  const { x, y, width } = await page.locator("#sides .chart").nth(1).boundingBox();
  await page.mouse.click(x + width / 3, y + 27);
  expectEqual(await zoomed(), ["main", "main", "main"], "a click in B zooms all");
  await page.mouse.move(x + width / 3, y + 9);
  expect((await details(page)).includes(" \u00b7 100.00 % of all"), `shares of B are of B: ${await details(page)}`);
  const told = await page.locator("#tip dd").first().textContent();
  expect(told.includes(", 100 % of all"), `at the pointer, shares of B are of B: ${told}`);
  await page.evaluate(() => history.back());
  await page.waitForFunction(() => heapflame.sides.charts.every(({ zoomed: node }) => node === 0));
  const again = await open(browser, `${page.url()}`);
  expectEqual(await again.locator("#sides h2").allTextContents(), ["A  26.3 MiB  service-1.heap", "B  64.5 MiB  service-8.heap", "\u0394  what changed"], "titles");
}

// A page of before numbers were packed: its data has a number after the other.
function olderPage() {
  const head = { version: 1, title: "", subtitle: "", points: [], modules: [], files: [], threads: [], types: [{ name: "samples", unit: "count", suspects: [] }], type: 0,
    isDifference: false, sources: [], names: 3, nodes: 3, notes: [] };
  const name = (text) => [0, text.length, ...Buffer.from(text)];
  const colors = Array(9).fill(9);
  const places = Array(9).fill(0);
  const data = [...name("all"), ...name("leak"), ...name("main"), ...colors, ...places, 0, 0, 0, 2, 1, 0, 0, 133, 1]; // main;leak 133
  return `<script type="application/json" id="head">${JSON.stringify(head)}</script>\n<script type="text/plain" id="data">${gzipSync(Buffer.from(data)).toString("base64")}</script>`;
}

async function takesASecondFile(browser) {
  const older = SERVICE.replace("52428800", "12428800").replace(/start_thread;loop;timer.*\n/, "");
  const page = await open(browser, draw("newer", SERVICE));
  draw("older", older);
  const dropFile = (target, name, text) => target.evaluate(([of, content]) => {
    const files = new DataTransfer();
    files.items.add(new File([content], of));
    delete document.body.dataset.ready;
    for (const type of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
  }, [name, text]);
  for (const [name, text] of [["older.html", readFileSync("older.html", "utf8")], ["older.folded", older]]) {
    const fresh = await open(browser, page.url());
    await dropFile(fresh, name, text);
    await fresh.waitForSelector("body[data-ready]");
    expectEqual(await fresh.evaluate(() => [heapflame.measure.isDifference, heapflame.main.layout.grew[0], heapflame.main.layout.released[0]]), [true, 40102400, 0], `${name}: what grew`);
    expectEqual(await fresh.locator("#answer .owner").allInnerTexts(), ["process_leak"], `${name}: who grew`);
    await fresh.keyboard.press("8");
    expect((await fresh.locator("#sides h2").first().textContent()).includes(name), "A is what was dropped");
    await fresh.keyboard.press("6");
    expect((await fresh.locator("#table tbody tr").first().innerText()).startsWith("process_leak\t12,428,800\t52,428,800\t+40,000,000\t\u00d74.2"), await fresh.locator("#table tbody tr").first().innerText());
    expectEqual(await fresh.evaluate(() => document.scripts.length), 4, "no script came with it");
    await fresh.close();
  }
  const two = await open(browser, draw("two", "main;leak 200\n"));
  await dropFile(two, "older.html", olderPage());
  await two.waitForSelector("body[data-ready]");
  expectEqual(await rows(two), [["all 67"], ["main 67"], ["leak 67"]], "grown since a page of before");
  await dropFile(page, "x.png", "\u0089PNG not a profile");
  await page.waitForFunction(() => document.getElementById("details").textContent.includes("neither a page of heapflame nor folded stacks"));
  await dropFile(page, "evil.folded", "main;</script><script>window.hit=1</script> 5\nmain;__proto__;constructor 7\n");
  await page.waitForSelector("body[data-ready]");
  expectEqual(await page.evaluate(() => [window.hit, document.scripts.length]), [null, 4], "names of a dropped file");
}

async function groupsByPackage(browser) {
  const page = await open(browser, draw("groups", "main;hyper::proto::poll;<alloc::vec::Vec<T> as Drop>::drop 500\nmain;hyper::server::run;tokio::spawn 300\n" +
    "main;github.com/a/web.(*T).Serve;runtime.mallocgc 100\nmain;json_parse;json_string 90\nmain;operator new(int) 5\nmain;foo.cold 3\n"));
  const groups = await page.evaluate(() => {
    const { groups: { of, titles } } = heapflame.look;
    return Object.fromEntries(heapflame.profile.names.slice(1, heapflame.profile.head.names).map((name, i) => [name, titles[of[i + 1]]]));
  });
  expectEqual(groups, Object.fromEntries(Object.keys(groups).map((name) => [name, { "hyper::proto::poll": "hyper", "hyper::server::run": "hyper", "<alloc::vec::Vec<T> as Drop>::drop": "alloc",
    "tokio::spawn": "tokio", "github.com/a/web.(*T).Serve": "web", "runtime.mallocgc": "runtime", json_parse: "json", json_string: "json" }[name] ?? "other"])), "groups");
  const [hyper, other] = await page.evaluate(() => ["hyper::proto::poll", "hyper::server::run"].map((name) => {
    const { layout } = heapflame.main;
    return heapflame.look.colorsOf(layout)([...layout.tree.name].indexOf(heapflame.profile.names.indexOf(name)));
  }));
  expectEqual(hyper, other, "one colour for a crate");
  await page.locator("#chips button", { hasText: "json" }).click();
  await page.waitForSelector("#filters li");
  expectEqual(await rows(page), [["all 90"], ["main 90"], ["json_parse 90"], ["json_string 90"]], "a chip filters");
  expectEqual(await rows(await open(browser, page.url())).then((all) => all.length), 4, "by its link");
}

async function findsTheWayBack(browser) {
  const long = Array.from({ length: 100 }, (_, i) => `crate::module_${i}::function<${"T".repeat(300)}>`);
  const page = await open(browser, draw("way", `${long.map((name, i) => `${long.slice(0, i + 1).join(";")} 500`).join("\n")}\n`));
  await page.evaluate(() => heapflame.zoom(heapflame.main, 90));
  expect(page.url().length - page.url().split("#")[0].length < 40, `a link of a frame 90 deep: ${page.url().split("#")[1]}`);
  const shown = await details(page);
  const again = await open(browser, page.url());
  expectEqual(await details(again), shown, "by its link");
  const service = await open(browser, draw("back", SERVICE));
  expect(!await service.isVisible("#reset"), "a zoom to reset where there is none");
  await focus(service, "main", "serve", "handle");
  await service.keyboard.press("Enter");
  expectEqual(await service.locator("#crumbs button").allInnerTexts(), ["all", "main", "serve", "handle"], "crumbs");
  expect(await service.isVisible("#reset"), "no way to reset the zoom");
  const lit = () => service.evaluate(() => {
    const map = document.getElementById("minimap");
    const { data } = map.getContext("2d").getImageData(0, Math.floor(map.height / 8), map.width, 1);
    return Array.from({ length: map.width }, (_, x) => data[4 * x] > 200);
  });
  const pixels = await lit();
  const share = pixels.filter(Boolean).length / pixels.length;
  expect(Math.abs(share - 73400320 / 81839841) < 0.03, `the minimap shows ${share} of the whole`);
  await service.goBack();
  await service.waitForFunction(() => heapflame.main.zoomed === 0);
  await service.goForward();
  await service.waitForFunction(() => document.getElementById("details").textContent.startsWith("handle: "));
  await service.locator("#crumbs button", { hasText: "main" }).click();
  expect((await details(service)).startsWith("main: "), "a crumb");
  const { x, y, width, height } = await service.locator("#minimap").boundingBox();
  await service.mouse.click(x + width - 3, y + height / 2);
  expectEqual(await service.evaluate(() => Math.round(heapflame.main.seenRange().to)), 81839841, "a press on the minimap moves there");
}

async function mapsTime(browser) {
  const page = await open(browser, `${drawFiles("heat", seriesFiles(), "--series")}#v=time`);
  expect((await page.textContent("#heat-said")).startsWith("8 rows x 8 points"), await page.textContent("#heat-said"));
  expectEqual(await page.evaluate(() => heapflame.heat.rows.names.map((name) => heapflame.profile.names[name])[0]), "Session::remember", "the most changed first");
  const values = await page.evaluate(() => {
    const { names, points, stride, values } = heapflame.heat.rows;
    return Array.from({ length: points }, (_, point) => values[point * stride + names[0]] / 1048576);
  });
  expectEqual(values, [3, 7, 11, 16, 20, 24, 28, 33], "what it held");
  const { x, y, width } = await page.locator("#heat canvas").boundingBox();
  const column = (width - 260) / 8;
  const cells = await page.evaluate((wide) => {
    const canvas = document.querySelector("#heat canvas");
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: 18 }).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return Array.from({ length: 8 }, (_, point) => [...copy.getImageData(Math.floor(260 + (point + 0.5) * wide), 6, 1, 1).data].slice(0, 3));
  }, column);
  const light = cells.map(([red, green, blue]) => red + green + blue);
  expect(light.every((sum, i) => i === 0 || sum < light[i - 1]), `cells of what grows all the time: ${light}`);
  await page.mouse.move(x + 260 + 2.5 * column, y + 9);
  expectEqual(await page.textContent("#tip p"), "Session::remember", "the tip");
  await page.mouse.down();
  await page.mouse.move(x + 260 + 5.5 * column, y + 9);
  await page.mouse.up();
  const range = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("r"));
  expectEqual(await range(), "2-5", "a brush chooses");
  const grew = () => page.evaluate(() => { const { layout, layout: { tree } } = heapflame.main;
    return ["std::vector::push_back", "Session::remember"].map((name) => layout.grew[[...tree.name].indexOf(heapflame.profile.names.indexOf(name))]); });
  await page.waitForFunction(() => heapflame.state.range.to === 5);
  expectEqual(await grew(), [1048576, 13 * 1048576], "the graph shows what grew there");
  await page.click("#still");
  await page.waitForFunction(() => heapflame.measure.width === "kept");
  expectEqual(await page.evaluate(() => [heapflame.main.layout.grew[0], heapflame.main.layout.released[0]]), [(24 - 11 + 22 - 19 + 1) * 1048576, 0], "what stays until the end");
  await page.focus("#heat");
  await page.keyboard.press("ArrowLeft");
  expectEqual(await range(), "1-5", "by a key");
  await page.mouse.click(x + 60, y + 9);
  await page.waitForSelector("#filters li");
  expectEqual(await page.evaluate(() => heapflame.filtering.now.map(({ kind, name }) => `${kind} ${name}`)), ["in Session::remember"], "a click on the name of a row");
}

async function marksTheSameFunction(browser) {
  const page = await open(browser, draw("marks", "main;parse;json_string 500\nmain;other 200\nthread;loop;json_string 300\n"), { viewport: { width: 1400, height: 800 } });
  const marked = () => page.evaluate(() => {
    const overlay = document.querySelector("#main .overlay");
    const copy = Object.assign(document.createElement("canvas"), { width: overlay.width, height: overlay.height }).getContext("2d");
    copy.drawImage(overlay, 0, 0);
    const { data } = copy.getImageData(0, 0, overlay.width, overlay.height);
    const { layout } = heapflame.main;
    const scale = overlay.width / layout.width[0];
    return Array.from(layout.rowNodes).filter((node) => {
      const [x, y] = [Math.floor((layout.start[node] + layout.width[node] / 2) * scale), layout.depth[node] * 18];
      return layout.width[node] * scale > 3 && data[4 * (y * overlay.width + x) + 3] > 0;
    }).map((node) => heapflame.profile.names[layout.tree.name[node]]);
  });
  const { x, y } = await page.evaluate(() => {
    const { layout } = heapflame.main;
    const node = [...layout.tree.name].indexOf(heapflame.profile.names.indexOf("json_string"));
    const host = document.getElementById("main").getBoundingClientRect();
    return { x: host.left + (layout.start[node] + layout.width[node] / 2) / layout.width[0] * host.width, y: host.top + layout.depth[node] * 18 + 9 };
  });
  await page.mouse.move(x, y);
  expectEqual(await marked(), ["json_string", "json_string"], "both places of it");
  await page.locator("#answer button", { hasText: "json_string" }).first().hover();
  expectEqual(await marked(), ["json_string", "json_string"], "from the answer above it");
  await page.mouse.move(x, 5);
  expectEqual(await marked(), [], "nothing is pointed at");
  await page.keyboard.press("6");
  await page.locator("#table tbody tr", { hasText: "json_string" }).hover();
  expectEqual(await marked(), ["json_string", "json_string"], "from the table beside it");
}

async function saysThatThereIsNothing(browser) {
  for (const [name, isEmpty] of [["empty", true], ["one", false]]) {
    const page = await open(browser, SCENES[name].draw());
    expectEqual(await page.isVisible("#nothing"), isEmpty, `${name}: whether it says that there is nothing`);
    expectEqual(await page.isVisible("#minimap"), !isEmpty, `${name}: whether there is a minimap`);
    expectEqual(await page.textContent("#details"), isEmpty ? "all: 0 bytes" : "all: 4.0 KiB \u00b7 4,096 bytes \u00b7 100.00 % of all", name);
    await page.close();
  }
}

// However long a name is, there is room for who calls it, and its amount is told.
async function leavesRoomBesideNames(browser) {
  const page = await open(browser, SCENES.hostile.draw(), { viewport: { width: 800, height: 700 } });
  const widths = await page.locator("#answer .path").evaluateAll((cells) => cells.map(({ clientWidth }) => clientWidth));
  expect(widths.length === 5 && Math.min(...widths) >= 110, `callers have ${widths} px`);
  await page.keyboard.press("7");
  const sentence = await page.locator("#suspects li > p").first().textContent();
  expect(/\u2026 accounts for 11,534,336 \(16\.7 %\), all of which it allocates itself\.$/.test(sentence), sentence);
  await page.close();
}

async function needsNoMouse(browser) {
  for (const [name, keys] of [["small", ["2", "6", "7"]], ["series", ["2", "5", "6", "7", "8", "9"]]]) {
    const page = await open(browser, SCENES[name].draw());
    for (const key of keys) {
      await page.locator("#main, #table .rows, #suspects, #heat").first().evaluate(() => document.activeElement.blur());
      await page.keyboard.press(key);
      const wanted = await page.evaluate(() => {
        const all = [...document.querySelectorAll("button, select, input, [tabindex='0']")].filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest("[popover]"));
        all.forEach((one, i) => { one.dataset.control = i; });
        return all.map((one) => one.id || one.textContent.slice(0, 20));
      });
      const reached = new Set();
      const unseen = new Set(); // what has the focus and does not show it
      for (let i = 0; i < 2 * wanted.length + 40; i++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => document.activeElement.dataset.control);
        if (at !== undefined) reached.add(Number(at));
        const shown = await page.evaluate(() => {
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement.closest(".toggle") ?? document.activeElement);
          return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
        });
        if (at !== undefined && !shown) unseen.add(wanted[at]);
      }
      expectEqual([...unseen], [], `${name}, view ${key}: controls whose focus cannot be seen`);
      expectEqual(wanted.filter((_, i) => !reached.has(i)), [], `${name}, view ${key}: controls that Tab does not reach`);
    }
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(",");
    expect(await page.isVisible("#coloring"), "settings by a key");
    const offered = await page.evaluate(() => [...document.querySelectorAll("#controls select, #controls input")].filter((one) => one.checkVisibility() && !one.disabled).map(({ id }) => id));
    const tabbed = new Set();
    for (let i = 0; i < offered.length + 3; i++) {
      tabbed.add(await page.evaluate(() => document.activeElement.id));
      await page.keyboard.press("Tab");
    }
    expect(offered.length > 4, `only ${offered} in the settings`);
    expectEqual(offered.filter((id) => !tabbed.has(id)), [], `${name}: settings that Tab does not reach`);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("#settings:popover-open"));
    for (const [typed, check] of [["view: table", () => heapflame.state.view === "table"], ["full", () => heapflame.state.isLong], ["how to", () => document.getElementById("about").open]]) {
      // Not ":focus": that holds only while the window has the focus, too.
      const isOpen = (timeout) => page.waitForFunction(() => document.getElementById("palette").open && document.activeElement.id === "palette-text", undefined, { timeout });
      await page.bringToFront(); // keys go to the window in front; a busy machine's browser may lose one on the way there
      await page.keyboard.press("Control+k");
      await isOpen(10000).catch(() => page.keyboard.press("Control+k"));
      await isOpen(30000).catch(async () => {
        throw new Error(`${name}: ${typed}: no palette: ${await page.evaluate(() => JSON.stringify([document.hasFocus(), document.activeElement.id, document.querySelector("dialog[open]")?.id]))}`);
      });
      await page.keyboard.type(typed);
      await page.waitForFunction((text) => document.querySelector("#palette-list [aria-selected=true]")?.textContent.toLowerCase().includes(text), typed);
      await page.keyboard.press("Enter");
      await page.waitForFunction(check, undefined, { timeout: 20000 }).catch(async () => {
        throw new Error(`${name}: ${typed}: ${await page.evaluate(() => JSON.stringify([heapflame.state.view, heapflame.state.isLong, document.activeElement.id]))}`);
      });
    }
    for (const step of ["2 of 4", "3 of 4", "4 of 4"]) {
      await page.keyboard.press("Enter");
      expectEqual(await page.textContent("#tour-at"), step, "the tour");
    }
    await page.keyboard.press("Enter");
    expect(!await page.isVisible("#about"), "the tour ends");
    await page.close();
  }
}

async function copiesTables(browser) {
  const page = await open(browser, draw("copies", `${SERVICE}main;=1+1|x 7000000\n`), { permissions });
  await page.keyboard.press("6");
  const bars = await page.locator("#table tbody tr").first().locator("td.bar").evaluateAll((all) => all.map((cell) => Number(cell.style.getPropertyValue("--part")).toFixed(2)));
  expectEqual(bars, ["0.59", "0.59"], "bars in cells");
  await page.fill("#table-filter", "_");
  const copied = async (format) => {
    await page.getByRole("button", { name: `Copy as ${format}` }).click();
    await page.waitForFunction((text) => document.getElementById("spoken").textContent === text, `copied the table as ${format}`);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expectEqual((await copied("CSV")).split("\n").slice(0, 2), ['"Function","Itself","%","With callees","%"', '"process_leak",52428800,"59 %",52428800,"59 %"'], "CSV");
  await page.fill("#table-filter", "1+1");
  expectEqual(await copied("Markdown"), "| Function | Itself | % | With callees | % |\n| :-- | --: | --: | --: | --: |\n| =1+1\\|x | 7,000,000 | 7.9 % | 7,000,000 | 7.9 % |\n", "Markdown");
  expect((await copied("CSV")).includes('"\'=1+1|x"'), "a name is no formula");
  const wide = await open(browser, `${draw("wide", Array.from({ length: 20000 }, (_, i) => `f${i} ${i + 1}\n`).join(""))}#v=table`);
  expect(await wide.locator("#table tbody tr").count() < 80, "rows that nobody sees are elements");
  await wide.locator("#table .rows").evaluate((of) => { of.scrollTop = of.scrollHeight; });
  await wide.waitForFunction(() => [...document.querySelectorAll("#table tbody tr")].at(-1)?.textContent.startsWith("f01"));
  await wide.getByRole("button", { name: "Itself" }).click();
  expectEqual(await wide.locator("#table th").nth(1).getAttribute("aria-sort"), "ascending", "sorted the other way round");
  expectEqual((await wide.locator("#table tbody tr").first().innerText()).split("\t").slice(0, 2), ["f0", "1"], "the smallest first");
}

await runTests(answersFirst, tellsThePeak, saysWhatItIsOf, foldsChains, colorsByRelativeChange, comparesSideBySide, takesASecondFile, groupsByPackage, findsTheWayBack,
  mapsTime, marksTheSameFunction, saysThatThereIsNothing, leavesRoomBesideNames, needsNoMouse, copiesTables, laysOutOnce, neverMoves);
