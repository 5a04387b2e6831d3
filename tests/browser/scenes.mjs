// The scenes in which the page is looked at: by those who review it (docs/page/), and by tests that count what moves. Each has
// its profiles, made here, the same every time.
import { utimesSync, writeFileSync } from "node:fs";
import { draw, drawFiles, SERVICE } from "./page.mjs";
import { seriesFiles } from "./screenshots.mjs";

const MIB = 1 << 20;

// The same numbers every time.
export function dice(seed = 1) {
  let random = seed;
  return (below) => (random = random * 48271 % 2147483647) % below;
}

// A hundred frames deep, names of three hundred letters, as async Rust has them.
function rust() {
  const roll = dice(7);
  const generic = (name, depth) => `${name}<${Array.from({ length: 5 }, (_, i) =>
    `core::pin::Pin<alloc::boxed::Box<service::${name.split("::").at(-1)}::Stage${i}<hyper::body::Incoming>>>`).join(", ")}, ${depth}>`;
  const trunk = ["_start", "__libc_start_main", "main", "std::rt::lang_start::{{closure}}", "std::sys::backtrace::__rust_begin_short_backtrace",
    "core::ops::function::FnOnce::call_once", "service::main", "tokio::runtime::runtime::Runtime::block_on",
    ...Array.from({ length: 40 }, (_, i) => generic(["tokio::runtime::task::core::Core::poll", "<futures::future::Map as Future>::poll",
      "hyper::proto::h1::dispatch::Dispatcher::poll_loop", "tower::util::oneshot::Oneshot::poll"][i % 4], i))];
  const ends = ["service::cache::Shard::insert", "service::session::Registry::remember", "serde_json::de::from_slice", "bytes::bytes_mut::BytesMut::reserve_inner",
    "sqlx::row::Row::decode", "tracing::span::Span::record", "http::header::map::HeaderMap::try_grow", "regex_automata::meta::Regex::new"];
  return Array.from({ length: 160 }, (_, i) => {
    const own = Array.from({ length: 44 }, (_, level) => generic(`service::layer${roll(2 + level % 4)}::call`, level));
    const end = ends[Math.min(roll(3) * roll(5), ends.length - 1)];
    return `${[...trunk, ...own.slice(0, 20 + roll(24)), end, "alloc::raw_vec::RawVec<T,A>::grow_one", "__rust_alloc"].join(";")} ${(1 + roll(900)) * (i < 12 ? 40960 : 1024)}\n`;
  }).join("");
}

// A service in Python: two dozen frames of the interpreter before anything is told.
function python() {
  const frame = "_PyEval_EvalFrameDefault";
  const trunk = ["_start", "__libc_start_main", "__libc_start_call_main", "main", "Py_BytesMain", "Py_RunMain", "pymain_run_python", "pymain_run_file",
    "_PyRun_SimpleFileObject", "pyrun_file", "run_mod", "run_eval_code_obj", "PyEval_EvalCode", "_PyEval_Vector", frame, "_PyFunction_Vectorcall", frame,
    "_PyFunction_Vectorcall", frame, "_PyObject_MakeTpCall", frame, "_PyFunction_Vectorcall", frame];
  const rest = { "json.loads;json.decoder.decode;scanner_call;_parse_object_unicode;PyUnicode_New": 10.4, "json.loads;json.decoder.decode;scanner_call;_parse_object_unicode;PyDict_SetItem;dictresize": 6.1,
    "app.sessions.remember;PyDict_SetItem;insertdict;dictresize": 9.3, "app.cache.put;list_append;list_resize": 4.2, "app.report;_PyBytes_Resize": 2.2,
    "logging.Logger._log;PyUnicode_Format;PyUnicode_New": 1.1, "importlib._find_and_load;unmarshal_code;PyCode_New": 2.3, "re.compile;sre_compile;PyList_New": 0.4 };
  return Object.entries(rest).map(([stack, mib]) => `${trunk.join(";")};${stack};_PyObject_Malloc ${Math.round(mib * MIB)}\n`).join("") +
    "_start;_dl_relocate_object;malloc 70000\n";
}

function wide(count, grown) {
  const roll = dice(3);
  return Array.from({ length: count }, (_, i) =>
    `main;serve;module_${i % 40};handler_${Math.floor(i / 40) % 25};place_${i} ${2000 + roll(9000) + (grown && i === 4711 ? 60 * MIB : 0)}\n`).join("");
}

function many(lines) {
  const roll = dice(1);
  return Array.from({ length: lines }, () =>
    `${Array.from({ length: 14 }, (_, level) => `function_${level}_${roll(3 + level)}`).join(";")} ${1 + roll(1000)}`).join("\n");
}

const EVIL = ["</script><script>window.hit=1</script>", "<img src=x onerror=window.hit=1>", "\u202eevil\u202c", "\u0001\u001b[2J", "a\u200bb", "@DATA@", "__proto__",
  "x<y>".repeat(40), "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", "\ud83d\udd25".repeat(20), "long_".repeat(2000)];

const hostile = () => EVIL.map((name, i) => `main;${EVIL[(i + 3) % EVIL.length]};${name} ${MIB * (1 + i)}\n`).join("");

function file(name, text, minute = 0) {
  writeFileSync(name, text);
  utimesSync(name, 1795300000 + 60 * minute, 1795300000 + 60 * minute);
  return name;
}

const bytes = ["--countname", "bytes"];

function diff() {
  const before = python();
  const after = before.replace(/(app\.sessions\.remember.* )\d+/, (_, stack) => `${stack}${31 * MIB}`).replace(/(app\.cache\.put.* )\d+/, (_, stack) => `${stack}${2 * MIB}`)
    .replace(/.*re\.compile.*\n/, "").concat("_start;main;app.plugin.load;PyList_New 3200000\n");
  return draw("scene-diff", after, "--base", file("scene-diff-before.folded", before), ...bytes);
}

// name: [what draws it, size of the window, options of the page's context]
export const SCENES = {
  small: { draw: () => draw("scene-small", SERVICE, ...bytes) },
  rust: { draw: () => draw("scene-rust", rust(), ...bytes) },
  python: { draw: () => draw("scene-python", python(), ...bytes) },
  diff: { draw: diff },
  "diff-many": { draw: () => draw("scene-diff-many", wide(10000, true), "--base", file("scene-diff-many-before.folded", wide(10000, false)), ...bytes) },
  series: { draw: () => drawFiles("scene-series", seriesFiles(), "--series") },
  hostile: { draw: () => draw("scene-hostile", hostile(), "--title", EVIL[0], ...bytes) },
  million: { draw: () => draw("scene-million", many(160000), ...bytes) },
  empty: { draw: () => drawFiles("scene-empty", [file("scene-empty.heap", "heap_v2/1\n  t*: 0: 0 [0: 0]\n\nMAPPED_LIBRARIES:\n1000-9000 r-xp 00000000 00:00 0 /opt/service\n")]) },
  one: { draw: () => draw("scene-one", "main 4096\n", ...bytes) },
  phone: { draw: () => drawFiles("scene-phone", seriesFiles(), "--series"), options: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 } },
  print: { draw: () => draw("scene-print", python(), ...bytes), isPrinted: true },
};
