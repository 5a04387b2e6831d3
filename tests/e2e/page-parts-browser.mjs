#!/usr/bin/env node
// Parts of a profile in the HTML flame graph: threads, modules, sizes and lifetimes of objects; mean sizes, source lines, names.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectEqual } from "../browser/browser.mjs";
import { seriesFiles } from "../browser/screenshots.mjs";
import { choose, copied, details, draw, drawFiles, focus, isOffered, open, rows, runTests, select, tick } from "../browser/page.mjs";

const permissions = ["clipboard-read", "clipboard-write"];

// A profile.proto made by hand (github.com/google/pprof/blob/main/proto/profile.proto): fields as [number, value].
function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}
const message = (...fields) => fields.flatMap(([number, value]) =>
  (Array.isArray(value) ? [...varint((number << 3) | 2), ...varint(value.length), ...value] : [...varint(number << 3), ...varint(value)]));
const packed = (...values) => values.flatMap(varint);

const strings = [""];
const text = (of) => (strings.includes(of) ? strings.indexOf(of) : strings.push(of) - 1);
const TYPES = [["alloc_objects", "objects"], ["alloc_space", "bytes"], ["lifetime", "nanoseconds"]];
const MODULES = ["/usr/bin/service", "/usr/lib/libjson.so.5", "/usr/lib/libc.so.6"];
// name, module, file, line
const FUNCTIONS = [["main", 0, "main.c", 10], ["serve", 0, "serve.c", 44], ["parse", 1, "json.c", 7], ["object_add", 1, "json.c", 91],
  ["qsort_r", 2, "", 0], ["compare", 0, "serve.c", 80]];
// stack from the root, thread, objects, bytes, nanoseconds of all of them
const SAMPLES = [
  [["main", "serve", "parse", "object_add"], 1, 1000, 32000, 5_000_000],
  [["main", "serve", "parse"], 2, 10, 40960, 2000],
  [["main", "serve", "qsort_r", "compare"], 2, 2, 2_000_000, 100_000_000],
  [["main", "serve"], 1, 4, 400, 40],
];

function writePprof(name) {
  const id = (of) => FUNCTIONS.findIndex(([function_]) => function_ === of) + 1;
  const labelled = text("thread_id");
  const fields = [
    ...TYPES.map((type) => [1, message(...type.map((of, i) => [i + 1, text(of)]))]),
    ...SAMPLES.map(([stack, thread, ...values]) => [2, message([1, packed(...stack.map(id).reverse())], [2, packed(...values)],
      [3, message([1, labelled], [3, thread])])]),
    ...MODULES.map((path, i) => [3, message([1, i + 1], [2, 0x1000 * (i + 1)], [3, 0x1000 * (i + 2)], [5, text(path)])]),
    ...FUNCTIONS.map(([, module, , line], i) => [4, message([1, i + 1], [2, module + 1], [3, 0x1000 * (module + 1) + 16 * i],
      [4, message([1, i + 1], ...(line ? [[2, line]] : []))])]),
    ...FUNCTIONS.map(([of, , file], i) => [5, message([1, i + 1], [2, text(of)], ...(file ? [[4, text(file)]] : []))]),
  ];
  writeFileSync(name, Uint8Array.from(message(...fields, ...strings.map((of) => [6, [...Buffer.from(of)]]))));
}

writePprof("parts.pb");
const page_ = (name, ...options) => drawFiles(name, ["parts.pb"], "--value", "alloc_space", ...options);
const sumOf = (...samples) => samples.reduce((sum, i) => sum + SAMPLES[i][3], 0);
const top = (page) => rows(page).then(([all]) => all[0]);

// As many bytes for each number as the largest needs, and names beyond what two bytes tell apart.
async function readsNumbersOfEverySize(browser) {
  for (const most of [255, 65535, 65536, 4294967295, 4294967296, 2 ** 52]) {
    const page = await open(browser, draw(`most-${most}`, `a;b ${most}\na 7\n`));
    expectEqual(await rows(page), [[`all ${most + 7}`], [`a ${most + 7}`], [`b ${most}`]], `numbers of up to ${most}`);
    await page.close();
  }
  for (const count of [300, 70000]) {
    const page = await open(browser, draw(`names-${count}`, Array.from({ length: count }, (_, i) => `f${String(i).padStart(6, "0")} ${i + 1}\n`).join("")));
    const found = await rows(page).then(([, all]) => all);
    expectEqual([found.length, ...[0, 255, 256, count - 1].map((i) => found[i])], [count, ...[0, 255, 256, count - 1].map((i) => `f${String(i).padStart(6, "0")} ${i + 1}`)], `${count} names`);
    await page.close();
  }
}

