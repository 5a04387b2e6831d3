#!/usr/bin/env node
// The HTML flame graph in real Chromium: views, zoom, search, sandwich, table, links, hostile names, many frames.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, expectEqual } from "../browser/browser.mjs";
import { details, draw, flame, focus, open, rows, runTests, SERVICE } from "../browser/page.mjs";

const matched = (page, text) => page.waitForFunction(
  (wanted) => document.getElementById("matched").textContent === wanted, text,
).catch(async () => { throw new Error(`matched: ${await page.textContent("#matched")}, not ${text}`); });

async function showsEveryView(browser) {
  const page = await open(browser, draw("views", SERVICE));
  expectEqual((await rows(page)).slice(0, 3), [["all 81839841"], ["main 75177984", "start_thread 6661857"],
    ["init 1572864", "serve 73605120", "loop 6661857"]], "flame");
  for (const [key, view] of [["1", "flame"], ["2", "icicle"], ["3", "reverse"], ["5", "sandwich"], ["6", "table"], ["7", "suspects"], ["4", "heavy"]]) {
    await page.keyboard.press(key);
    expectEqual(await page.evaluate(() => heapflame.state.view), view, `key ${key}`);
  }
  expectEqual((await rows(page))[2], ["serve 73605120", "init 1572864", "loop 6661857"], "left-heavy");
  await page.keyboard.press("3");
  expectEqual((await rows(page))[1], ["buffer_grow 6291456", "cache_fill 12582912", "json_object_set 1048576",
    "json_string 792289", "lru_put 8388608", "process_leak 52428800", "timer 102400", "vasprintf 204800"], "reverse");
  await page.keyboard.press("6");
  expectEqual(await page.locator("#table tbody tr").first().innerText(),
    "process_leak\t52,428,800\t64 %\t52,428,800\t64 %", "table");
  await page.getByRole("button", { name: "json_string", exact: true }).click();
  expectEqual(await page.textContent("#picked"), "json_string", "sandwich");
  expectEqual(await rows(page, "above"), [["json_string 792289"], ["json_parse 524288", "Drain_Queue 268001"],
    ["init 524288", "loop 268001"], ["main 524288", "start_thread 268001"]], "callers");
  expectEqual(await rows(page, "below"), [["json_string 792289"]], "callees");
  await page.focus("#above");
  await page.keyboard.press("ArrowUp");
  const caller = await page.textContent("#spoken"); // its shares are of all and of the function, and say so
  expect(/^json_parse: 524,288 .*\u00b7 0\.64 % of all \u00b7 66\.17 % of the function/.test(caller), caller);
  const again = await open(browser, page.url());
  expectEqual(await again.textContent("#picked"), "json_string", "sandwich by its link");
  const bare = await open(browser, `${page.url().split("#")[0]}#v=sandwich`);
  expectEqual(await bare.textContent("#picked"), "process_leak", "the sandwich of what holds most, where the link names none");
}

async function zoomsByMouseAndKeys(browser) {
  const page = await open(browser, flame(draw("zoom", SERVICE)));
  await page.focus("#main");
  for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
  expect((await page.textContent("#spoken")).startsWith("json_parse: 1,572,864"), await page.textContent("#spoken"));
  await page.keyboard.press("Enter");
  expectEqual(await details(page),
    "json_parse: 1,572,864 samples \u00b7 1.92 % of all \u00b7 100.00 % of the zoomed \u00b7 100.00 % of its parent",
    "zoomed");
  const again = await open(browser, page.url());
  expect((await details(again)).startsWith("json_parse: "), "by its link");
  await page.keyboard.press("Escape");
  expect((await details(page)).startsWith("init: "), "one frame out");
  await page.click("#reset");
  expect((await details(page)).startsWith("all: 81,839,841"), "reset");
  expectEqual(new URL(page.url()).hash, "#v=flame", "the link after reset");
  const box = await page.locator("#main").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 27);
  expect((await details(page)).startsWith("main: "), `clicked: ${await details(page)}`);
}

