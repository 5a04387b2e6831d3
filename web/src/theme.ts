// Light, dark, or as the system has it.

import type { Theming } from "./palette";

const THEMES = ["auto", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

export function themeOf(text: string | null): Theme {
  return THEMES.find((theme) => theme === text) ?? "auto";
}

const systemIsDark = () => matchMedia("(prefers-color-scheme: dark)");

// What it comes to now.
export function themingOf(theme: Theme): Theming {
  return theme === "auto" ? (systemIsDark().matches ? "dark" : "light") : theme;
}

// A list to choose from. `changed` is called with what was chosen, and when the system's colours change.
export function listThemes(select: HTMLSelectElement, first: Theme, changed: (theme: Theme) => void, signal: AbortSignal): void {
  select.replaceChildren(...THEMES.map((theme) => new Option(theme, theme)));
  select.value = first;
  const apply = () => {
    document.documentElement.dataset.theme = select.value;
    changed(themeOf(select.value));
  };
  document.documentElement.dataset.theme = first;
  select.addEventListener("change", apply);
  for (const query of [systemIsDark(), matchMedia("(forced-colors: active)")]) query.addEventListener("change", apply, { signal });
}
