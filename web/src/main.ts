// Reads what the page carries, and shows it. A file that is dropped makes another profile, whose page takes its place.

import { Page } from "./page";
import { readProfile, type Profile } from "./profile";

const text = (id: string) => document.getElementById(id)!.textContent!;

const [head, data] = [text("head"), text("data").trim()];
let empty: HTMLElement | undefined; // the page before anything is in it

async function show(profile: Profile): Promise<Page> {
  empty = document.body.cloneNode(true) as HTMLElement;
  const page: Page = new Page(profile, (other) => {
    page.end();
    document.body.replaceWith(empty!);
    history.replaceState(null, "", location.pathname + location.search);
    void show(other);
  });
  Object.assign(globalThis, { heapflame: page });
  await page.start();
  document.body.dataset.ready = "";
  return page;
}

readProfile(head, data).then((profile) => show(Object.assign(profile, { source: text("source-data").trim() }))).catch((error: Error) => {
  document.getElementById("details")!.textContent = `This page cannot be shown: ${error.message}`;
});
