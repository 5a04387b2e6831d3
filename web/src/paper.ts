// What a printed sheet has below the graph: what is seen, and the functions that hold most.

export function fillPaper(host: HTMLElement, { titles, rows }: { titles: string[]; rows: string[][] }): void {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const title of titles) head.append(Object.assign(document.createElement("th"), { textContent: title }));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const text of row) line.insertCell().textContent = text;
  }
  host.querySelector("table")?.remove();
  host.append(table);
}
