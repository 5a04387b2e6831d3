#!/usr/bin/env node
// The HTML flame graph for everybody: axe in every view, themes, the system's colours, large text, dense screens, paper.
// timeout: 400
// sanitized: no, it tests what the page does in a browser
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectEqual } from "../browser/browser.mjs";
import { draw, drawFiles, flame, isOffered, open, runTests, select, SERVICE } from "../browser/page.mjs";
import { SCENES } from "../browser/scenes.mjs";
import { seriesFiles } from "../browser/screenshots.mjs";

const AXE = join(process.env.HEAPFLAME_SRC, "tests/browser/node_modules/axe-core/axe.min.js");
const VIEWS = ["1", "2", "3", "4", "5", "6", "7"];

async function problemsOf(page) {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const { violations, passes } = await page.evaluate(() => window.axe.run());
  expect(passes.length > 10, "axe looked at nothing");
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}

async function passesAxe(browser) {
  writeFileSync("base.folded", "main;serve;handle;cache_fill 92582912\n");
  const address = draw("axe", SERVICE, "--base", "base.folded", "--subtitle", "since yesterday");
  for (const i of [1, 2, 3]) writeFileSync(`point-${i}.folded`, `main;serve;leak ${i * 100}\nmain;cache ${900 - i}\n`);
  const series = await open(browser, drawFiles("axe-series", ["point-1.folded", "point-2.folded", "point-3.folded"], "--series"));
  for (const key of ["1", "6", "7"]) {
    await series.keyboard.press(key);
    expectEqual(await problemsOf(series), [], `series, view ${key}`);
  }
  const files = Array.from({ length: 8 }, (_, i) => `judged-${i}.folded`);
  files.forEach((file, i) => {
    writeFileSync(file, `main;serve;leak ${i * 100}\nmain;cache ${Math.min(i, 4) * 300}\nmain;load ${i < 4 ? 1 : 900}\n`);
    utimesSync(file, 1795300000 + 60 * i, 1795300000 + 60 * i);
  });
  for (const colorScheme of ["light", "dark"]) {
    const verdicts = await open(browser, drawFiles("axe-verdicts", files, "--series"), { colorScheme });
    expect(await verdicts.locator("#timeline .verdict").count() > 1, "no verdicts to look at");
    for (const key of ["1", "7"]) {
      await verdicts.keyboard.press(key);
      expectEqual(await problemsOf(verdicts), [], `verdicts, view ${key}, ${colorScheme}`);
    }
  }
  const threads = await open(browser, drawFiles("axe-threads", [join(process.env.HEAPFLAME_SRC, "tests/fixtures/threads.heap")], "--quiet"));
  expect(await isOffered(threads, "thread"), "no choice of threads");
  expectEqual(await problemsOf(threads), [], "threads");
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, `${address}#k=hide%3Dloop&s=json`, { colorScheme });
    for (const key of VIEWS) {
      await page.keyboard.press(key);
      expectEqual(await problemsOf(page), [], `view ${key}, ${colorScheme}`);
    }
    await page.keyboard.press("1");
    await page.focus("#main");
    await page.keyboard.press("m");
    expectEqual(await problemsOf(page), [], `menu, ${colorScheme}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expectEqual(await problemsOf(page), [], `help, ${colorScheme}`);
  }
}

// A series whose page has every view: owners, source lines, verdicts.
function everything() {
  writeFileSync("service.cc", Array.from({ length: 40 }, (_, i) => `void line_${i + 1}();`).join("\n"));
  const stacks = { "main|serve|Session::open|std::vector::push_back": 500, "main|serve|Cache::fill|std::map::insert": 90, "main|load|json_parse": 40 };
  return Array.from({ length: 8 }, (_, point) => {
    const held = Object.values(stacks).map((bytes, i) => (i === 2 ? bytes : bytes * (1 + point * (1 - i / 2))));
    const told = Object.keys(stacks).map((stack, i) => `Direct leak of ${held[i]} byte(s) in ${point + 1} object(s) allocated from:\n` +
      stack.split("|").reverse().map((name, at) => `    #${at} 0x${at + 1} in ${name} /app/service.cc:${3 + at}\n`).join(""));
    const name = `everything-${point}.lsan`;
    writeFileSync(name, `==1==ERROR: LeakSanitizer: detected memory leaks\n\n${told.join("\n")}\nSUMMARY: AddressSanitizer: ` +
      `${held.reduce((a, b) => a + b)} byte(s) leaked in ${3 * (point + 1)} allocation(s).\n`);
    utimesSync(name, 1795300000 + 3600 * point, 1795300000 + 3600 * point);
    return name;
  });
}

