// The work of a page's script, counted: how often its blocks run, as V8 tells. No time is measured, so whatever else runs on the
// machine does not matter, and a pass over all frames that was not there before is seen.
import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { expectEqual } from "./browser.mjs";

const PATIENCE_MS = 400000; // of a busy machine

// A file of so many generated stacks.
export function generate(name, ...sizes) {
  const file = resolve(`${name}.folded`);
  const out = openSync(file, "w");
  const done = spawnSync(join(process.env.BUILD, "bench/generate-profile"), ["folded", ...sizes.map(String)], { stdio: ["ignore", out, "inherit"] });
  closeSync(out);
  expectEqual(done.status, 0, `generate-profile ${name}`);
  return file;
}

// Opens a page whose script is counted from its first line on. `ran()` says how often blocks ran since it was asked last.
export async function openCounted(browser, url, ready) {
  let session;
  const page = await browser.page(url, {
    viewport: { width: 1220, height: 800 },
    before: async (blank) => {
      blank.setDefaultTimeout(PATIENCE_MS);
      session = await blank.context().newCDPSession(blank);
      await session.send("Profiler.enable");
      await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    },
  });
  await page.waitForSelector(ready);
  const ran = async () => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
    const { result } = await session.send("Profiler.takePreciseCoverage");
    return result.filter((script) => script.url === url).flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
  };
  return { page, ran };
}