// Moves to the middle of a frame of a chart; what the tip tells of its amount.
async function tipOf(page, chart, name) {
  const box = await page.locator(`#${chart}`).boundingBox();
  const at = await page.evaluate(([which, of]) => {
    const { layout, zoomed } = heapflame[which];
    const node = layout.rowNodes.find((one) => one > 0 && layout.width[one] > 0 && heapflame.profile.names[layout.tree.name[one]] === of);
    const row = layout.rowStart.findIndex((start, i) => layout.rowNodes.subarray(start, layout.rowStart[i + 1]).includes(node));
    return { row, x: Math.max(0.01, Math.min(0.99, (layout.start[node] + layout.width[node] / 2 - layout.start[zoomed]) / layout.width[zoomed])) };
  }, [chart, name]);
  const isUp = chart === "above";
  await page.mouse.move(box.x + box.width * at.x, isUp ? box.y + box.height - 9 - 18 * at.row : box.y + 9 + 18 * at.row);
  return page.locator("#tip dd").first().textContent();
}

const figuresOf = (page, chart, name) => page.evaluate(([which, of]) => {
  const { layout } = heapflame[which];
  const node = layout.rowNodes.find((one) => one > 0 && heapflame.profile.names[layout.tree.name[one]] === of);
  return heapflame.look.figures(layout, node);
}, [chart, name]);

// Wherever a share stands, it says of what it is: of all, of the zoomed, of the function, of what is shown, of the growth.
async function saysOfWhat(browser) {
  const page = await open(browser, draw("of-what", SERVICE));
  await focus(page, "main", "serve");
  await page.keyboard.press("Enter");
  expectEqual(await tipOf(page, "main", "process_leak"), "52,428,800, 64 % of all, 71 % of the zoomed", "at the pointer");
  expectEqual(await tipOf(page, "main", "main"), "75,177,984, 92 % of all", "at the pointer, above the zoomed");
  expectEqual(await details(page), "main: 75,177,984 samples \u00b7 91.86 % of all", "in the line, above the zoomed");
  expectEqual(await figuresOf(page, "main", "process_leak"), "52,428,800  64 %", "in its box");
  await page.click("#reset");
  expectEqual(await tipOf(page, "main", "process_leak"), "52,428,800, 64 % of all", "at the pointer, where nothing is zoomed");
  expectEqual(await page.locator("#answer .share").evaluateAll((all) => all.map(({ title }) => title)),
    ["64.1 % of all", "25.6 % of all", "7.7 % of all"], "of the suspects");
  const narrow = await open(browser, `${page.url().split("#")[0]}#v=sandwich&p=json_parse&s=json_string`);
  await matched(narrow, "1 frame, 524,288, 33.33 %");
  expectEqual(await figuresOf(narrow, "below", "json_string"), "524,288  0.64 %", "in a box of a sandwich: of all");
  expectEqual(await tipOf(narrow, "below", "json_string"), "524,288, 0.64 % of all", "at the pointer in a sandwich");
  await narrow.click("#hits");
  expectEqual(await narrow.locator("#menu button").first().innerText().then((text) => text.split(/\s{2,}|\n/)), ["json_string", "524,288 0.64 %"], "in the list of hits: of all");
  await page.keyboard.press("6");
  expectEqual(await page.locator("#table th").evaluateAll((all) => all.filter((one) => one.innerText.startsWith("%")).map((one) => one.title || one.querySelector("[title]")?.title)),
    ["of all that is shown", "of all that is shown"], "of the table's columns");
  writeFileSync("shares-older.folded", "main;serve 100\n");
  const grown = await open(browser, draw("shares-grown", "main;serve 100\nmain;leak 900\n", "--base", "shares-older.folded"));
  expectEqual(await grown.locator("#answer .share").evaluateAll((all) => all.map(({ title }) => title)), ["100.0 % of the growth"], "of the suspects of a difference");
}

