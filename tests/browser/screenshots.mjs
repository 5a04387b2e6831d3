// The pictures of the HTML page in docs/page/, made anew: the page of a service with a leak and a cache at eight times, in its main views.
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { drawFiles, open } from "./page.mjs";

// What each stack holds at each of eight times, in KiB.
const MIB = 1024;
const STACKS = {
  "main;Server::run;Server::handle(Request const&);Cache::fill;Cache::insert": [12, 16, 19, 21, 22, 22, 22, 22].map((mib) => mib * MIB),
  "main;Server::run;Server::handle(Request const&);Cache::fill;Cache::index": [2048, 3072, 3328, 3328, 3328, 3328, 3328, 3328],
  "main;Server::run;Server::handle(Request const&);Session::open;Session::remember": [3, 7, 11, 16, 20, 24, 28, 33].map((mib) => mib * MIB),
  "main;Server::run;Server::handle(Request const&);json::parse;json::object;json::string": [1024, 1280, 1024, 1152, 1024, 1280, 1152, 1024],
  "main;Server::run;Log::write;Log::buffer": [512, 512, 768, 512, 512, 768, 512, 512],
  "main;Config::load;json::parse;json::object": [1536, 1536, 512, 512, 512, 512, 512, 512],
  "start_thread;Worker::loop;Worker::drain;Buffer::grow": [6, 6, 4, 3, 4, 2, 3, 3].map((mib) => mib * MIB),
  "start_thread;Worker::loop;Worker::report;std::vector<Sample>::push_back": [256, 256, 256, 256, 256, 1280, 1280, 1280],
};

const FIRST_S = 1767258000; // 2026-01-01 09:00
const HOUR_S = 3600;

const FUNCTIONS = [...new Set(Object.keys(STACKS).flatMap((stack) => stack.split(";")))];
const addressOf = (name) => 0x1000 + 16 * FUNCTIONS.indexOf(name);

// jemalloc's heap_v2 as `jeprof --raw` writes it, names first; every allocation was sampled. Stacks are return addresses.
function heap(point) {
  const hex = (address) => `0x${address.toString(16)}`;
  const held = Object.entries(STACKS).map(([stack, kib]) => [stack, kib[point] * 1024]);
  const values = (bytes) => `${Math.ceil(bytes / 640)}: ${bytes} [0: 0]`;
  return ["--- symbol", "binary=/opt/service", ...FUNCTIONS.map((name) => `${hex(addressOf(name))} ${name}`), "---", "--- heap",
    "heap_v2/1", `  t*: ${values(held.reduce((sum, [, bytes]) => sum + bytes, 0))}`,
    ...held.flatMap(([stack, bytes]) => [`@ ${stack.split(";").reverse().map((name) => hex(addressOf(name) + 1)).join(" ")}`, `  t*: ${values(bytes)}`]),
    "", "MAPPED_LIBRARIES:", "1000-9000 r-xp 00000000 00:00 0 /opt/service", ""].join("\n");
}

export function seriesFiles() {
  return Array.from({ length: 8 }, (_, point) => {
    const name = `service-${point + 1}.heap`;
    writeFileSync(name, heap(point));
    utimesSync(name, FIRST_S + HOUR_S * point, FIRST_S + HOUR_S * point);
    return name;
  });
}

// name: [address after '#', colour scheme]
export const SHOTS = {
  flame: ["", "light"],
  table: ["v=table", "light"],
  suspects: ["v=suspects", "light"],
  sandwich: ["v=sandwich&p=json%3A%3Aparse&r=1-1", "dark"],
  time: ["v=time&r=3-7", "light"],
  compare: ["v=compare", "dark"],
};

// All scenes on one sheet, from pictures NAME.png in a folder.
export async function sheetOf(browser, folder, names, file) {
  const page = await browser.chromium.newPage({ viewport: { width: 1600, height: 1040 } });
  const cells = names.map((name) => `<figure><img src="data:image/png;base64,${readFileSync(`${folder}/${name}.png`, "base64")}"><figcaption>${name}</figcaption></figure>`);
  await page.setContent(`<style>body { margin: 8px; display: grid; grid-template-columns: repeat(4, 1fr); gap: 8px; background: #888; font: 14px sans-serif }
    figure { margin: 0; background: #ddd } img { width: 100%; height: 300px; object-fit: contain; object-position: top } figcaption { padding: 2px 6px }</style>${cells.join("")}`);
  await page.screenshot({ path: file, fullPage: true });
  await page.close();
}

// Each scene as its first screen.
export async function shootScenes(browser, folder, scenes) {
  for (const [name, scene] of Object.entries(scenes)) {
    const page = await open(browser, scene.draw(), { viewport: { width: 1400, height: 800 }, ...scene.options });
    if (scene.isPrinted) {
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    }
    await page.screenshot({ path: `${folder}/${name}.png` });
    await page.close();
  }
}

// Writes them into a folder.
export async function shoot(browser, folder) {
  const address = drawFiles("service", seriesFiles(), "--series", "--title", "A service, eight times");
  for (const [name, [hash, colorScheme]] of Object.entries(SHOTS)) {
    const page = await open(browser, `${address}#${hash}`, { colorScheme, viewport: { width: 980, height: 560 } });
    await page.screenshot({ path: `${folder}/${name}.png` });
    await page.close();
  }
}
