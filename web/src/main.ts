// Reads what the page carries, and shows it.

import { Page } from "./page";
import { readProfile } from "./profile";

const text = (id: string) => document.getElementById(id)!.textContent!;

readProfile(text("head"), text("data").trim()).then(async (profile) => {
  const page = new Page(profile);
  Object.assign(globalThis, { heapflame: page });
  await page.start();
  document.body.dataset.ready = "";
}).catch((error: Error) => {
  document.getElementById("details")!.textContent = `This page cannot be shown: ${error.message}`;
});
