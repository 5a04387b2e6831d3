// Two builds measured in turns: the median of their ratios, round by round, with the interval in which it lies with 95 %.
//
// On a busy machine the least of many rounds is the luck of one: 1.26 and 0.97 were its ratio and that of the medians in the same run.
// What slows one round slows both of its runs, so the ratio is taken within each. Its median ignores rounds in which something else
// ran during one alone. The interval is drawn from the rounds themselves: as many of them, with repetition, 2,000 times.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const DRAWS = 2000;

// The same figures give the same interval.
function dice(seed) {
  let random = seed;
  return (below) => (random = random * 48271 % 2147483647) % below;
}

// Of what each round took then and now.
export function pairedRatio(then, now) {
  const ratios = now.map((value, i) => value / then[i]);
  const roll = dice(20261128);
  const drawn = Array.from({ length: DRAWS }, () => median(ratios.map(() => ratios[roll(ratios.length)]))).sort((a, b) => a - b);
  return { ratio: median(ratios), low: drawn[Math.floor(DRAWS * 0.025)], high: drawn[Math.ceil(DRAWS * 0.975) - 1] };
}

// "met": the median is below the limit. "MISSED": all of the interval is not. "undecided": the median is not, but for noise it may be.
export const verdictOf = ({ ratio, low }, limit) => (ratio < limit ? "met" : low >= limit ? "MISSED" : "undecided");