async function showsThreads(browser) {
  const page = await open(browser, page_("threads"));
  expectEqual(await page.locator("#thread option").allTextContents(), ["all", "1", "2"], "threads");
  await select(page, "thread", "2");
  expectEqual(await rows(page).then((all) => all.slice(0, 4)), [["all 2040960"], ["main 2040960"], ["serve 2040960"],
    ["parse 40960", "qsort_r 2000000"]], "the stacks of a thread");
  expectEqual(new URL(page.url()).hash, "#thread=2", "link");
  expectEqual(await top(await open(browser, page.url())), "all 2040960", "by the link");
  await select(page, "metric", "alloc_objects");
  expectEqual(await top(page), "all 12", "objects of a thread");
  const heap = await open(browser, drawFiles("heap-threads", [join(process.env.HEAPFLAME_SRC, "tests/fixtures/threads.heap")]));
  expectEqual(await heap.locator("#thread option").allTextContents(), ["all", "0: main thread", "7"], "of jemalloc");
  const crowd = Array.from({ length: 1200 }, (_, i) => `  t${i}: 1: ${1000 + i} [0: 0]\n`).join("");
  writeFileSync("crowd.heap", `heap_v2/1\n  t*: 1200: 1919400 [0: 0]\n${crowd}@ 0x11 0x21\n  t*: 1200: 1919400 [0: 0]\n${crowd}\nMAPPED_LIBRARIES:\n0-1000 r-xp 0 0:0 0 /opt/server\n`);
  const many = await open(browser, drawFiles("crowd", ["crowd.heap"], "--quiet"));
  expectEqual(await many.locator("#thread option").count(), 1 + 1000 + 1, "threads that can be chosen");
  expectEqual(await many.locator("#thread option").last().textContent(), "200 that hold less are left out", "the others");
  await select(many, "thread", "200");
  expectEqual(await top(many), "all 1200", "the smallest that is listed");
  const folded = await open(browser, draw("no-threads", "main 1\n"));
  expect(!await isOffered(folded, "thread"), "threads of a profile without");
}

async function showsSizesAndLifetimes(browser) {
  const page = await open(browser, page_("classes"));
  expectEqual(await page.locator("#size option").allTextContents(), ["all", "16 B to 256 B", "4.0 KiB to 64.0 KiB", "64.0 KiB to 1.0 MiB"],
    "sizes");
  await select(page, "size", "1");
  expectEqual(await top(page), `all ${sumOf(0, 3)}`, "small objects");
  await select(page, "lifetime", { label: "below 16 nanoseconds" });
  expectEqual(await top(page), `all ${sumOf(3)}`, "small objects that live shortly");
  expectEqual(await top(await open(browser, page.url())), `all ${sumOf(3)}`, "by the link");
  await select(page, "size", "");
  await select(page, "lifetime", { label: "16,777,216 nanoseconds to 268,435,456 nanoseconds" });
  expectEqual(await top(page), `all ${sumOf(2)}`, "objects that live long");
  const folded = await open(browser, draw("no-sizes", "main 1\n"));
  expect(!await isOffered(folded, "size") && !await isOffered(folded, "lifetime"), "sizes of a profile without");
}

async function showsModules(browser) {
  const page = await open(browser, page_("modules"), { permissions });
  await focus(page, "main", "serve", "parse");
  expect((await details(page)).endsWith("· libjson.so.5 · json.c:7"), await details(page));
  expectEqual(await copied(page, "Copy its source line", "the source line"), "json.c:7", "source line");
  await choose(page, "One frame for each module");
  await page.waitForSelector("#filters li");
  expectEqual(await rows(page), [["all 2073360"], ["[service] 2073360"], ["[libc.so.6] 2000000", "[libjson.so.5] 72960"],
    ["[service] 2000000"]], "modules");
  expectEqual(new URL(page.url()).hash, "#k=modules", "link");
  await page.keyboard.press("u");
  await focus(page, "main", "serve", "parse");
  await choose(page, "Drop stacks through [libjson.so.5]");
  await page.waitForFunction(() => heapflame.main.layout.width[0] === 2000400);
  expectEqual(await page.locator("#filters li > span").textContent(), "drop stacks with frames of [libjson.so.5]", "pill");
  expectEqual(await top(await open(browser, page.url())), "all 2000400", "by the link");
  await page.keyboard.press("u");
  await focus(page, "main", "serve", "qsort_r");
  await choose(page, "Hide all of [libc.so.6]");
  await page.waitForFunction(() => !heapflame.main.layout.tree.name.includes(heapflame.profile.names.indexOf("qsort_r")));
  await page.keyboard.press("u");
  await select(page, "coloring", "modules");
  const colors = await page.evaluate(() => ["main", "serve", "parse", "qsort_r"].map((name) => {
    const { layout } = heapflame.main;
    return heapflame.look.colorsOf(layout)(layout.tree.name.indexOf(heapflame.profile.names.indexOf(name)));
  }));
  expect(colors[0] === colors[1] && new Set(colors).size === 3, `colours of modules: ${colors}`);
  expect((await page.textContent("#legend")).includes("Colour: tells modules apart"), "legend");
}

