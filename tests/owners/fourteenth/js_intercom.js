// Runs the intercom of a building: doors that send sound in packets, a jitter buffer, mixing, a gate for noise, and a log of the calls.
'use strict';

const { EventEmitter } = require('events');

const PACKET = 12 * 1024;

class Noise {
    constructor(seed) {
        this.seed = seed;
    }

    next(below) {
        this.seed = (Math.imul(this.seed, 1103515245) + 12345) & 0x7fffffff;
        return (this.seed >> 8) % below;
    }
}

class Door extends EventEmitter {
    constructor(number, noise) {
        super();
        this.number = number;
        this.noise = noise;
        this.sequence = 0;
    }

    // Somebody rings and speaks for a while.
    ring(flat, packets) {
        this.emit('ring', { door: this.number, flat });
        for (let i = 0; i < packets; i++) {
            this.emit('packet', this.packet(i % 7 === 6));
        }
        this.emit('silence');
    }

    packet(quiet) {
        const data = Buffer.alloc(PACKET);
        data.writeUInt16BE(this.sequence++ & 0xffff, 0);
        data.writeUInt16BE(this.number, 2);
        const loud = quiet ? 40 : 9000;
        for (let at = 4; at < PACKET; at += 8) {
            data.writeInt16LE(this.noise.next(loud) - (loud >> 1), at);
        }
        return data;
    }
}

// Puts packets that come late back into their order.
class Jitter {
    constructor(depth, deliver) {
        this.depth = depth;
        this.deliver = deliver;
        this.held = [];
    }

    push(packet) {
        this.held.push(packet);
        this.held.sort((a, b) => a.readUInt16BE(0) - b.readUInt16BE(0));
        while (this.held.length > this.depth) {
            this.deliver(this.held.shift());
        }
    }

    drain() {
        this.held.splice(0).forEach(this.deliver);
    }
}

function loudness(packet) {
    let sum = 0;
    for (let at = 4; at < packet.length; at += 64) {
        sum += Math.abs(packet.readInt16LE(at));
    }
    return sum / (packet.length / 64);
}

class Speaker {
    constructor(flat) {
        this.flat = flat;
        this.mix = new Int32Array(PACKET / 2);
        this.spoken = [];
        this.loudest = 0;
    }

    hear(packet) {
        const loud = loudness(packet);
        if (loud < 100) {
            return;
        }
        this.play(packet);
        this.spoken.push(packet); // guilty
        this.loudest = Math.max(this.loudest, loud);
    }

    play(packet) {
        for (let at = 4; at < PACKET; at += 8) {
            this.mix[at >> 1] = (this.mix[at >> 1] >> 1) + packet.readInt16LE(at);
        }
    }

    // The end of what was said, for the button that plays it again.
    repeat() {
        this.spoken.slice(-4).forEach((packet) => this.play(packet));
    }
}

class Exchange {
    constructor(flats) {
        this.speakers = Array.from({ length: flats }, (_, flat) => new Speaker(flat));
        this.history = [];
        this.calls = 0;
    }

    connect(door) {
        let speaker = null;
        const jitter = new Jitter(3, (packet) => speaker.hear(packet));
        door.on('ring', ({ flat }) => {
            speaker = this.speakers[flat];
            this.note(`${++this.calls}. door ${door.number} to flat ${flat}, ${speaker.loudest.toFixed(0)} at the loudest so far`);
        });
        door.on('packet', (packet) => jitter.push(packet));
        door.on('silence', () => {
            jitter.drain();
            if (this.calls % 3 === 0) {
                speaker.repeat();
            }
        });
    }

    note(line) {
        this.history.push(line);
        if (this.history.length > 50) {
            this.history.shift();
        }
    }
}

const noise = new Noise(5);
const exchange = new Exchange(24);
const doors = [1, 2, 3].map((number) => new Door(number, noise));
doors.forEach((door) => exchange.connect(door));

let rings = 0;
const timer = setInterval(() => {
    for (let i = 0; i < 4; i++) {
        doors[noise.next(3)].ring(noise.next(24), 10 + noise.next(30));
    }
    rings += 4;
    if (rings >= 240) {
        clearInterval(timer);
        console.log(`${exchange.calls} calls, ${Math.max(...exchange.speakers.map((s) => s.loudest)).toFixed(0)} at the loudest`);
        console.log(exchange.history.slice(-2).join('\n'));
    }
}, 20);
