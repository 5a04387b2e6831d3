#!/usr/bin/env node
// What the HTML flame graph exports: SVG (well-formed, no script), PNG, folded stacks as the command line writes them.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, expectEqual } from "../browser/browser.mjs";
import { draw, flame, open, rows, runTests, SERVICE } from "../browser/page.mjs";

const HOSTILE = "</script><script>alert(1)</script>;a&b;<x y=\"'> 40\n\u202eevil;]]>;a\\\\b 30\n\u0001;\ufffe;\ud83d\ude00 20\nm;new 50\nm;new(ul) 30\nm;new;x 20\nm;new(ul);x 5\n";

function run(program, args, input) {
  const done = spawnSync(program, args, { input, encoding: "utf8" });
  expectEqual(done.status, 0, `${program}: ${done.stderr}`);
  return done.stdout;
}

async function exported(page, title) {
  await page.click("#export");
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: title }).click();
  const file = `export-${(await download).suggestedFilename()}`;
  await (await download).saveAs(file);
  return file;
}

// Every frame of the SVG by its title's beginning; sums of widths by row.
function boxesOf(file) {
  run("xmllint", ["--noout", "--nonet", file]);
  const svg = readFileSync(file, "utf8");
  expect(!/<script|onload|href/.test(svg), "the picture holds more than boxes");
  return [...svg.matchAll(/<title>([^<]*?): [^<]*<\/title><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g)]
    .map(([, name, x, y, width]) => ({ name, x: Number(x), y: Number(y), width: Number(width) }));
}