async function searches(browser) {
  const page = await open(browser, draw("search", `${SERVICE}main;${"a".repeat(32)}! 0\n`));
  await page.keyboard.press("/");
  await page.keyboard.type("json|cache_fill|lru");
  await matched(page, "6 frames, 22,812,385, 27.87 %"); // the union: no hit inside a hit counts again
  await page.keyboard.press("Enter");
  expect((await details(page)).startsWith("json_parse: "), `the first hit: ${await details(page)}`);
  await matched(page, "3 frames, 1,572,864, 100.00 %"); // of what is zoomed
  await page.keyboard.press("Enter");
  expect((await details(page)).startsWith("json_object_set: "), `the next hit: ${await details(page)}`);
  await page.keyboard.press("Shift+Enter");
  expect((await details(page)).startsWith("json_parse: "), `the one before: ${await details(page)}`);
  await page.focus("#main");
  for (const [key, name] of [["n", "json_object_set"], ["N", "json_parse"]]) {
    await page.keyboard.press(key);
    expect((await details(page)).startsWith(`${name}: `), `by ${key}: ${await details(page)}`);
  }
  await matched(await open(browser, page.url()), "3 frames, 1,572,864, 100.00 %"); // by its link
  await page.click("#reset");
  const strip = await page.evaluate(() => {
    const canvas = document.getElementById("strip");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 1);
    return Array.from({ length: canvas.width }, (_, x) => data[4 * x + 3] > 0).filter(Boolean).length / canvas.width;
  });
  expect(Math.abs(strip - 0.2787) < 0.01, `the strip marks ${strip} of the width`);
  const { x, y, width } = await page.locator("#strip").boundingBox();
  const middle = await page.evaluate(() => {
    const { layout } = heapflame.main;
    const node = [...layout.tree.name].indexOf(heapflame.profile.names.indexOf("cache_fill"));
    return (layout.start[node] + layout.width[node] / 2) / layout.width[0];
  });
  await page.mouse.click(x + width * middle, y + 1);
  expect((await details(page)).startsWith("cache_fill: "), `a click on the strip: ${await details(page)}`);
  await page.fill("#search", "drain");
  await page.click("#reset");
  await matched(page, "2 frames, 6,559,457, 8.01 %");
  await page.check("#case");
  await matched(page, "1 frame, 6,291,456, 7.69 %");
  await page.check("#plain");
  await page.fill("#search", "drain_q");
  await matched(page, "0 frames, 0, 0.00 %");
  await page.fill("#search", "drain");
  await page.uncheck("#case");
  await matched(page, "2 frames, 6,559,457, 8.01 %");
  await page.fill("#search", "[");
  await matched(page, "0 frames, 0, 0.00 %");
  await page.uncheck("#plain");
  await page.waitForFunction(() => document.getElementById("matched").textContent.startsWith("not a regular expression: "));
  const old = await open(browser, `${page.url().split("#")[0]}?s=process_`);
  await matched(old, "1 frame, 52,428,800, 64.06 %");
}

// On a busy machine the worker starts late, which is not the expression's fault: its time counts from when it begins.
async function waitsForALateWorker(browser) {
  const page = await open(browser, draw("late", SERVICE));
  await page.evaluate(() => {
    window.Worker = class extends Worker {
      set onmessage(take) {
        super.onmessage = (event) => {
          super.onmessage = take;
          setTimeout(() => take.call(this, event), 2500);
        };
      }
    };
  });
  await page.fill("#search", "json|cache_fill|lru");
  await matched(page, "6 frames, 22,812,385, 27.87 %");
}

async function survivesSlowExpressions(browser) {
  const page = await open(browser, draw("slow", `${SERVICE}main;${"a".repeat(40)}! 5000000\n`));
  await page.fill("#search", "^(a+)+$");
  await page.keyboard.press("Escape");
  await page.keyboard.press("6");
  await matched(page, "this expression takes too long; try a simpler one, or plain text");
  expectEqual(await page.getAttribute("button[data-view=Table]", "aria-pressed"), "true", "the page is alive");
  for (const [text, expected] of [["", ""], ["drain", "2 frames, 6,559,457, 7.55 %"]]) { // what is stopped says nothing later
    await page.fill("#search", "^(a+)+$");
    await page.waitForTimeout(500);
    await page.fill("#search", text);
    await page.waitForTimeout(1500);
    expectEqual(await page.textContent("#matched"), expected, `after an expression that was slow: '${text}'`);
    for (let waited = 0; page.workers().length > 0; waited++) { // a browser takes some seconds to end one
      expect(waited < 60, "an expression that was given up still runs");
      await page.waitForTimeout(500);
    }
  }
}