async function showsMeanSizes(browser) {
  const page = await open(browser, page_("means"));
  expect((await details(page)).includes(" · mean size 2.0 KiB · "), await details(page)); // 2,073,360 of 1,016
  await select(page, "metric", "alloc_objects");
  expect((await details(page)).includes(" · mean size 2.0 KiB · "), await details(page));
  await select(page, "coloring", "size");
  await page.keyboard.press("6");
  await page.getByRole("button", { name: "Mean size" }).click();
  expectEqual(await page.locator("#table tbody tr td button").allTextContents(),
    ["compare", "qsort_r", "main", "serve", "parse", "object_add"], "by mean size");
  const at = await page.locator("#table th").allTextContents();
  expectEqual(await page.locator("#table tbody tr").first().locator("td").nth(at.indexOf("Mean size")).textContent(), "976.6 KiB", "mean size");
}

// Who owns what a function holds: of a library's, its caller; of one that several own, who has more than half.
const OWNED = "==1==ERROR: LeakSanitizer: detected memory leaks\n\n" + Object.entries({
  "main|serve|Session::open|std::vector<int>::push_back|std::allocator<int>::allocate": 500, "main|serve|Cache::fill|std::vector<int>::push_back|std::allocator<int>::allocate": 300,
  "main|serve|Cache::fill|std::map<int>::insert": 200, "main|load|Half::one|std::list<int>::push": 70, "main|load|Half::two|std::list<int>::push": 70,
}).map(([stack, bytes]) => `Direct leak of ${bytes} byte(s) in 1 object(s) allocated from:\n` +
  stack.split("|").reverse().map((name, i) => `    #${i} 0x${i + 1} in ${name} /x.cc:${1000 * name.length + name.charCodeAt(0) + name.charCodeAt(name.length - 1)}\n`).join("")).join("\n") + "\nSUMMARY: AddressSanitizer: 1140 byte(s) leaked in 5 allocation(s).\n";

