#!/usr/bin/env node
// A thousand moves of the pointer at random over each scene of the page (tests/browser/moves.mjs), in Chromium and in Firefox: how
// many clicks met a frame, each the one that was named, while nothing moved. Stops at the first that did not.
//
// usage: moves [--moves=N] [SCENE...]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "../../tests/browser/browser.mjs";
import { Firefox } from "../../tests/browser/firefox.mjs";
import { moveInChromium, moveInFirefox } from "../../tests/browser/moves.mjs";
import { SCENES } from "../../tests/browser/scenes.mjs";

const options = process.argv.slice(2);
const moves = Number(/^--moves=(\d+)$/.exec(options[0] ?? "")?.[1] ?? 1000);
const asked = options.filter((option) => !option.startsWith("--"));
const scenes = asked.length > 0 ? asked : Object.keys(SCENES);

async function tell(browser, move) {
  for (const scene of scenes) {
    const found = await move([scene]);
    console.log(`${browser.padEnd(9)} ${scene.padEnd(10)} ${String(found[scene]).padStart(5)} of ${moves} clicks met a frame, the one that was named; nothing moved`);
  }
}

const folder = mkdtempSync(join(tmpdir(), "heapflame-moves-"));
process.chdir(folder);
const browser = await Browser.open();
const firefox = await Firefox.open();
try {
  await tell("Chromium", (names) => moveInChromium(browser, names, moves));
  await tell("Firefox", (names) => moveInFirefox(firefox, names, moves));
} finally {
  await firefox.close();
  rmSync(folder, { recursive: true });
}
await browser.close();
