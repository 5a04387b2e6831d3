// Zoom, search and hover for a flame graph SVG, embedded in each file that heapflame writes.
//
// Without it the file is complete; with it frames answer. It reads what the file holds, loads
// nothing, and puts text into the page as text only. tools/embed.c takes away the indentation and
// the lines that are comments: no template literals here.
//
// What the file promises: the frames stand under #frames in pre-order, each a <g> with
// data-v="start width [released]" (exact, in units of the value), <title>, <rect>, perhaps a second
// <rect> (the released part) and perhaps a <text>.
(function () {
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const HIT = "rgb(230,0,230)";
const MARGIN = 10;
const SEARCH_DEADLINE_MS = 1000;

const holder = document.currentScript ? document.currentScript.ownerSVGElement : document.documentElement;
const byId = function (id) { return holder.querySelector("#" + id); };
const group = byId("frames");
const details = byId("details");
const matched = byId("matched");
const restingDetails = details.textContent;
const pictureWidth = holder.viewBox.baseVal.width;
const frameHeight = Number(group.dataset.height);
const columnWidth = Number(group.dataset.column);

let frames = null;      // see readFrames
let zoomed = 0;         // index of the frame that fills the width
let term = "";          // what is searched for
let ignoresCase = false;
let hits = null;        // Uint8Array by frame, or null

// ---- frames ----

function makeFrame(g, index, firstTop) {
  const rects = g.getElementsByTagName("rect");
  const values = g.dataset.v.split(" ");
  return {
    g: g,
    rect: rects[0],
    releasedRect: rects[1] || null,
    text: g.getElementsByTagName("text")[0] || null,
    start: Number(values[0]),
    width: Number(values[1]),
    released: values.length > 2 ? Number(values[2]) : -1,
    exactWidth: values[1],
    depth: Math.round(Math.abs(rects[0].getAttribute("y") - firstTop) / frameHeight),
    parent: -1,
    end: index + 1,       // one past the last frame above this one
    x: rects[0].getAttribute("x"),
    y: rects[0].getAttribute("y"),
    fill: rects[0].getAttribute("fill"),
    releasedFill: rects[1] ? rects[1].getAttribute("fill") : "",
    shown: "",            // its class
    name: null
  };
}

// Reads the frames on first use: a page that is only looked at does not pay for it.
function readFrames() {
  if (frames) return frames;
  const elements = Array.from(group.children).filter(function (g) { return g.dataset.v; });
  const firstTop = elements.length ? elements[0].getElementsByTagName("rect")[0].getAttribute("y") : 0;
  const open = [];
  frames = elements.map(function (g, index) { return makeFrame(g, index, firstTop); });
  frames.forEach(function (frame, index) {
    while (open.length && frames[open[open.length - 1]].depth >= frame.depth) open.pop();
    frame.parent = open.length ? open[open.length - 1] : -1;
    open.push(index);
  });
  for (let i = frames.length - 1; i > 0; i--) {
    const parent = frames[frames[i].parent];
    if (parent && parent.end < frames[i].end) parent.end = frames[i].end;
  }
  return frames;
}

function titleOf(frame) {
  return frame.g.getElementsByTagName("title")[0].textContent;
}

// The name without its numbers: they begin at the last " (" before a digit or sign.
function nameOf(frame) {
  if (frame.name === null) {
    const found = /^([^]*) \([+\u2212]?\d/.exec(titleOf(frame));
    frame.name = found ? found[1] : titleOf(frame);
  }
  return frame.name;
}

function indexOf(target) {
  const g = target.closest ? target.closest("#frames > g") : null;
  return g ? readFrames().findIndex(function (frame) { return frame.g === g; }) : -1;
}

// ---- text in frames ----

function isDark(fill) {
  const rgb = (fill.match(/\d+/g) || [255, 255, 255]).map(function (channel) {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
  });
  return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2] < 0.179;
}

function colorText(frame) {
  if (!frame.text) return;
  if (isDark(frame.rect.getAttribute("fill"))) frame.text.setAttribute("fill", "#fff");
  else frame.text.removeAttribute("fill");
}

function markOf(frame) {
  if (frame.released < 0) return "";
  return frame.released === 0 ? "+ " : frame.released === frame.width ? "\u2212 " : "\u00b1 ";
}

function labelFor(frame, columns) {
  const mark = markOf(frame);
  const label = shorten(mark + nameOf(frame), columns);
  return mark && columns < 6 && label.endsWith("..") ? mark.trim() : label;
}

function shorten(text, columns) {
  const points = Array.from(text);
  if (points.length <= columns) return text;
  return columns < 3 ? "" : points.slice(0, columns - 2).join("") + "..";
}

// Writes the name into a box `width` px wide, by the mean width of a character.
function writeText(frame, width) {
  const columns = Math.floor(width / columnWidth);
  if (columns < 3) {
    if (frame.text) frame.text.textContent = "";
    return;
  }
  if (!frame.text) {
    frame.text = document.createElementNS(SVG, "text");
    frame.text.setAttribute("y", Number(frame.y) + (frameHeight - 1) / 2 + 3);
    frame.g.appendChild(frame.text);
    colorText(frame);
  }
  frame.text.textContent = labelFor(frame, columns);
  frame.text.setAttribute("x", Number(frame.rect.getAttribute("x")) + 3);
}

// The mean is wrong for some names. Measures first, then writes, so that layout runs once.
function trimTexts(list) {
  const tooLong = [];
  list.forEach(function (text) {
    const room = Number(text.parentNode.getElementsByTagName("rect")[0].getAttribute("width")) - 4;
    const length = text.getComputedTextLength();
    if (length > room) tooLong.push([text, room / length]);
  });
  tooLong.forEach(function (entry) {
    const whole = entry[0].textContent.replace(/\.\.$/, "");
    const columns = Math.floor((Array.from(whole).length + 2) * entry[1]);
    entry[0].textContent = columns < 3 ? "" : Array.from(whole).slice(0, columns - 2).join("") + "..";
  });
}

// ---- zoom ----

// Rounds both edges, not the width, as the file does: neighbours touch.
function setSpan(rect, left, right) {
  const from = Math.round(left * 10), to = Math.round(right * 10);
  rect.setAttribute("x", from / 10);
  rect.setAttribute("width", (to - from) / 10);
}

function place(frame, left, width) {
  setSpan(frame.rect, left, left + width);
  if (frame.releasedRect) {
    const part = width * frame.released / frame.width;
    setSpan(frame.releasedRect, left + width - part, left + width);
  }
  writeText(frame, width);
}

function isAncestor(index, of) {
  return index <= of && frames[index].end > of;
}

function zoomTo(index) {
  const all = readFrames();
  if (!all[index]) return;
  const focus = all[index];
  const scale = (pictureWidth - 2 * MARGIN) / focus.width;
  zoomed = index;
  all.forEach(function (frame, i) {
    const isParent = i < index && isAncestor(i, index);
    const isInside = i >= index && i < focus.end;
    const shown = isParent ? "parent" : isInside ? "" : "hide";
    if (frame.shown !== shown) frame.g.setAttribute("class", shown);
    frame.shown = shown;
    if (isParent) place(frame, MARGIN, pictureWidth - 2 * MARGIN);
    else if (isInside) place(frame, MARGIN + (frame.start - focus.start) * scale, frame.width * scale);
  });
  trimTexts(Array.from(group.querySelectorAll("g:not(.hide) > text")));
  show("unzoom", index !== 0);
  showMatched();
  writeLink();
}

// ---- search ----

// Union of the hits without overlap: a hit below another hit is part of it. In the zoomed frame,
// and exact: 64-bit counts do not fit into a Number.
function matchedPercent() {
  const focus = frames[zoomed];
  let sum = 0n;
  for (let i = 0; i <= zoomed; i++)
    if (hits[i] && isAncestor(i, zoomed)) return 100;
  for (let i = zoomed; i < focus.end;) {
    if (hits[i]) sum += BigInt(frames[i].exactWidth);
    i = hits[i] ? frames[i].end : i + 1;
  }
  const whole = BigInt(focus.exactWidth);
  return whole === 0n ? 0 : Number(sum * 1000000n / whole) / 10000;
}

function showMatched() {
  if (!hits) {
    matched.textContent = " ";
    return;
  }
  const percent = matchedPercent();
  matched.textContent = "Matched: " + (percent === 100 ? "100" : percent.toFixed(2)) + "%";
}

function paint(frame, isHit) {
  frame.rect.setAttribute("fill", isHit ? HIT : frame.fill);
  if (frame.releasedRect) frame.releasedRect.setAttribute("fill", isHit ? HIT : frame.releasedFill);
  colorText(frame);
}

function showHits(found) {
  readFrames().forEach(function (frame, i) {
    const was = Boolean(hits && hits[i]), is = Boolean(found && found[i]);
    if (was !== is) paint(frame, is);
  });
  hits = found;
  byId("search").textContent = found ? "Reset Search" : "Search";
  showMatched();
  writeLink();
}

// Runs in a worker: an expression that takes forever is ended there, and the page stays alive.
function matchAll(event) {
  const expression = new RegExp(event.data.term, event.data.flags);
  postMessage(event.data.names.map(function (name) { return expression.test(name) ? 1 : 0; }));
}

let worker = null;
let workerUrl = null;
let deadline = 0;

function endWorker() {
  clearTimeout(deadline);
  if (worker) worker.terminate();
  worker = null;
}

function startWorker() {
  try {
    workerUrl = workerUrl || URL.createObjectURL(
      new Blob(["onmessage = " + matchAll.toString()], {type: "text/javascript"}));
    return new Worker(workerUrl);
  } catch (error) {
    return null;
  }
}

// Where no worker may run, only plain text is looked for: no expression can hang the page.
function findPlain(names) {
  const fold = function (text) { return ignoresCase ? text.toLowerCase() : text; };
  const wanted = fold(term);
  say("This page may not run a regular expression: looking for the text as it is.");
  showHits(Uint8Array.from(names, function (name) { return fold(name).includes(wanted) ? 1 : 0; }));
}

function search(newTerm) {
  endWorker();
  term = newTerm;
  if (term === "") {
    showHits(null);
    return;
  }
  try {
    new RegExp(term);
  } catch (error) {
    say("Not a regular expression: " + term);
    showHits(null);
    return;
  }
  const names = readFrames().map(nameOf);
  worker = startWorker();
  if (!worker) {
    findPlain(names);
    return;
  }
  worker.onmessage = function (event) {
    endWorker();
    showHits(Uint8Array.from(event.data));
  };
  worker.onerror = function (event) {
    event.preventDefault();
    endWorker();
    findPlain(names);
  };
  deadline = setTimeout(function () {
    endWorker();
    showHits(null);
    say("Given up: this expression takes too long: " + newTerm);
  }, SEARCH_DEADLINE_MS);
  worker.postMessage({term: term, flags: ignoresCase ? "i" : "", names: names});
}

function resetSearch() {
  closeBox();
  search("");
  say("");
}

// ---- the search box: made when asked for, in the corner of what is on the screen ----

let box = null;

function closeBox() {
  if (box) box.remove();
  box = null;
}

function openBox() {
  closeBox();
  const corner = holder.createSVGPoint();
  corner.x = Math.min(window.innerWidth, holder.getBoundingClientRect().right) - 330;
  corner.y = Math.max(8, holder.getBoundingClientRect().top + 30);
  const at = corner.matrixTransform(holder.getScreenCTM().inverse());
  const input = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
  box = document.createElementNS(SVG, "foreignObject");
  box.setAttribute("x", Math.max(0, at.x));
  box.setAttribute("y", at.y);
  box.setAttribute("width", 310);
  box.setAttribute("height", 34);
  input.setAttribute("id", "term");
  input.setAttribute("type", "text");
  input.setAttribute("aria-label", "Search: a regular expression");
  input.setAttribute("placeholder", "regular expression, Enter to search");
  input.setAttribute("style", "box-sizing:border-box;width:300px;font-size:14px;padding:4px");
  input.value = term;
  input.addEventListener("keydown", function (event) {
    event.stopPropagation();
    if (event.key === "Escape") closeBox();
    if (event.key !== "Enter") return;
    const wanted = input.value;
    closeBox();
    say("");
    search(wanted);
  });
  box.appendChild(input);
  holder.appendChild(box);
  input.focus({preventScroll: true});
  input.select();
}

// ---- the edges ----

function show(id, isShown) {
  if (isShown) byId(id).removeAttribute("display");
  else byId(id).setAttribute("display", "none");
}

let lasting = restingDetails;

// A sentence that stays until the next one; "" brings back the file's own.
function say(sentence) {
  lasting = sentence || restingDetails;
  details.textContent = lasting;
}

function toggleCase() {
  ignoresCase = !ignoresCase;
  byId("ignorecase").textContent = ignoresCase ? "IC" : "ic";
  if (term !== "") search(term);
}

// ---- links: s is the term, x and y the place of the zoomed frame in the whole picture ----

function writeLink() {
  const link = new URL(location.href);
  ["s", "x", "y"].forEach(function (key) { link.searchParams.delete(key); });
  if (term !== "") link.searchParams.set("s", term);
  if (zoomed !== 0) {
    link.searchParams.set("x", frames[zoomed].x);
    link.searchParams.set("y", frames[zoomed].y);
  }
  try {
    if (link.href !== location.href) history.replaceState(null, "", link.href);
  } catch (error) {
    // Some frames and schemes forbid it: the link in the address bar stays as it is.
  }
}

function readLink() {
  const given = new URL(location.href).searchParams;
  const wanted = given.get("s");
  if (given.has("x") && given.has("y")) {
    const x = parseFloat(given.get("x")), y = parseFloat(given.get("y"));
    const index = readFrames().findIndex(function (frame) {
      return Math.abs(frame.x - x) < 0.051 && Math.abs(frame.y - y) < 0.051;
    });
    if (index >= 0) zoomTo(index);
    else say("The link's frame is not in this picture.");
  }
  if (wanted) search(wanted);
}

// ---- events ----

function press(id) {
  if (id === "unzoom") zoomTo(0);
  else if (id === "search" && (hits || term !== "")) resetSearch();
  else if (id === "search") openBox();
  else if (id === "ignorecase") toggleCase();
}

holder.addEventListener("click", function (event) {
  const index = indexOf(event.target);
  if (index >= 0) zoomTo(index);
  else press(event.target.id);
});

holder.addEventListener("mouseover", function (event) {
  const g = event.target.closest ? event.target.closest("#frames > g") : null;
  details.textContent = g ?
    group.dataset.nameType + " " + g.getElementsByTagName("title")[0].textContent : lasting;
});

window.addEventListener("keydown", function (event) {
  const key = event.key.toLowerCase();
  const isControl = event.ctrlKey || event.metaKey;
  if (key === "f3" || (isControl && key === "f")) openBox();
  else if (isControl && key === "i") toggleCase();
  else if (key === "enter" || key === " ") {
    if (!event.target.classList || !event.target.classList.contains("button")) return;
    press(event.target.id);
  } else return;
  event.preventDefault();
});

group.setAttribute("class", "live");
["search", "ignorecase"].forEach(function (id) { show(id, true); });
trimTexts(Array.from(group.getElementsByTagName("text")));
readLink();
})();
