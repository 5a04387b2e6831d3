// A service that makes garbage of each request, and keeps the last 400 answers as buffers, and sessions for 15 seconds. It prints its port.
const http = require('node:http');
const zlib = require('node:zlib');

const answers = new Map();
const sessions = new Map();

function answerOf(path) {
  const rows = Array.from({ length: 100 }, (_, row) => ({ row, path, text: `row ${row} of ${path}` }));
  const copy = JSON.parse(JSON.stringify(rows));
  const body = zlib.gzipSync(JSON.stringify(copy.map((row) => ({ ...row, length: row.text.length }))), { level: 1 });
  answers.set(path, Buffer.concat([Buffer.alloc(16 * 1024), body]));
  if (answers.size > 400) answers.delete(answers.keys().next().value);
  return body;
}

function openSession(path) {
  sessions.set(path, { path, basket: new Array(50).fill(path), photo: Buffer.alloc(8 * 1024) });
  setTimeout(() => sessions.delete(path), 15000);
}

const server = http.createServer((request, response) => {
  if (request.url.endsWith('0')) openSession(request.url);
  const body = answerOf(request.url);
  response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
