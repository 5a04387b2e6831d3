// Bundles src/ into what the C side embeds, in this folder or the one given: svg_script.js goes into every SVG; viewer.html,
// with style.css and page.html, is filled with data. That is one file, no network, and a policy that allows just this
// script and this style by their hashes.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const here = (name) => new URL(name, import.meta.url).pathname;

async function bundle(entry) {
  const done = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022",
    legalComments: "none", charset: "ascii", logLevel: "warning",
  });
  return done.outputFiles[0].text.trim();
}

const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const script = await bundle("src/main.ts");
const style = await bundle("style.css");
if (script.includes("</script") || script.includes("<!--")) throw new Error("the script would end its element");
const page = readFileSync(here("page.html"), "utf8")
  .replace("@SCRIPT_HASH@", () => hash(script)).replace("@STYLE_HASH@", () => hash(style))
  .replace("@SCRIPT@", () => script).replace("@STYLE@", () => style);
const folder = process.argv[2] ?? here(".");
writeFileSync(`${folder}/viewer.html`, page);

const svgScript = await bundle("src/svg/main.ts");
if (svgScript.includes("]]>")) throw new Error("the script would end its section");
writeFileSync(`${folder}/svg_script.js`, `${svgScript}\n`);
