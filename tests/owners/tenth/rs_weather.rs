// Makes the forecasts of a weather service: reads grids of a model, interpolates them for places, and answers by place and hour.
use std::collections::BTreeMap;

const WIDTH: usize = 180;
const HEIGHT: usize = 90;

#[derive(Clone)]
struct Grid {
    hour: u32,
    temperature: Vec<f32>,
    pressure: Vec<f32>,
}

struct Model {
    seed: f32,
}

impl Model {
    fn grid(&self, hour: u32) -> Grid {
        let mut temperature = vec![0.0; WIDTH * HEIGHT];
        let mut pressure = vec![0.0; WIDTH * HEIGHT];
        for y in 0..HEIGHT {
            for x in 0..WIDTH {
                let phase = (x as f32 + hour as f32 * 0.7 + self.seed) * 0.05;
                temperature[y * WIDTH + x] = 30.0 - (y as f32 - 45.0).abs() * 0.8 + phase * 0.1 % 4.0;
                pressure[y * WIDTH + x] = 1013.0 + (phase % 3.0) * 6.0 - y as f32 * 0.05;
            }
        }
        Grid { hour, temperature, pressure }
    }
}

#[derive(Clone)]
struct Place {
    name: String,
    x: f32,
    y: f32,
}

struct Forecast {
    text: String,
    temperature: f32,
    pressure: f32,
    symbol: &'static str,
}

fn bilinear(values: &[f32], x: f32, y: f32) -> f32 {
    let (x0, y0) = (x as usize, y as usize);
    let (fx, fy) = (x - x0 as f32, y - y0 as f32);
    let at = |x: usize, y: usize| values[y.min(HEIGHT - 1) * WIDTH + x.min(WIDTH - 1)];
    let top = at(x0, y0) * (1.0 - fx) + at(x0 + 1, y0) * fx;
    let bottom = at(x0, y0 + 1) * (1.0 - fx) + at(x0 + 1, y0 + 1) * fx;
    top * (1.0 - fy) + bottom * fy
}

fn symbol_of(pressure: f32) -> &'static str {
    match pressure as i32 {
        ..=1009 => "rain",
        1010..=1018 => "cloud",
        _ => "sun",
    }
}

#[derive(Default)]
struct Forecasts {
    by_hour: BTreeMap<u32, Vec<Forecast>>,
    warnings: Vec<String>,
}

impl Forecasts {
    fn compute(&mut self, grid: &Grid, places: &[Place]) {
        let mut forecasts = Vec::with_capacity(places.len());
        for place in places {
            let temperature = bilinear(&grid.temperature, place.x, place.y);
            let pressure = bilinear(&grid.pressure, place.x, place.y);
            let symbol = symbol_of(pressure);
            let text = format!("{}: {symbol}, {temperature:.0} degrees at {}:00, {pressure:.0} hPa", place.name, grid.hour % 24); // guilty
            if temperature < -4.0 && self.warnings.len() < 100 {
                self.warnings.push(format!("frost in {}", place.name));
            }
            forecasts.push(Forecast { text, temperature, pressure, symbol });
        }
        self.by_hour.insert(grid.hour, forecasts);
    }

    fn answer(&self, hour: u32, place: usize) -> Option<&Forecast> {
        self.by_hour.get(&hour)?.get(place)
    }

    fn range(&self, place: usize) -> (f32, f32) {
        let all = self.by_hour.values().filter_map(|f| f.get(place));
        all.fold((f32::MAX, f32::MIN), |(low, high), f| (low.min(f.temperature), high.max(f.temperature)))
    }
}

fn load_places(count: usize) -> Vec<Place> {
    (0..count)
        .map(|n| Place { name: format!("Village {n} at the river"), x: (n * 37 % 1790) as f32 / 10.0, y: (n * 53 % 890) as f32 / 10.0 })
        .collect()
}

fn main() {
    let places = load_places(2600);
    let model = Model { seed: 3.0 };
    let mut forecasts = Forecasts::default();
    for hour in 0..110 {
        let grid = model.grid(hour);
        forecasts.compute(&grid, &places);
    }
    let answer = forecasts.answer(17, 300).unwrap();
    println!("{} ({:.1} hPa, {}) {:?} {}", answer.text, answer.pressure, answer.symbol, forecasts.range(300), forecasts.warnings.len());
}