async function savesSvg(browser) {
  const page = await open(browser, draw("svg", SERVICE, "--title", "A & B", "--subtitle", "<of one day>"));
  const file = await exported(page, "SVG picture");
  expectEqual(file, "export-svg.svg", "name");
  const boxes = boxesOf(file);
  expectEqual(boxes.map((box) => box.name).sort(), (await rows(page)).flat().map((row) => row.split(" ")[0]).sort(), "frames");
  const svg = readFileSync(file, "utf8");
  expect(svg.includes(">A &amp; B</text>") && svg.includes(">&lt;of one day&gt;</text>"), "no heading");
  const whole = boxes.find((box) => box.name === "all");
  expect(Math.abs(boxes.find((box) => box.name === "main").width / whole.width - 75177984 / 81839841) < 0.002, "width of main");
  expect(/<text[^>]*>process_leak {2}52,428,800 {2}64 %<\/text>/.test(svg), "no label in a box");
  expect(new Set(svg.match(/<rect [^>]*fill="[^"]*"/g).map((rect) => rect.match(/fill="([^"]*)/)[1])).size > 5, "all boxes of one colour");
  const browserView = await browser.page(`file://${process.cwd()}/${file}`);
  expectEqual(await browserView.evaluate(() => document.querySelectorAll("rect").length), boxes.length + 1, "boxes in the browser");
  await page.focus("#main");
  for (const key of ["ArrowUp", "ArrowUp", "Enter", "2"]) await page.keyboard.press(key);
  await page.keyboard.press("5");
  expect(boxesOf(await exported(page, "SVG picture")).some((box) => box.name === "process_leak"), "sandwich");
  await page.keyboard.press("6");
  await page.click("#export");
  expectEqual(await page.getByRole("menuitem").allTextContents(), ["Folded stacks", "speedscope", "pprof"], "the table is no picture");
}

const fold = (file, ...args) => run("heapflame", ["fold", file, ...args]);

// What the page saves for pprof reads back as the same stacks; what it saves for speedscope holds them.
async function savesForOtherTools(browser) {
  writeFileSync("older.folded", "main;serve;handle;cache_fill 90000000\nmain;init;json_parse 7\n");
  writeFileSync("newer.folded", SERVICE);
  for (const [name, options] of [["plain", []], ["change", ["--base", "older.folded"]]]) {
    const page = await open(browser, draw(`tools-${name}`, SERVICE, ...options));
    expectEqual(fold(await exported(page, "pprof")), fold("newer.folded", ...options), `pprof, ${name}`);
    expect(["samples", "count"].every((text) => gunzipSync(readFileSync(`export-tools-${name}.pb.gz`)).includes(text)), "pprof: what is counted");
    const { shared: { frames }, profiles, $schema } = JSON.parse(readFileSync(await exported(page, "speedscope"), "utf8"));
    expectEqual($schema, "https://www.speedscope.app/file-format-schema.json", "schema");
    const lines = profiles.flatMap(({ samples, weights }, i) => samples.map((stack, at) =>
      `${stack.map((frame) => frames[frame].name).join(";")} ${i === 0 ? "" : "-"}${weights[at]}\n`));
    expectEqual(lines.sort().join(""), fold("newer.folded", ...options).match(/.*\n/g).sort().join(""), `speedscope, ${name}`);
    for (const { endValue, weights } of profiles) expectEqual(endValue, weights.reduce((a, b) => a + b, 0), "its total");
  }
  const titled = await open(browser, draw("tools-titled", SERVICE, "--title", "Two words", "--countname", "bytes"));
  const saved = JSON.parse(readFileSync(await exported(titled, "speedscope"), "utf8"));
  expectEqual([saved.name, saved.profiles.map(({ unit }) => unit)], ["Two words", ["bytes"]], "speedscope: what it is of");
  const zoomed = await open(browser, flame(draw("tools-zoomed", SERVICE)));
  await zoomed.focus("#main");
  for (const key of ["ArrowUp", "ArrowUp", "Enter"]) await zoomed.keyboard.press(key);
  expectEqual(fold(await exported(zoomed, "pprof")), fold("newer.folded", "--focus", "^serve$"), "what is zoomed into");
}

async function savesHostileNames(browser) {
  const address = draw("hostile-export", HOSTILE, "--title", "</text><script>alert(1)</script>");
  const page = await open(browser, `${address}#k=${encodeURIComponent("out/p/\u0001\ufffe")}`);
  const svg = await exported(page, "SVG picture");
  expectEqual(boxesOf(svg).length, 15, "boxes");
  expect(readFileSync(svg, "utf8").includes('drop stacks with "\\u{1}\\u{fffe}"'), "the filter is not in the heading");
  expectEqual(readFileSync(await exported(page, "Folded stacks"), "utf8"), run("heapflame", ["fold", "-"], HOSTILE), "folded");
}

async function savesPng(browser) {
  const page = await open(browser, draw("png", SERVICE), { deviceScaleFactor: 2 });
  const png = readFileSync(await exported(page, "PNG picture"));
  expectEqual(png.subarray(0, 8).toString("latin1"), "\u0089PNG\r\n\u001a\n", "signature");
  expectEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * 1220, 2 * (20 + 20 + 6 * 18)], "size at two pixels each");
  const colors = await page.evaluate(async (base64) => {
    const image = Object.assign(new Image(), { src: `data:image/png;base64,${base64}` });
    await image.decode();
    const context = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d");
    context.drawImage(image, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, image.height - 90, image.width, 90).data.buffer)).size;
  }, png.toString("base64"));
  expect(colors > 5, `${colors} colours in the boxes`);
  const deep = await open(browser, `${draw("deep-png", `${Array.from({ length: 5000 }, (_, i) => `f${i % 7}`).join(";")} 10\n`)}#flat`);
  const cut = readFileSync(await exported(deep, "PNG picture"));
  expect(cut.readUInt32BE(20) > 16000 && cut.readUInt32BE(20) <= 16384, `height ${cut.readUInt32BE(20)}`);
}

async function savesFolded(browser) {
  const page = await open(browser, flame(draw("folded", SERVICE)));
  const fold = (...options) => run("heapflame", ["fold", "-", ...options], SERVICE);
  const saved = async () => readFileSync(await exported(page, "Folded stacks"), "utf8");
  expectEqual(await saved(), fold(), "all");
  await page.focus("#main");
  for (const key of ["ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  expectEqual(await saved(), fold("--focus", "^serve$"), "zoomed");
  await page.focus("#main");
  await page.keyboard.press("h");
  expectEqual(await saved(), fold("--exclude", "^serve$", "--focus", "^main$"), "zoomed and hidden");
  await page.keyboard.press("u");
  await page.keyboard.press("3");
  expectEqual(await saved(), fold(), "from the leaves");
  await page.keyboard.press("6");
  await page.getByRole("button", { name: "json_string", exact: true }).click();
  expectEqual(await saved(), fold("--focus", "^json_string$"), "sandwich: whole stacks");
  writeFileSync("kept.folded", await saved());
  expectEqual(run("heapflame", ["fold", "kept.folded"]), await saved(), "read again");
}

await runTests(savesSvg, savesForOtherTools, savesHostileNames, savesPng, savesFolded);
