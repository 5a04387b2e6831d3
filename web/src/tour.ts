// "How to read this": four steps, one at a time.

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Tour {
  private readonly dialog = find<HTMLDialogElement>("about");
  private readonly steps = [...find("tour").children] as HTMLElement[];
  private at = 0;

  constructor() {
    find("help").addEventListener("click", () => this.open());
    find("close").addEventListener("click", () => this.dialog.close());
    find("tour-back").addEventListener("click", () => this.go(this.at - 1));
    find("tour-next").addEventListener("click", () => (this.at + 1 < this.steps.length ? this.go(this.at + 1) : this.dialog.close()));
  }

  open(): void {
    this.go(0);
    this.dialog.showModal();
    find("tour-next").focus();
  }

  private go(at: number): void {
    this.at = at;
    this.steps.forEach((step, i) => { step.hidden = i !== at; });
    find("tour-at").textContent = `${at + 1} of ${this.steps.length}`;
    find<HTMLButtonElement>("tour-back").disabled = at === 0;
    find("tour-next").textContent = at + 1 < this.steps.length ? "Next" : "Done";
  }
}
