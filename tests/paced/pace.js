// As pace.h, for programs in JavaScript.
const { writeFileSync } = require('node:fs');

const begin = Date.now() / 1000 + Number(process.env.PACE_HEALTHY_S);
const pause = new Int32Array(new SharedArrayBuffer(4));
let answers = [];
let calls = 0;

function answerRequests() {
  for (let number = 0; number < 20; number++) answers.push({ text: 'a'.repeat(500), bytes: Buffer.alloc(500 + number * 200) });
  answers = answers.slice(-500);
}

exports.served = function served() {
  for (;;) {
    const now = Date.now() / 1000;
    if (now > begin + Number(process.env.PACE_LEAKING_S)) return false;
    if (now > begin && calls < (now - begin) * Number(process.env.PACE_RATE)) {
      if (calls++ === 0) writeFileSync('onset', `${now}\n`);
      return true;
    }
    answerRequests();
    Atomics.wait(pause, 0, 0, 10);
  }
};
