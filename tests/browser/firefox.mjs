// Real Firefox for a smoke test, through Marionette, its own protocol: "LENGTH:JSON" over TCP, [0, id, command, parameters]
// answered by [1, id, error, result] (firefox-source-docs.mozilla.org/testing/marionette/Protocol.html).
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const FIREFOX = process.env.FIREFOX || "/usr/bin/firefox-esr";
const START_MS = 120_000; // a machine that is busy needs long for the first start

const PREFERENCES = {
  "marionette.port": 0, // any; it is written to a file of the profile
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "toolkit.telemetry.enabled": false,
};

export class Firefox {
  constructor(child, profile) {
    this.child = child;
    this.profile = profile;
    this.received = Buffer.alloc(0);
    this.waiting = new Map(); // id -> what to call
    this.id = 0;
  }

  static async open() {
    if (!existsSync(FIREFOX)) {
      console.log(`${FIREFOX} is missing (script/bootstrap test installs it)`);
      process.exit(77);
    }
    const profile = mkdtempSync(join(tmpdir(), "firefox-"));
    writeFileSync(join(profile, "user.js"),
      Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(""));
    const child = spawn(FIREFOX, ["--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile],
      { stdio: "ignore", env: { ...process.env, HOME: profile } });
    const firefox = new Firefox(child, profile);
    await firefox.connect(join(profile, "MarionetteActivePort"));
    await firefox.ask("WebDriver:NewSession", { capabilities: { alwaysMatch: { unhandledPromptBehavior: "ignore" } } });
    return firefox;
  }

  async connect(portFile) {
    const end = Date.now() + START_MS;
    while (!existsSync(portFile) || readFileSync(portFile, "utf8") === "") {
      if (Date.now() > end || this.child.exitCode !== null) throw new Error("Firefox does not start");
      await sleep(100);
    }
    this.socket = connect(Number(readFileSync(portFile, "utf8")), "127.0.0.1");
    this.socket.on("data", (data) => this.receive(data));
    await new Promise((resolve) => this.waiting.set("hello", resolve));
  }

  receive(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const colon = this.received.indexOf(":");
      const end = colon + 1 + Number(this.received.subarray(0, colon));
      if (colon < 0 || this.received.length < end) return;
      const message = JSON.parse(this.received.subarray(colon + 1, end));
      this.received = this.received.subarray(end);
      const [, id, error, result] = Array.isArray(message) ? message : [1, "hello", null, message];
      this.waiting.get(id)(error ? Promise.reject(new Error(`${error.error}: ${error.message}`)) : result);
      this.waiting.delete(id);
    }
  }

  ask(command, parameters = {}) {
    const id = ++this.id;
    const text = JSON.stringify([0, id, command, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  // The body of a function that returns what is asked.
  async run(script, ...args) {
    return (await this.ask("WebDriver:ExecuteScript", { script, args, sandbox: null })).value;
  }

  // Waits until an expression is true.
  async until(expression) {
    for (let i = 0; i < 300; i++) {
      if (await this.run(`return Boolean(${expression})`)) return;
      await sleep(100);
    }
    throw new Error(`never true: ${expression}`);
  }

  async keys(...keys) {
    await this.ask("WebDriver:PerformActions", { actions: [{ type: "key", id: "keys",
      actions: keys.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]) }] });
  }

  // Errors, warnings and violations of the policy that the browser knows of a page.
  async complaints(url) {
    await this.ask("Marionette:SetContext", { value: "chrome" });
    const all = await this.run(`return Services.console.getMessageArray().filter((message) => message instanceof Ci.nsIScriptError)
      .map(({ errorMessage, sourceName }) => [sourceName, errorMessage])`);
    await this.ask("Marionette:SetContext", { value: "content" });
    return all.filter(([source]) => source?.split(/[?#]/)[0] === url.split(/[?#]/)[0]).map(([, message]) => message);
  }

  async close() {
    const isGone = new Promise((resolve) => this.child.once("exit", resolve));
    await this.ask("Marionette:Quit", { flags: ["eForceQuit"] });
    this.socket.end();
    await isGone;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
