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

const encoded = (channel: number) => Math.round(255 * (channel <= 0.0031308 ? 12.92 * channel : 1.055 * channel ** (1 / 2.4) - 0.055));

// Of the OKLCH space, in which equal lightness looks equally light. A chroma that the screen cannot show is lowered until it can.
export function colorOfOklch(lightness: number, chroma: number, hue: number): number {
  const angle = (hue * Math.PI) / 180;
  for (let strength = chroma; ; strength = strength < 0.005 ? 0 : strength * 0.9) {
    const [a, b] = [strength * Math.cos(angle), strength * Math.sin(angle)];
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s;
    if (strength === 0 || [red, green, blue].every((channel) => channel >= 0 && channel <= 1))
      return colorOf(...[red, green, blue].map((channel) => encoded(Math.min(Math.max(channel, 0), 1))) as [number, number, number]);
  }
}
