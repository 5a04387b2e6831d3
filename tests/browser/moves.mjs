// Moves of the pointer at random over scenes (scenes.mjs), in Chromium and in Firefox: nothing of the layout moves, and a click meets
// the frame that was named. What a click meets is noted, and not followed.
import { expect, expectEqual } from "./browser.mjs";
import { open } from "./page.mjs";
import { dice, SCENES } from "./scenes.mjs";

// These run in the page.
const noteClicks = () => {
  window.met = [];
  for (const chart of heapflame.charts) chart.choose = (node) => window.met.push([chart.hovered, node, document.getElementById("tip").hidden ? "" : document.querySelector("#tip p").textContent]);
};
const judgeClicks = () => {
  const { main: { layout }, profile: { names } } = heapflame;
  const nameOf = (node) => names[layout.tree.name[node]];
  return { clicks: window.met.length, wrong: window.met.filter(([hovered, node, told]) => hovered !== node || (nameOf(node).length < 100 && !told.includes(nameOf(node)))) };
};
const areaOfGraph = () => {
  const { left, top, width, height } = document.getElementById("main").getBoundingClientRect();
  return [left, top, width, Math.min(height, heapflame.main.shownRows * 18)];
};
const zoomSomewhere = () => {
  const { layout } = heapflame.main;
  const candidates = layout.rowNodes.filter((node) => node > 0 && layout.width[node] < 0.7 * layout.width[0] && layout.width[node] > 0.05 * layout.width[0]);
  if (candidates.length > 0) heapflame.zoom(heapflame.main, candidates[0]);
};
// Firefox does not tell shifts: whatever stands in the page is looked at around every move, by what the page draws next.
const watchPlaces = () => {
  const placesOf = () => [...document.querySelectorAll("header *, section, section *, footer, main > *, #answer *")].filter((one) => !one.closest("#tip, [popover], dialog"))
    .map((one) => Object.values(one.getBoundingClientRect().toJSON()).join(" "));
  const isFirst = window.placesBefore === undefined;
  window.placesBefore = placesOf();
  window.shifts = [];
  if (isFirst) document.addEventListener("mousemove", () => requestAnimationFrame(() => requestAnimationFrame(() => {
    const moved = placesOf().filter((place, i) => place !== window.placesBefore[i]).length;
    if (moved > 0) window.shifts.push(moved);
  })));
};

function check(name, when, { clicks, wrong }) {
  expectEqual(wrong, [], `${name}, ${when}: clicks that met another frame than was named`);
  expect(name === "empty" || clicks > 0, `${name}, ${when}: no click met a frame`);
  return clicks;
}

// At random, but for a pixel at the edges.
function* places([left, top, width, height], moves, seed) {
  const roll = dice(seed);
  for (let i = 0; i < moves; i++) yield [left + 1 + roll(Math.floor(width - 2)), top + 1 + roll(Math.max(Math.floor(height) - 2, 1))].map(Math.round);
}

// Clicks that met frames, of `moves` in each scene: half at the root, half zoomed.
export async function moveInChromium(browser, scenes, moves) {
  const found = {};
  for (const name of scenes) {
    const scene = SCENES[name];
    const page = await open(browser, scene.draw(), { ...scene.options, isMobile: false, hasTouch: false });
    const settled = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done([...window.shifts]), 50)))));
    await page.evaluate(() => {
      window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: "layout-shift" });
    });
    found[name] = 0;
    for (const [i, when] of ["at the root", "zoomed"].entries()) {
      if (i > 0) await page.evaluate(zoomSomewhere);
      await settled(); // a zoom may move its crumbs; the pointer moves nothing
      await page.evaluate(() => { window.shifts.length = 0; });
      await page.evaluate(noteClicks);
      for (const place of places(await page.evaluate(areaOfGraph), moves / 2, 11 + i)) {
        await page.mouse.move(...place);
        await page.mouse.down();
        await page.mouse.up();
      }
      expectEqual(await settled(), [], `${name}, ${when}: shifts of the layout`);
      found[name] += check(name, when, await page.evaluate(judgeClicks));
    }
    expect(name === "empty" || found[name] > moves / 4, `${name}: only ${found[name]} of ${moves} clicks met a frame`);
    await page.close();
  }
  return found;
}

const MOVES_AT_ONCE = 50; // in one command of Firefox' protocol

export async function moveInFirefox(firefox, scenes, moves) {
  const found = {};
  const run = (inPage) => firefox.run(`return (${inPage})()`);
  for (const name of scenes) {
    await firefox.ask("WebDriver:Navigate", { url: SCENES[name].draw() });
    await firefox.until(`"ready" in document.body.dataset && heapflame.main.drawnBoxes ${name === "empty" ? ">= 0" : "> 0"}`);
    found[name] = 0;
    for (const [i, when] of ["at the root", "zoomed"].entries()) {
      if (i > 0) await run(zoomSomewhere);
      await firefox.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))");
      await run(watchPlaces);
      await run(noteClicks);
      const all = [...places(await run(areaOfGraph), moves / 2, 11 + i)];
      for (let at = 0; at < all.length; at += MOVES_AT_ONCE) {
        const actions = all.slice(at, at + MOVES_AT_ONCE).flatMap(([x, y]) => [{ type: "pointerMove", duration: 0, x, y, origin: "viewport" }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }]);
        await firefox.ask("WebDriver:PerformActions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
      }
      await firefox.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))))");
      expectEqual(await firefox.run("return window.shifts"), [], `${name}, ${when}: elements that moved`);
      found[name] += check(name, when, await run(judgeClicks));
    }
    expect(name === "empty" || found[name] > moves / 4, `${name}: only ${found[name]} of ${moves} clicks met a frame`);
  }
  return found;
}
