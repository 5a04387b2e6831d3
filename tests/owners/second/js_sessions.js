// Sessions on the heap of V8, kept in a map.
const sessions = new Map();

function settings() {
  return Object.fromEntries(Array.from({ length: 1000 }, (_, number) => ['key' + number, number]));
}

function login(number) {
  sessions.set('session' + number, { user: 'user' + number, basket: new Array(100).fill(number) }); // guilty
}

settings();
for (let number = 0; number < 60000; number++) login(number);
process.kill(process.pid, 'SIGKILL');
