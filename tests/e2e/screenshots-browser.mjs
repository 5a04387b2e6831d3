#!/usr/bin/env node
// The pictures in docs/page/ are what the page looks like today: the same size, and nearly the same to the eye, for fonts differ
// from machine to machine. To renew them, look at those that this writes, and copy them.
// timeout: 300
// sanitized: no, it tests what is shown in a browser
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Browser, expect, expectEqual } from "../browser/browser.mjs";
import { SHOTS, shoot } from "../browser/screenshots.mjs";

const DOCS = join(process.env.HEAPFLAME_SRC, "docs/page");
const CELLS = [90, 48]; // a picture is compared as so many means
const MEAN_AT_MOST = 6; // of 255
const CELL_AT_MOST = 110; // lines of text may break elsewhere

// Size of both pictures, and how far their cells are apart: on the average, and at most.
const compared = (page, ...pictures) => page.evaluate(async ([urls, [columns, rows]]) => {
  const [a, b] = await Promise.all(urls.map(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, columns, rows);
    return { size: [image.width, image.height], data: context.getImageData(0, 0, columns, rows).data };
  }));
  const distances = a.data.map((value, i) => Math.abs(value - b.data[i]));
  return { sizes: [a.size, b.size], mean: distances.reduce((x, y) => x + y, 0) / distances.length, most: Math.max(...distances) };
}, [pictures.map((file) => `data:image/png;base64,${readFileSync(file, "base64")}`), CELLS]);

const browser = await Browser.open();
mkdirSync("page", { recursive: true });
await shoot(browser, "page");
const blank = await browser.chromium.newPage();
for (const name of Object.keys(SHOTS)) {
  const { sizes, mean, most } = await compared(blank, join(DOCS, `${name}.png`), `page/${name}.png`);
  expectEqual(sizes[0], sizes[1], `size of ${name}.png`);
  expect(mean <= MEAN_AT_MOST && most <= CELL_AT_MOST,
    `docs/page/${name}.png is not what the page looks like today: ${mean.toFixed(1)} apart on the average, ${most} at most`);
}
const others = await compared(blank, "page/flame.png", "page/table.png");
expect(others.mean > MEAN_AT_MOST, `the comparison tells nothing apart: ${others.mean}`);
await browser.close();