// What may run and load: this script and this style, nothing from anywhere.
async function hasAPolicy() {
  const html = readFileSync(new URL(draw("policy", SERVICE)), "utf8");
  const hashOf = (tag) => `'sha256-${createHash("sha256").update(html.match(new RegExp(`<${tag}(?: id="script")?>([^]*?)</${tag}>`))[1]).digest("base64")}'`;
  const policy = html.match(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/);
  expectEqual(policy?.[1], `default-src 'none'; script-src ${hashOf("script")}; style-src ${hashOf("style")}; img-src data: blob:; worker-src blob:`, "the policy");
  expect(policy.index < html.search(/<(script|style|link|img)/), "something stands before the policy");
}

async function executesNothing(browser) {
  const evil = ["</script><script>window.hit=1</script>", "</title><script>window.hit=1</script>", "<img src=x onerror=window.hit=1>", "<!--<script>",
    "\u202eevil\u202c", "\u0001\u001b[2J", "a\u200bb", "@DATA@", "@SCRIPT@", "\\u003c/script>"];
  const names = Buffer.concat([Buffer.from(evil.map((name) => `${name} 100\n`).join("")),
    Buffer.from([0xff, 0xfe, 0x20, 0x31, 0x30, 0x30, 0x0a])]);
  const text = evil.join(" ");
  const page = await open(browser, `${draw("hostile", names, "--title", text, "--subtitle", text)}#s=${
    encodeURIComponent(text)}&v=${encodeURIComponent(text)}&f=${encodeURIComponent(text)}&t=x&p=y`);
  expectEqual(await page.evaluate(() => [window.hit, document.querySelectorAll("script").length]), [null, 4], "ran");
  expectEqual(await page.evaluate(() => heapflame.profile.names.filter((name) => /[\u0000-\u001f\u202e\u200b]/.test(name)).length),
    0, "names that hide");
  expect((await page.evaluate(() => heapflame.profile.names)).includes("\\xff\\xfe"), "broken UTF-8 is not shown");
  for (const key of ["6", "5", "4", "3", "2", "1"]) await page.keyboard.press(key);
  expectEqual(await page.evaluate(() => window.hit === undefined), true, "nothing ran later");
}

async function drawsDifferences(browser) {
  writeFileSync("before.folded", "main;stay 50331648\nmain;serve;cache_fill 157286400\n");
  const after = "main;stay 50331648\nmain;serve;process_leak 104857600\nmain;serve;cache_fill;lru_put 12582912\n";
  const page = await open(browser, draw("difference", after, "--base", "before.folded"));
  expectEqual(await page.textContent("#subtitle"),
    "A 207,618,048 \u2192 B 167,772,160: grew 117,440,512, released 157,286,400 \u00b7 difference of two profiles", "sums");
  expect((await details(page)).startsWith("all: +117,440,512 \u2212157,286,400 \u00b7 net \u221239,845,888"), await details(page));
  expectEqual(await page.locator("#chips span").allTextContents(), ["gone", "\u221250 %", "\u221210 %", "same", "+10 %", "\u00d72", "new"], "the scale");
  await page.keyboard.press("6");
  expectEqual(await page.locator("#table thead tr").innerText(),
    "Function\tItself: A\tB\t\u0394\tfactor\tWith callees: A\tB\t\u0394\tfactor", "what the columns are");
  expectEqual(await page.locator("#table tbody tr", { hasText: "cache_fill" }).innerText(),
    "cache_fill\t157,286,400\t\t\u2212157,286,400\tgone\t157,286,400\t12,582,912\t\u2212144,703,488\t\u221292 %", "a row");
}

