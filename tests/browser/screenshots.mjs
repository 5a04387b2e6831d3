// The pictures of the HTML page in docs/page/, made anew: the page of a service with a leak at four times, in its main views.
import { utimesSync, writeFileSync } from "node:fs";
import { drawFiles, open } from "./page.mjs";

// What each stack holds, and what it gains from point to point.
const STACKS = {
  "main;Server::run;Server::handle(Request const&);Cache::fill;Cache::insert": [12 << 20, 9 << 20, 1 << 20, 1 << 10],
  "main;Server::run;Server::handle(Request const&);Cache::fill;Cache::index": [2 << 20, 1 << 20, 1 << 18, 0],
  "main;Server::run;Server::handle(Request const&);Session::open;Session::remember": [3 << 20, 8 << 20, 9 << 20, 8 << 20],
  "main;Server::run;Server::handle(Request const&);json::parse;json::object;json::string": [1 << 20, 1 << 18, -(1 << 18), 1 << 17],
  "main;Server::run;Log::write;Log::buffer": [1 << 19, 0, 1 << 18, -(1 << 18)],
  "main;Config::load;json::parse;json::object": [3 << 19, 0, -(1 << 20), 0],
  "start_thread;Worker::loop;Worker::drain;Buffer::grow": [5 << 20, 1 << 20, -(2 << 20), -(1 << 20)],
  "start_thread;Worker::loop;Worker::report;std::vector<Sample>::push_back": [1 << 18, 1 << 18, 1 << 18, 1 << 19],
};

const FIRST_S = 1767258000; // 2026-01-01 09:00
const HOUR_S = 3600;

const FUNCTIONS = [...new Set(Object.keys(STACKS).flatMap((stack) => stack.split(";")))];
const addressOf = (name) => 0x1000 + 16 * FUNCTIONS.indexOf(name);

// jemalloc's heap_v2 as `jeprof --raw` writes it, names first; every allocation was sampled. Stacks are return addresses.
function heap(point) {
  const hex = (address) => `0x${address.toString(16)}`;
  const held = Object.entries(STACKS).map(([stack, gains]) => [stack, gains.slice(0, point + 1).reduce((sum, gain) => sum + gain)]);
  const values = (bytes) => `${Math.ceil(bytes / 640)}: ${bytes} [0: 0]`;
  return ["--- symbol", "binary=/opt/service", ...FUNCTIONS.map((name) => `${hex(addressOf(name))} ${name}`), "---", "--- heap",
    "heap_v2/1", `  t*: ${values(held.reduce((sum, [, bytes]) => sum + bytes, 0))}`,
    ...held.flatMap(([stack, bytes]) => [`@ ${stack.split(";").reverse().map((name) => hex(addressOf(name) + 1)).join(" ")}`, `  t*: ${values(bytes)}`]),
    "", "MAPPED_LIBRARIES:", "1000-9000 r-xp 00000000 00:00 0 /opt/service", ""].join("\n");
}

function points() {
  return [0, 1, 2, 3].map((point) => {
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
};

// Writes them into a folder.
export async function shoot(browser, folder) {
  const address = drawFiles("service", points(), "--series", "--title", "A service, four times");
  for (const [name, [hash, colorScheme]] of Object.entries(SHOTS)) {
    const page = await open(browser, `${address}#${hash}`, { colorScheme, viewport: { width: 980, height: 500 } });
    await page.screenshot({ path: `${folder}/${name}.png` });
    await page.close();
  }
}
