#!/usr/bin/env node
// The HTML flame graph in Firefox: it opens, draws, zooms, searches in its worker, shows every view, and nothing is complained of.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { writeFileSync } from "node:fs";
import { expect, expectEqual } from "../browser/browser.mjs";
import { Firefox } from "../browser/firefox.mjs";
import { moveInFirefox } from "../browser/moves.mjs";
import { draw, drawFiles, SERVICE } from "../browser/page.mjs";

const details = `document.getElementById("details").textContent`;
const ARROW_UP = "\ue013";
const ENTER = "\ue007";
const MOVES = Number(process.env.HEAPFLAME_MOVES ?? 40); // in each scene

async function opensDrawsAndZooms(firefox) {
  const url = draw("firefox", SERVICE);
  await firefox.ask("WebDriver:Navigate", { url: `${url}#v=flame&s=json&c=names` });
  await firefox.until(`"ready" in document.body.dataset`);
  await firefox.until(`document.getElementById("matched").textContent === "4 frames, 1,840,865, 2.25 %"`);
  // The page draws with the next picture of the screen: under load that is some time later.
  await firefox.until(`(({ height }, context) => context.getImageData(9, height - 9, 1, 1).data[3] === 255)(
    document.querySelector("#main canvas"), document.querySelector("#main canvas").getContext("2d"))`);
  const [width, height, windowHeight] = await firefox.run(`const { clientWidth, clientHeight } = document.querySelector("#main canvas");
    return [clientWidth, clientHeight, innerHeight]`);
  expect(width > 300 && height > 200 && height <= windowHeight, `canvas of ${width} x ${height} in a window ${windowHeight} high`);
  const colors = await firefox.run(`const canvas = document.querySelector("#main canvas");
    const at = (y) => [...canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height - y, 1, 1).data];
    return [at(9), at(27)]`);
  expectEqual(colors[0], [200, 200, 200, 255], "the root's colour");
  expect(colors[1][0] >= 205 && colors[1][2] <= 55 && colors[1][3] === 255, `a warm colour: ${colors[1]}`);
  await firefox.run(`document.getElementById("main").focus()`);
  await firefox.keys(ARROW_UP, ARROW_UP, ENTER);
  expect((await firefox.run(`return ${details}`)).startsWith("serve: 73,605,120"), "zoomed by keys");
  for (const key of ["2", "3", "4", "5", "6", "7", "1"]) {
    await firefox.keys(key);
    const shown = await firefox.run(`return [...document.querySelectorAll("main > section")].filter((section) => !section.hidden).length`);
    const isWide = await firefox.run("return innerWidth >= 1240"); // then the graph stands beside the table and the sandwich
    expectEqual(shown, isWide && (key === "5" || key === "6") ? 2 : 1, `sections of view ${key}`);
  }
  await firefox.run(`const host = document.getElementById("main"), { left, width, bottom } = host.getBoundingClientRect();
    host.dispatchEvent(new MouseEvent("click", { clientX: left + width / 2, clientY: bottom - 27, bubbles: true }))`);
  expect((await firefox.run(`return ${details}`)).startsWith("main: "), "zoomed by a click");
  expectEqual(await firefox.complaints(url), [], "complaints");
}

async function slidesThroughTime(firefox) {
  const files = [1, 2, 3].map((i) => {
    writeFileSync(`point-${i}.folded`, `main;leak ${i * 100}\nmain;cache ${90 - i}\n`);
    return `point-${i}.folded`;
  });
  const url = drawFiles("firefox-series", files, "--series");
  await firefox.ask("WebDriver:Navigate", { url: `${url}#r=1-2` });
  await firefox.until(`"ready" in document.body.dataset`);
  expectEqual(await firefox.run(`return heapflame.main.layout.width[0]`), 101, "what changed");
  await firefox.run(`const [from] = document.querySelectorAll("#timeline input"); from.value = 0; from.dispatchEvent(new Event("input"))`);
  await firefox.until(`heapflame.main.layout.width[0] === 202`);
  expectEqual(await firefox.complaints(url), [], "complaints");
}

async function neverMoves(firefox) {
  await moveInFirefox(firefox, ["small", "diff", "series", "hostile"], MOVES);
}

const firefox = await Firefox.open();
try {
  await opensDrawsAndZooms(firefox);
  await slidesThroughTime(firefox);
  await neverMoves(firefox);
} finally {
  await firefox.close();
}