// Frames of the picture, as links of it name them.
async function followsOldLinks(browser) {
  const address = draw("old-links", SERVICE);
  spawnSync("heapflame", ["flame", "--classic", "-", "-o", "old-links.svg"], { input: SERVICE });
  const frames = [...readFileSync("old-links.svg", "utf8").matchAll(/<title>(\w+) \(([\d,]+)[^<]*<\/title><rect x="([\d.]+)" y="(\d+)"/g)];
  expect(frames.length > 10, `only ${frames.length} frames in the picture`);
  for (const [, name, value, x, y] of frames.filter(([, of]) => ["serve", "json_string", "lru_put", "timer"].includes(of))) {
    const page = await open(browser, `${address}?x=${x}&y=${y}&s=json`);
    expect((await details(page)).includes(`${name}: ${value} `), `${name} at ${x}, ${y}: ${await details(page)}`);
    await matched(page, `${name === "serve" ? 0 : name === "json_string" ? 1 : 0} ${name === "json_string" ? "frame" : "frames"}, ${
      name === "json_string" ? value : 0}, ${name === "json_string" ? "100.00" : "0.00"} %`);
    await page.close();
  }
  const [, , , left, top] = frames.find(([, name]) => name === "process_leak");
  for (const stale of ["x=1&y=2", "x=500&y=9999", "x=&y=", "x=NaN&y=1e99", `x=${Number(left) + 5}&y=${top}`]) // the last: no frame begins there
    expect((await details(await open(browser, `${address}?${stale}`))).startsWith("all: "), `a stale link: ${stale}`);
}

// Work, not time: boxes drawn, nodes of the document, bytes of the file.
async function holdsManyFrames(browser) {
  let random = 1;
  const next = (below) => (random = random * 48271 % 2147483647) % below;
  const many = Array.from({ length: 20000 }, () =>
    `${Array.from({ length: 14 }, (_, level) => `function_${level}_${next(3 + level)}`).join(";")} ${1 + next(1000)}`);
  const url = `${draw("many", `${many.join("\n")}\n`)}#flat`;
  const page = await open(browser, url);
  const work = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
    done([heapflame.main.layout.tree.count, heapflame.main.drawnBoxes, document.querySelectorAll("*").length])))));
  await page.addInitScript(() => {
    const { drawImage } = CanvasRenderingContext2D.prototype;
    window.rowsDrawn = 0;
    CanvasRenderingContext2D.prototype.drawImage = function (...arguments_) {
      if (this.canvas.parentElement?.id === "main") window.rowsDrawn++;
      drawImage.apply(this, arguments_);
    };
  });
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  const [frames, boxes, elements] = await work();
  expectEqual(await page.evaluate(() => window.rowsDrawn), 15, "rows that were painted: each once");
  expect(frames > 125000, `only ${frames} frames`);
  expect(boxes < 15 * 1220, `${boxes} boxes for ${frames} frames`);
  expect(elements < 330, `${elements} elements`);
  const { size } = statSync(url.slice(7, -5));
  expect(size < 440000, `${size} bytes`); // a twentieth above what is needed today
  const deep = await open(browser, `${draw("deep", `${Array.from({ length: 50000 }, (_, i) => `f${i % 7}`).join(";")} 10\n`)}#flat`);
  expectEqual((await rows(deep)).length, 50001, "levels");
  const { height, window: most, inks } = await deep.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const canvas = document.querySelector("#main canvas");
    const { data } = canvas.getContext("2d").getImageData(5, 0, 1, Math.min(canvas.height, 200));
    done({ height: canvas.clientHeight, window: innerHeight, inks: new Set(new Uint32Array(data.buffer)).size });
  }))));
  expect(height > 100 && height <= most && inks > 2, `a canvas ${height} px high in a window of ${most}, with ${inks} colours`);
}

await runTests(showsEveryView, zoomsByMouseAndKeys, saysOfWhat, searches, waitsForALateWorker, survivesSlowExpressions, hasAPolicy, executesNothing, drawsDifferences,
  followsOldLinks, holdsManyFrames);
