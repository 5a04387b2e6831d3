'use strict';
// Chat room server core; sockets are simulated.
const { EventEmitter } = require('events');
const crypto = require('crypto');

class RoomBus extends EventEmitter {
  constructor() {
    super();
    this.setMaxListeners(0);
  }
}

class FakeSocket extends EventEmitter {
  constructor(id) {
    super();
    this.id = id;
    this.sent = 0;
    this.open = true;
  }
  send(text) {
    if (this.open) this.sent += text.length;
  }
  close() {
    this.open = false;
    this.emit('close');
  }
}

class History {
  constructor(limit) {
    this.limit = limit;
    this.messages = [];
  }
  appendMessage(msg) {
    this.messages.push({ at: Date.now(), text: msg.text + ' ', from: msg.from, id: crypto.randomBytes(6).toString('hex') });
    if (this.messages.length > this.limit) this.messages.splice(0, this.limit / 2);
  }
  tail(n) {
    return this.messages.slice(-n);
  }
}

class Room {
  constructor(name) {
    this.name = name;
    this.bus = new RoomBus();
    this.members = new Map();
    this.history = new History(4000);
    this.bus.on('message', (m) => this.history.appendMessage(m));
  }

  join(socket, nick) {
    const member = { nick, joined: Date.now(), unread: 0 };
    this.members.set(socket.id, member);
    for (const old of this.history.tail(20)) socket.send(old.text);
    this.followRoom(socket, member);
    socket.once('close', () => this.leave(socket));
  }

  followRoom(socket, member) {
    const outbox = [];
    for (let i = 0; i < 64; i++) outbox.push({ seq: i, frame: `${this.name}:${member.nick}:${i}`.padEnd(80, '.') + i });
    let next = 0;
    this.bus.on('message', (m) => { // guilty
      const slot = outbox[next++ % outbox.length];
      slot.seq = next;
      member.unread++;
      socket.send(slot.frame + m.text);
    });
  }

  leave(socket) {
    this.members.delete(socket.id);
  }

  say(from, text) {
    this.bus.emit('message', { from, text });
  }
}

class Server {
  constructor() {
    this.rooms = ['lobby', 'dev', 'ops', 'music'].map((n) => new Room(n));
    this.sockets = [];
    this.nextId = 1;
  }
  connect() {
    const s = new FakeSocket(this.nextId++);
    this.rooms[s.id % this.rooms.length].join(s, 'user' + s.id);
    this.sockets.push(s);
  }
  reap() {
    while (this.sockets.length > 50) this.sockets.shift().close();
  }
  tick(n) {
    for (let i = 0; i < 8; i++) this.connect();
    for (const r of this.rooms) {
      const words = [];
      for (let k = 0; k < 12; k++) words.push('w' + ((n * 31 + k * 7) % 900));
      r.say('user' + n, words.join(' '));
    }
    this.reap();
  }
}

const server = new Server();
let n = 0;
const timer = setInterval(() => {
  server.tick(n++);
  if (n === 420) {
    clearInterval(timer);
    const members = server.rooms.reduce((a, r) => a + r.members.size, 0);
    console.log('members', members, 'history', server.rooms[0].history.messages.length);
  }
}, 9);
