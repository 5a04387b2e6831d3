'use strict';
// Steers greenhouses: sensors in beds, valves and vents, and a diary that the gardeners read.

class Random {
  constructor(seed) {
    this.seed = seed;
  }
  next() {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
    return this.seed / 4294967296;
  }
}

class Bed {
  constructor(name, crop) {
    this.name = name;
    this.crop = crop;
    this.moisture = 0.5;
    this.celsius = 20;
    this.valve = false;
  }

  live(sun, random) {
    this.moisture += (this.valve ? 0.04 : 0) - 0.008 - 0.01 * sun * random.next();
    this.moisture = Math.min(1, Math.max(0, this.moisture));
    this.celsius += (14 + 18 * sun - this.celsius) * 0.1 + random.next() - 0.5;
  }
}

class Diary {
  constructor() {
    this.entries = [];
    this.byKind = new Map();
  }

  write(minute, bed, kind, detail) {
    this.entries.push({ minute, bed: bed.name, kind, detail, state: { ...bed } }); // guilty
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + 1);
  }

  page(n) {
    return this.entries.slice(-n).map((e) => `${e.minute} ${e.bed}: ${e.kind} ${e.detail}`).join('\n');
  }
}

const crops = {
  tomato: { dry: 0.35, wet: 0.6, hot: 30 },
  lettuce: { dry: 0.45, wet: 0.7, hot: 24 },
  basil: { dry: 0.3, wet: 0.5, hot: 28 },
};

class Controller {
  constructor(diary) {
    this.diary = diary;
    this.vents = new Map();
    this.litres = 0;
  }

  water(minute, bed) {
    const limits = crops[bed.crop];
    if (!bed.valve && bed.moisture < limits.dry) {
      bed.valve = true;
      this.diary.write(minute, bed, 'open', `at ${bed.moisture.toFixed(3)}`);
    } else if (bed.valve && bed.moisture > limits.wet) {
      bed.valve = false;
      this.diary.write(minute, bed, 'close', `at ${bed.moisture.toFixed(3)}`);
    }
    if (bed.valve) this.litres += 2;
  }

  air(minute, house) {
    const mean = house.beds.reduce((sum, bed) => sum + bed.celsius, 0) / house.beds.length;
    const wanted = mean > 25 ? Math.min(100, Math.round((mean - 25) * 20)) : 0;
    if (Math.abs(wanted - (this.vents.get(house.name) ?? 0)) >= 10) {
      this.vents.set(house.name, wanted);
      for (const bed of house.beds) this.diary.write(minute, bed, 'vent', `${wanted} %`);
    }
  }

  heat(minute, bed) {
    if (bed.celsius > crops[bed.crop].hot) this.diary.write(minute, bed, 'hot', bed.celsius.toFixed(1));
  }
}

class House {
  constructor(name, beds) {
    this.name = name;
    this.beds = beds;
  }
}

class Statistics {
  constructor() {
    this.window = [];
    this.highest = 0;
  }
  sample(houses) {
    const all = houses.flatMap((house) => house.beds.map((bed) => bed.celsius));
    all.sort((a, b) => a - b);
    this.window.push(all[all.length >> 1]);
    if (this.window.length > 60) this.window.shift();
    this.highest = Math.max(this.highest, this.window.reduce((a, b) => a + b) / this.window.length);
  }
}

function build(count) {
  const names = Object.keys(crops);
  const houses = [];
  for (let h = 0; h < count; h++) {
    const beds = [];
    for (let b = 0; b < 8; b++) beds.push(new Bed(`${h}/${b}`, names[(h + b) % names.length]));
    houses.push(new House(`house ${h}`, beds));
  }
  return houses;
}

const diary = new Diary();

function main() {
  const random = new Random(5);
  const houses = build(12);
  const controller = new Controller(diary);
  const statistics = new Statistics();
  let letters = 0;
  for (let minute = 0; minute < 6000; minute++) {
    const sun = Math.max(0, Math.sin((minute / 720) * Math.PI));
    for (const house of houses) {
      for (const bed of house.beds) {
        bed.live(sun, random);
        controller.water(minute, bed);
        controller.heat(minute, bed);
      }
      controller.air(minute, house);
    }
    statistics.sample(houses);
    if (minute % 60 === 0) letters += diary.page(25).length;
  }
  console.log(`${diary.entries.length} entries`, Object.fromEntries(diary.byKind));
  console.log(`${controller.litres} litres, at most ${statistics.highest.toFixed(2)} degrees, ${letters} letters`);
}

main();
