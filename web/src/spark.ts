// A line as small as a word that shows how something went.

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 72;
const HEIGHT = 18;

// `said`: the same for those who cannot see it.
export function sparkline(values: number[], said: string): SVGSVGElement {
  const top = Math.max(...values, 1);
  const x = (i: number) => 2 + (i * (WIDTH - 4)) / Math.max(values.length - 1, 1);
  const y = (value: number) => HEIGHT - 2 - (value * (HEIGHT - 4)) / top;
  const make = (name: string, attributes: Record<string, string | number>) => {
    const element = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
  };
  const svg = make("svg", { class: "spark", width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said }) as SVGSVGElement;
  const line = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  svg.append(
    make("polyline", { points: `2,${HEIGHT - 2} ${line} ${WIDTH - 2},${HEIGHT - 2}`, class: "area" }),
    make("polyline", { points: line, class: "line" }),
    make("circle", { cx: x(values.length - 1), cy: y(values.at(-1)!), r: 1.8 }),
  );
  return svg;
}