// Every view, theme and width, and nothing that axe finds, of whatever weight.
async function passesAxeEverywhere(browser) {
  const page = await open(browser, drawFiles("everywhere", everything(), "--series", "--source-dir", "."));
  await page.evaluate(readFileSync(AXE, "utf8"));
  for (const width of [1400, 800, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const key of ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"]) {
        await page.keyboard.press(key);
        await page.waitForFunction((view) => heapflame.view.key === view && (view !== "0" || document.querySelector("#source tbody")), key);
        const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
        expect(found.passes.length > 0, "axe looked at nothing");
        expectEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], `view ${key}, ${width} pixels, ${colorScheme}`);
      }
    }
  }
}

async function followsThemes(browser) {
  const page = await open(browser, draw("theme", SERVICE), { colorScheme: "dark" });
  const ground = (of = page) => of.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expectEqual(await ground(), "rgb(23, 24, 26)", "the system's");
  await select(page, "theme", "light");
  expectEqual(await ground(), "rgb(255, 255, 255)", "light");
  expectEqual(new URL(page.url()).hash, "#theme=light", "link");
  const again = await open(browser, page.url(), { colorScheme: "dark" });
  expectEqual([await ground(again), await again.inputValue("#theme")], ["rgb(255, 255, 255)", "light"], "by its link");
  await select(page, "theme", "auto");
  await page.emulateMedia({ colorScheme: "light" });
  expectEqual(await ground(), "rgb(255, 255, 255)", "the system's, changed");
  await page.emulateMedia({ forcedColors: "active" });
  const [pressed, other] = await page.evaluate(() => ["Graph", "Table"].map((view) =>
    getComputedStyle(document.querySelector(`button[data-view=${view}]`)).backgroundColor));
  expect(pressed !== other, `the view that is on looks like the others in forced colours: ${pressed}`);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.keyboard.press("2");
  expectEqual(await page.evaluate(() => document.getAnimations().length), 0, "things that move");
}

// The root's row is seen whole, also after the legend and the like have taken their room.
async function fitsNarrowWindows(browser) {
  const deep = `${Array.from({ length: 60 }, (_, i) => `level_${i}`).join(";")} 10\n`;
  const page = await open(browser, flame(draw("narrow", `${deep}${SERVICE}`)), { viewport: { width: 375, height: 700 } });
  const atBottom = () => page.evaluate(() => {
    const { clientHeight, scrollHeight, scrollTop } = document.getElementById("main");
    return scrollHeight - scrollTop - clientHeight;
  });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await atBottom() <= 1, `${await atBottom()} px below the window`);
  await page.setViewportSize({ width: 375, height: 500 });
  await page.waitForFunction(() => document.getElementById("main").clientHeight < 300);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await atBottom() <= 1, `${await atBottom()} px below a smaller window`);
  const phone = await open(browser, `${drawFiles("phone", seriesFiles(), "--series")}#v=table`, { viewport: { width: 390, height: 780 } });
  const cell = await phone.locator("#table tbody tr").first().locator("td", { hasText: "+30.0 MiB" }).first().boundingBox();
  expect(cell.x + cell.width <= 390, `what changed ends at ${cell.x + cell.width} px`);
  const factor = await phone.locator("#table tbody tr").first().locator("td", { hasText: "\u00d711.0" }).first().boundingBox();
  expect(factor.x + factor.width <= 390, `the factor ends at ${factor.x + factor.width} px`);
  const lines = await phone.locator(".table-bar button").evaluateAll((all) => all.map((button) => button.getBoundingClientRect().height));
  expect(Math.max(...lines) < 40, `buttons of several lines: ${lines}`);
  await phone.evaluate(() => heapflame.setView("compare"));
  const sides = await phone.locator("#sides .chart").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ bottom, height }) => [bottom <= document.querySelector("footer").getBoundingClientRect().top, height >= 6 * 18]));
  expectEqual(sides, [[true, true], [true, true], [true, true]], "A, B and the change, each seen, six rows at least");
  await phone.evaluate(() => heapflame.setView("time"));
  const { x, y } = await phone.locator("#heat canvas").boundingBox();
  await phone.mouse.move(x + 200, y + 9);
  expect((await phone.textContent("#tip")).includes("service-2.heap"), `more than names in the heat map: ${await phone.textContent("#tip")}`);
}

