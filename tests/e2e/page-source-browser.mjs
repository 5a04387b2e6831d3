#!/usr/bin/env node
// The source of the places that matter in the HTML flame graph: what each line holds, hostile text, and what never gets into a page.
// timeout: 200
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, expectEqual } from "../browser/browser.mjs";
import { choose, draw, drawFiles, focus, open, runTests, select } from "../browser/page.mjs";

// Stacks from the root, "function file:line", with objects and bytes of each.
function leaks(stacks) {
  const told = stacks.map(([stack, objects, bytes]) => `Direct leak of ${bytes} byte(s) in ${objects} object(s) allocated from:\n` +
    stack.split("|").reverse().map((frame, i) => `    #${i} 0x${i + 1} in ${frame}\n`).join(""));
  const [objects, bytes] = [1, 2].map((at) => stacks.reduce((sum, stack) => sum + stack[at], 0));
  return `==1==ERROR: LeakSanitizer: detected memory leaks\n\n${told.join("\n")}\nSUMMARY: AddressSanitizer: ${bytes} byte(s) leaked in ${objects} allocation(s).\n`;
}

// What the page carries.
function sourceOf(address) {
  const text = /id="source-data">([^<]*)</.exec(readFileSync(new URL(address), "utf8"))[1].trim();
  return text === "" ? [] : JSON.parse(gunzipSync(Buffer.from(text, "base64"))).files;
}

const EVIL = ["</script><script>window.hit=1</script>", "<img src=x onerror=window.hit=1>", "\ttabs\tstay", "x".repeat(600), "\u202eevil\u202c \u001b[2J", "]]>@DATA@&amp;"];
mkdirSync("app/src", { recursive: true });
writeFileSync("app/src/service.cc", Buffer.concat([Buffer.from([...Array.from({ length: 99 }, (_, i) => `line ${i + 1}`), ...EVIL].join("\n")), Buffer.from("\nnot \xff utf-8\r\n", "latin1"),
  Buffer.from(Array.from({ length: 200 }, (_, i) => `line ${i + 107}`).join("\n"))]));
writeFileSync("app/main.c", "int main(void)\n{\n    return serve();\n}\n");
const AT = "/build/elsewhere/app/src/service.cc";
const PROFILE = leaks([[`main /build/app/main.c:3|serve ${AT}:99|remember ${AT}:101`, 2, 500], [`main /build/app/main.c:3|serve ${AT}:99|serve ${AT}:99|remember ${AT}:102`, 1, 300],
  [`main /build/app/main.c:3|serve ${AT}:299|late ${AT}:300`, 4, 40]]);

async function showsSource(browser) {
  const address = draw("source", PROFILE, "--source-dir", "app");
  const page = await open(browser, address, { viewport: { width: 1400, height: 800 } });
  await page.keyboard.press("0");
  await page.waitForSelector("#source tbody tr");
  expect(await page.isVisible("#main") && await page.isVisible("#source"), "beside the graph");
  expectEqual(new URL(page.url()).hash, "#v=source", "link");
  expectEqual(await page.locator("#source-file option").allTextContents(), ["service.cc", "main.c"], "files");
  await select(page, "source-file", { label: "service.cc" });
  const row = (line) => page.locator(`#source tr[data-line="${line}"] td`).allTextContents();
  expectEqual(await page.locator("#source th").allTextContents(), ["With callees", "Itself", "Objects", "Line", "Source"], "titles");
  expectEqual(await row(99), ["800 B", "", "3", "99", "line 99"], "a line with callees, whose recursion counts once");
  const [top, line, bottom] = await page.evaluate(() => {
    const rows = document.querySelector("#source .rows").getBoundingClientRect();
    return [rows.top, document.querySelector("#source tr[data-line='99']").getBoundingClientRect().top, rows.bottom - 40];
  });
  expect(top + 60 < line && line < (top + bottom) / 2, `the line that holds most is in sight, with some above it: ${top}, ${line}, ${bottom}`);
  expectEqual(await row(101), ["500 B", "500 B", "2", "101", EVIL[1]], "a line that allocates");
  expectEqual(await row(100), ["", "", "", "100", EVIL[0]], "a line that holds nothing");
  expectEqual((await row(102)).at(-1), "\ttabs\tstay", "tabs");
  expectEqual((await row(103)).at(-1), `${"x".repeat(500)} \u2026`, "a long line");
  expectEqual((await row(104)).at(-1).includes("\u202e"), false, "what hides text");
  expectEqual((await row(105)).at(-1), EVIL[5], "marks of the page");
  expectEqual((await row(106)).at(-1), "not \\xff utf-8", "no UTF-8");
  expectEqual([await row(200), await page.locator("#source .gap").count()], [[], 2], "what is far away is left out");
  expectEqual((await row(300)).slice(0, 4), ["40 B", "40 B", "4", "300"], "behind the gap");
  expectEqual(await page.evaluate(() => [window.hit, document.scripts.length]), [null, 4], "no script came with it");
  await page.keyboard.press("2");
  await focus(page, "[direct leak]", "main");
  await choose(page, "beside the graph");
  await page.waitForSelector("#source .aim");
  expectEqual(await page.locator("#source .aim td.code").textContent(), "    return serve();", "by the menu");
  const again = await open(browser, `${address}#v=source`, { viewport: { width: 390, height: 700 } });
  await again.waitForSelector("#source tbody tr");
  expectEqual(await again.inputValue("#view-list"), "Source", "by its link, on a phone");
}

