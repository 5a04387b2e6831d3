// Light, dark, or as the system has it.

const THEMES = ["auto", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

export function themeOf(text: string | null): Theme {
  return THEMES.find((theme) => theme === text) ?? "auto";
}

// A list to choose from. `changed` is called with what was chosen, and when the system's colours change.
export function listThemes(select: HTMLSelectElement, first: Theme, changed: (theme: Theme) => void): void {
  for (const theme of THEMES) select.add(new Option(theme, theme));
  select.value = first;
  const apply = () => {
    document.documentElement.dataset.theme = select.value;
    changed(themeOf(select.value));
  };
  document.documentElement.dataset.theme = first;
  select.addEventListener("change", apply);
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"])
    matchMedia(query).addEventListener("change", apply);
}
