// Colours, and what text can be read on them.

export type Rgb = [number, number, number]; // 0 to 255

export function rgbOfHsl(hue: number, saturation: number, lightness: number): Rgb {
  const light = lightness / 100;
  const strength = (saturation / 100) * Math.min(light, 1 - light);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light - strength * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

const linear = (channel: number) => (channel <= 10 ? channel / 3294 : ((channel / 255 + 0.055) / 1.055) ** 2.4);

// As WCAG defines it, 0 to 1.
export function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

// Black or white: where they are equal, either has a contrast of 4.58.
export function textOn(color: Rgb): string {
  return luminance(color) > 0.179 ? "#000" : "#fff";
}