// Lines of a file that was written after the recording may have moved.
async function warnsOfNewerFiles(browser) {
  mkdirSync("newer");
  writeFileSync("newer/keep.c", "#include <stdlib.h>\nchar *volatile held;\nint main(void)\n{\n    held = malloc(1 << 20);\n    return held == 0;\n}\n");
  for (const [command, ...words] of [["gcc", "-g", "-o", "keep", "newer/keep.c"], ["heapflame", "run", "-q", "--exact", "-o", "keep.hfb", "--", "./keep"]]) {
    const done = spawnSync(command, words, { encoding: "utf8" });
    expectEqual(done.status, 0, `${command}: ${done.stderr}`);
  }
  for (const [seconds, isTold] of [[-3600, false], [3600, true]]) {
    utimesSync("newer/keep.c", Date.now() / 1000 + seconds, Date.now() / 1000 + seconds);
    const page = await open(browser, `${drawFiles("newer-file", ["keep.hfb"], "--source-dir", "newer")}#v=source`);
    await page.waitForSelector("#source tbody tr");
    expectEqual((await page.textContent("#source output")).includes("the file is newer than the recording"), isTold, `written ${seconds} s later`);
    await page.close();
  }
}

// What is no source, is called otherwise, lies outside of the folder, or that not everybody may read, stays out.
async function takesSourceAlone(browser) {
  const at = resolve("closed");
  mkdirSync("closed/inside", { recursive: true });
  const files = { "binary.c": "a\0b\n", "secret.conf": "password\n", "private.c": "mine\n", "open.c": "open\n", "empty.c": "" };
  for (const [name, text] of Object.entries(files)) writeFileSync(`closed/${name}`, text);
  chmodSync("closed/private.c", 0o600);
  mkdirSync("closed/folder.c", { recursive: true });
  spawnSync("mkfifo", ["closed/fifo.c"]);
  const names = ["binary.c", "secret.conf", "private.c", "open.c", "empty.c", "folder.c", "fifo.c", "missing.c", "inside/../open.c"];
  const profile = leaks(names.map((name, i) => [`f${i} ${at}/${name}:1`, 1, 100 + i]));
  const found = (...options) => sourceOf(draw("alone", profile, ...options)).map(({ file }) => file.slice(at.length + 1));
  expectEqual(found(), ["inside/../open.c", "open.c"], "what everybody may read");
  expectEqual(found("--source-dir", at), ["inside/../open.c", "open.c", "private.c"], "in a folder that was named");
  expectEqual(found("--source-dir", "closed/inside", "--source", "1"), ["inside/../open.c"], "as many as asked for");
  expectEqual(found("--source", "0"), [], "none");
  const outside = leaks([["f ../open.c:1", 1, 1], ["g ../../../closed/private.c:1", 1, 2]]);
  expectEqual(sourceOf(draw("outside", outside, "--source-dir", "closed/inside")), [], "out of the folder");
  const page = await open(browser, draw("sourceless", outside));
  expect(!await page.isVisible("button[data-view=Source]"), "a view of nothing");
  await page.keyboard.press("0");
  expect(await page.isVisible("#main") && !await page.isVisible("#source"), "by its key");
  const said = (...options) => spawnSync("heapflame", ["flame", "-", "-o", "said.html", ...options], { input: outside, encoding: "utf8" }).stderr;
  expect(!said().includes("source") && said("--source", "20").includes("no source was found"), `said: ${said("--source", "20")}`);
}

await runTests(showsSource, warnsOfNewerFiles, takesSourceAlone);
