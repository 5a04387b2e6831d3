// Colours as numbers, 0xRRGGBB, and what text can be read on them.

export const colorOf = (red: number, green: number, blue: number) => (red << 16) | (green << 8) | blue;

// "#e6771c"
export const cssOf = (color: number) => `#${color.toString(16).padStart(6, "0")}`;

export function colorOfHsl(hue: number, saturation: number, lightness: number): number {
  const light = lightness / 100;
  const strength = (saturation / 100) * Math.min(light, 1 - light);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light - strength * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return colorOf(channel(0), channel(8), channel(4));
}

const linear = (channel: number) => (channel <= 10 ? channel / 3294 : ((channel / 255 + 0.055) / 1.055) ** 2.4);

// As WCAG defines it, 0 to 1.
export function luminance(color: number): number {
  return 0.2126 * linear(color >> 16) + 0.7152 * linear((color >> 8) & 255) + 0.0722 * linear(color & 255);
}

// Black or white: where they are equal, either has a contrast of 4.58.
export function textOn(color: number): string {
  return luminance(color) > 0.179 ? "#000" : "#fff";
}
