// Buffers, which node allocates with malloc.
const kept = [];

function settings() {
  return Array.from({ length: 1000 }, (_, number) => number);
}

function receive(number) {
  kept.push(Buffer.alloc(64 * 1024, number % 256)); // guilty
}

settings();
for (let number = 0; number < 1000; number++) receive(number);
process.kill(process.pid, 'SIGKILL');