// Lines of what is shown end with a whole part: no number is cut or broken, however narrow the window or long the names.
async function cutsNoNumber(browser) {
  for (const scene of ["series", "diff", "hostile", "rust"]) {
    const page = await open(browser, SCENES[scene].draw());
    for (const width of [1400, 800, 390, 320]) {
      await page.setViewportSize({ width, height: 780 });
      for (const at of [0, 1, 2]) {
        await page.evaluate((row) => heapflame.main.focus(heapflame.main.layout.rowNodes[heapflame.main.layout.rowStart[row]]), at);
        const lines = await page.evaluate(() => [...document.querySelectorAll(".parts")].filter((line) => line.checkVisibility()).map((line) => {
          const { bottom, height, right } = line.getBoundingClientRect();
          const seen = [...line.children].filter((part) => part.getBoundingClientRect().top < bottom - 2);
          return { text: line.textContent, seen: seen.length, rows: height / parseFloat(getComputedStyle(line).fontSize),
            cut: seen.filter((part) => part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > right + 1 || part.getBoundingClientRect().bottom > bottom + 3).map((part) => part.textContent) };
        }));
        const where = `${scene}, ${width} px, row ${at}`;
        expect(lines.length >= 2, `${where}: only ${lines.length} lines`);
        for (const { text, seen, rows, cut } of lines) {
          expect(seen > 0 && rows < 2, `${where}: ${seen} parts in ${rows} rows of ${text}`);
          expectEqual(cut.filter((part) => /\d/.test(part)), [], `${where}: parts that are cut, of ${text}`);
        }
      }
    }
    await page.close();
  }
}

async function growsWithText(browser) {
  const page = await open(browser, flame(draw("large", SERVICE)), { deviceScaleFactor: 2 });
  const canvas = () => page.evaluate(() => {
    const { clientHeight, clientWidth } = document.getElementById("main");
    const { width, height } = document.querySelector("#main canvas");
    return [width / clientWidth, height / clientHeight];
  });
  expectEqual(await canvas(), [2, 2], "pixels of a dense screen");
  await page.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
  await page.setViewportSize({ width: 1000, height: 800 });
  const nameAt = (fromBottom) => page.evaluate((y) => {
    const { left, bottom } = document.getElementById("main").getBoundingClientRect();
    document.querySelector("#main").dispatchEvent(new MouseEvent("click", { clientX: left + 20, clientY: bottom - y, bubbles: true }));
    return document.getElementById("details").textContent.split(":")[0];
  }, fromBottom);
  expectEqual(await nameAt(27), "all", "rows are as high as their text");
  expectEqual(await nameAt(45), "main", "the next row");
  for (const key of VIEWS) {
    await page.keyboard.press(key);
    const clipped = await page.evaluate(() => [...document.querySelectorAll("header *, footer *, #filters *, #picked, td, th")]
      .filter((element) => element.getClientRects().length > 0 && !element.closest(".unseen, #table, #details, #hits")) // those end in "…"
      .filter((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return left < 0 || right > innerWidth + 1 || top < 0 || bottom > innerHeight + 1 ||
          (getComputedStyle(element).overflow !== "visible" && element.scrollWidth > element.clientWidth + 1);
      }).map((element) => element.outerHTML.slice(0, 80)));
    expectEqual(clipped, [], `clipped in view ${key}`);
  }
  await page.keyboard.press("1");
  expect((await page.locator("#main").boundingBox()).height > 300, "no room for the chart");
}