async function showsOwners(browser) {
  const page = await open(browser, draw("owners", OWNED), { permissions });
  await page.keyboard.press("6");
  const column = (title) => page.evaluate((of) => {
    const [head, ...lines] = [...document.querySelectorAll("#table tr")].map((line) => [...line.cells].map((cell) => cell.textContent));
    return Object.fromEntries(lines.map((cells) => [cells[0], cells[head.indexOf(of)]]));
  }, title);
  expectEqual(await column("Owner"), { "std::allocator::allocate": "Session::open", "std::map::insert": "Cache::fill", "std::list::push": "",
    "[direct leak]": "", main: "", serve: "", "std::vector::push_back": "Session::open", "Cache::fill": "Cache::fill", "Session::open": "Session::open", load: "",
    "Half::one": "Half::one", "Half::two": "Half::two" }, "owners");
  await page.fill("#table-filter", "cache::f");
  expectEqual(Object.keys(await column("Owner")).sort(), ["std::map::insert", "Cache::fill"].sort(), "filtered by the owner");
  await page.getByRole("button", { name: "Copy as CSV" }).click();
  await page.waitForFunction(() => document.getElementById("spoken").textContent.startsWith("copied the table"));
  const [titles, line] = (await page.evaluate(() => navigator.clipboard.readText())).split("\n");
  expect(titles.startsWith('"Function","Owner","Itself",') && line.startsWith('"std::map::insert","Cache::fill",200,'), `CSV: ${titles}\n${line}`);
  await page.fill("#table-filter", "");
  await page.locator("#table-filter").press("Tab"); // over the two buttons and the rows to the titles
  for (let i = 0; i < 9 && !await page.evaluate(() => document.activeElement.textContent === "Owner"); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expectEqual(await page.evaluate(() => [document.activeElement.textContent, document.activeElement.parentElement.ariaSort]), ["Owner", "ascending"], "sorted by the keyboard");
  const names = Object.values(await column("Owner"));
  expectEqual(names, [...names].sort(), "by owner");
  const plain = await open(browser, draw("no-owners", "main;f 3\n"));
  await plain.keyboard.press("6");
  expectEqual(await plain.locator("#table th", { hasText: "Owner" }).count(), 0, "a column that says nothing");
}

// Tabs never wrap: where many have no room beside the search, they are a list.
async function keepsTheBarInOneRow(browser) {
  const address = drawFiles("bar", seriesFiles(), "--series");
  for (const width of [1400, 1217, 1216, 800, 390]) {
    const page = await open(browser, address, { viewport: { width, height: 700 } });
    const [bar, search] = await page.evaluate(() => [document.querySelector("header").offsetHeight, document.getElementById("search").offsetWidth]);
    expect(bar <= 48 && search >= 96, `${width} pixels: the bar is ${bar} high, the search ${search} wide`);
    await page.close();
  }
}

// What holds nothing of the value that is shown has no row, and a source line is told by the end of its path.
async function keepsTablesShort(browser) {
  const page = await open(browser, drawFiles("zero", [join(process.env.HEAPFLAME_SRC, "tests/fixtures/service.heaptrack")], "--value", "inuse_space"));
  await page.keyboard.press("6");
  const [shown, held] = await page.evaluate(() => [document.querySelector("#table .table-bar output").textContent,
    new Set([...heapflame.stacks.name].filter((_, node) => node > 0 && heapflame.main.layout.width[node] > 0)).size]);
  expectEqual(shown, `${held} functions`, "functions that hold something");
  expect(await page.evaluate(() => heapflame.profile.head.names - 1) > held, "the profile has none that hold nothing");
  const titles = await page.locator("#answer .source").evaluateAll((cells) => cells.map((cell) => [cell.textContent, cell.title]));
  for (const [text, title] of titles) expect(title.endsWith(text) && !text.includes("/"), `${text} of ${title}`);
}

const LONG = "main;std::vector<std::pair<int, std::string>, std::allocator<int> >::operator<(std::vector<int> const&) const;" +
  "very::long::name_space::of_a_class::with<T>::method_at_the_end 10\n";

async function shortensNames(browser) {
  const page = await open(browser, draw("names", LONG));
  const label = (node, room) => page.evaluate(([of, letters]) => heapflame.look.label(heapflame.main.layout, of, letters), [node, room]);
  expectEqual(await label(2, 200), "std::vector<\u2026>::operator<(\u2026) const", "template arguments and parameters");
  expectEqual(await label(3, 30), "\u2026with<\u2026>::method_at_the_end", "the end is kept");
  expectEqual(await label(3, 10), "method_at\u2026", "the beginning of the end");
  await tick(page, "long");
  expectEqual(await label(2, 200), LONG.split(";")[1], "whole");
  expectEqual(new URL(page.url()).hash, "#long=", "link");
  const kinds = { "f(int) [clone .cold]": "f(\u2026) [clone .cold]", "(anonymous namespace)::f": "(anonymous namespace)::f",
    "operator()(int)": "operator()(\u2026)", "a::operator<<<int>(x, y)": "a::operator<<<\u2026>(\u2026)", "github.com/a/b.(*T).M": "github.com/a/b.(*T).M",
    "<alloc::vec::Vec<T> as Drop>::drop": "<alloc::vec::Vec<\u2026> as Drop>::drop", "f<(": "f<(", "operator->": "operator->" };
  const others = await open(browser, draw("name-kinds", Object.keys(kinds).map((name) => `${name} 1\n`).join("")));
  expectEqual(await others.evaluate(() => Object.fromEntries(heapflame.profile.names.map((name, i) => [name, heapflame.look.nameOf(i)])
    .slice(1, -1).sort())), Object.fromEntries(Object.entries(kinds).sort()), "names");
}

async function saysWhatIsSeen(browser) {
  const page = await open(browser, drawFiles("legend", [join(process.env.HEAPFLAME_SRC, "tests/fixtures/sampled.heap")], "--quiet"));
  expectEqual(await page.textContent("#legend"), "Width: bytes in use, of a frame with its callees. Order: by name, not by time. " +
    "Colour: the crate, package, namespace or file that a function is from. Sampled about once in 512.0 KiB: numbers are estimates. From sampled.heap.", "legend");
  await page.keyboard.press("3");
  expect((await page.textContent("#legend")).startsWith("Width: bytes in use, of a frame with its callers."), "reversed");
  await page.keyboard.press("?");
  expectEqual(await page.locator("#about-legend li").count(), 5, "in the help");
  expect((await page.textContent("#about")).includes("plateau"), "how to read it");
  const fixture = join(process.env.HEAPFLAME_SRC, "tests/fixtures/service.heaptrack");
  spawnSync("heapflame", ["bundle", "-q", fixture, "-o", "service.bundle"]);
  for (const file of [fixture, "service.bundle"]) {
    const legend = await (await open(browser, drawFiles("command", [file]))).textContent("#legend");
    expect(legend.includes(" Process: ./service --port 80. From service."), legend);
  }
}

await runTests(readsNumbersOfEverySize, showsThreads, showsSizesAndLifetimes, showsModules, showsMeanSizes, showsOwners, keepsTheBarInOneRow, keepsTablesShort, shortensNames, saysWhatIsSeen);
