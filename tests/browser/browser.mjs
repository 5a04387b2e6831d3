// Real Chromium for the browser tests: pages that fail their test on any error, dialog or request.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const CHROMIUM = process.env.CHROMIUM || "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

// Ends the test as skipped, saying what is missing.
function skip(reason) {
  console.log(reason);
  process.exit(77);
}

export class Browser {
  constructor(chromium) {
    this.chromium = chromium;
    this.complaints = [];
  }

  static async open() {
    const folder = join(process.env.HEAPFLAME_SRC, "tests/browser");
    if (!existsSync(CHROMIUM)) skip(`${CHROMIUM} is missing (script/bootstrap test installs it)`);
    let playwright;
    try {
      playwright = createRequire(join(folder, "package.json"))("playwright-core");
    } catch {
      skip("playwright-core is missing (script/bootstrap test installs it)");
    }
    return new Browser(await playwright.chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: 300000 }));
  }

  // A page on a file of this machine. `options` go to the page's context: viewport, javaScriptEnabled ... A page of
  // another project may load what lies in its `folder`, and writes to the console. `before` gets it before it loads anything.
  async page(url, { folder, before, ...options } = {}) {
    const page = await this.chromium.newPage({ viewport: { width: 1220, height: 700 }, ...options });
    page.setDefaultTimeout(100000); // of a busy machine; tests/run ends what hangs
    const complain = (what) => this.complaints.push(`${url}: ${what}`);
    page.on("pageerror", (error) => complain(`error: ${error.message}`));
    page.on("console", (message) => {
      if (!folder || message.type() === "error") complain(`console: ${message.text()}`);
    });
    page.on("dialog", (dialog) => {
      complain(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("request", (request) => {
      const isOwn = request.url().split(/[?#]/)[0] === url.split(/[?#]/)[0] || request.url().startsWith("blob:") ||
        (folder && request.url().startsWith(`${folder}/`));
      if (!isOwn)
        complain(`request: ${request.url()}`);
    });
    await before?.(page);
    await page.goto(url);
    return page;
  }

  // Throws if any page complained since it was opened.
  async close() {
    await this.chromium.close();
    if (this.complaints.length) throw new Error(this.complaints.join("\n"));
  }
}

export function expect(condition, message) {
  if (!condition) throw new Error(message);
}

export function expectEqual(got, expected, what) {
  const show = (value) => (typeof value === "bigint" ? `${value}n` : JSON.stringify(value));
  expect(show(got) === show(expected), `${what}: got ${show(got)}, expected ${show(expected)}`);
}

// Runs each test with one browser, or that of the name in SUITE_ONLY alone; an error says which test it is from.
export async function runTests(...tests) {
  const browser = await Browser.open();
  for (const test of tests.filter(({ name }) => [undefined, name].includes(process.env.SUITE_ONLY))) {
    try {
      await test(browser);
    } catch (error) {
      error.message = `${test.name}: ${error.message}`;
      await browser.chromium.close();
      throw error;
    }
  }
  await browser.close();
}