// Text on every colour of a box can be read: a contrast of 4.5 at least, as WCAG 2.1 asks.
async function contrastsOnEveryPalette(browser) {
  const many = Array.from({ length: 60 }, (_, i) => `main;name_${i * 7919};ns::f${i}_[j];java/x/y${i}_[k] ${10 + i}\n`).join("");
  writeFileSync("contrast.folded", "main;name_0;ns::f0_[j];java/x/y0_[k] 900\nmain;freed 500\nmain;name_7919 70\n");
  const palettes = ["hot", "mem", "io", "wakeup", "chain", "java", "js", "perl", "red", "green", "blue", "aqua", "yellow", "purple", "orange"];
  const pages = [...palettes.map((palette) => [draw(`contrast-${palette}`, many, "--colors", palette), ["names"]]),
    [draw("contrast-change", many, "--base", "contrast.folded"), ["relative", "absolute", "red-blue", "groups"]],
    [drawFiles("contrast-sizes", [join(process.env.HEAPFLAME_SRC, "tests/fixtures/service.heaptrack")]), ["groups", "size", "modules"]]];
  for (const [address, colorings] of pages) {
    const page = await open(browser, address);
    for (const [coloring, colorScheme] of colorings.flatMap((one) => [[one, "light"], [one, "dark"]])) {
      await page.emulateMedia({ colorScheme });
      await select(page, "coloring", coloring);
      expectEqual(await page.evaluate(() => heapflame.look.theme), colorScheme, "the theme");
      const worst = await page.evaluate(() => {
        const { look, main: { layout } } = heapflame;
        const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
        const colorOf = look.colorsOf(layout);
        const contrast = (node) => {
          const color = colorOf(node);
          const [red, green, blue] = [color >> 16, (color >> 8) & 255, color & 255].map(linear);
          const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          return look.ink(color) === "#000" ? (light + 0.05) / 0.05 : 1.05 / (light + 0.05);
        };
        return Math.min(...Array.from({ length: layout.tree.count }, (_, node) => contrast(node)));
      });
      expect(worst >= 4.5, `${address}, ${coloring}, ${colorScheme}: a contrast of ${worst}`);
    }
    await page.close();
  }
}

// Paper: one sheet with what the page is of, the graph as it is seen, what colours mean, and the first rows of the table.
async function printsOneSheet(browser) {
  const deep = `${Array.from({ length: 100 }, (_, i) => `level_${i}`).join(";")} 10\n`;
  for (const [name, hash] of [["print", "flat"], ["print-table", "v=table"], ["print-callers", "v=reverse&theme=dark"]]) {
    const page = await open(browser, `${draw(name, deep + SERVICE)}#${hash}`);
    const height = () => page.evaluate(() => document.querySelector("#main canvas").height);
    const before = await height();
    for (const options of [{ landscape: true }, { preferCSSPageSize: true }, { format: "A4" }, { format: "Letter" }]) {
      const sheets = (await page.pdf(options)).toString("latin1").match(/\/Type\s*\/Page\b/g);
      expectEqual(sheets?.length, 1, `${name}: sheets, ${JSON.stringify(options)}`);
    }
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    expect(await page.isVisible("#title") && await page.isVisible("#legend") && !await page.isVisible("#views"), `${name}: what is on paper`);
    expectEqual(await page.locator("#paper tbody tr").count(), 10, `${name}: rows of the table`);
    expectEqual(await page.evaluate(() => heapflame.look.theme), "light", `${name}: colours of paper`);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    expectEqual(await height(), before, `${name}: as before`);
    await page.close();
  }
}

await runTests(passesAxe, passesAxeEverywhere, followsThemes, fitsNarrowWindows, cutsNoNumber, growsWithText, contrastsOnEveryPalette, printsOneSheet);
