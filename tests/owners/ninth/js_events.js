'use strict';

// Server-sent events of a project tracker: every change is published to a channel, and clients that connect again get what they
// have missed, by the number of the last event they saw.

const { EventEmitter } = require('node:events');

class EventLog {
    constructor(replayLimit) {
        this.replayLimit = replayLimit;
        this.channels = new Map();
        this.emitter = new EventEmitter();
        this.emitter.setMaxListeners(0);
        this.lastId = 0;
    }

    publish(channel, type, data) {
        let events = this.channels.get(channel);
        if (!events) {
            events = [];
            this.channels.set(channel, events);
        }
        const event = { id: ++this.lastId, type, at: Date.now(), text: `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`, data: structuredCopy(data) };
        events.push(event); // guilty
        this.emitter.emit(channel, event);
    }

    missed(channel, lastSeen) {
        const events = this.channels.get(channel) ?? [];
        return events.slice(-this.replayLimit).filter((event) => event.id > lastSeen);
    }

    subscribe(channel, listener) {
        this.emitter.on(channel, listener);
        return () => this.emitter.off(channel, listener);
    }
}

function structuredCopy(value) {
    if (Array.isArray(value)) {
        return value.map(structuredCopy);
    }
    if (value && typeof value === 'object') {
        return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCopy(inner)]));
    }
    return value;
}

class Connection {
    constructor(log, channel) {
        this.log = log;
        this.channel = channel;
        this.lastSeen = 0;
        this.bytes = 0;
    }

    open() {
        for (const event of this.log.missed(this.channel, this.lastSeen)) {
            this.write(event);
        }
        this.close = this.log.subscribe(this.channel, (event) => this.write(event));
    }

    write(event) {
        this.lastSeen = event.id;
        this.bytes += event.text.length;
    }
}

class Tracker {
    constructor(log) {
        this.log = log;
        this.issues = new Map();
    }

    create(project, number, title) {
        const issue = { number, title, state: 'open', labels: ['new'], assignee: null, comments: 0, history: [] };
        this.issues.set(`${project}/${number}`, issue);
        return issue;
    }

    change(project, number, change) {
        const issue = this.issues.get(`${project}/${number}`);
        Object.assign(issue, change);
        issue.comments++;
        this.log.publish(`project-${project}`, 'issue-changed', { issue, change, by: { id: number % 40, name: `user-${number % 40}` } });
    }
}

function random(seed) {
    let state = seed;
    return (below) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 4294967296) * below);
    };
}

function main() {
    const log = new EventLog(100);
    const tracker = new Tracker(log);
    const below = random(12);
    const projects = 25;
    for (let n = 0; n < projects * 600; n++) {
        tracker.create(n % projects, Math.floor(n / projects), `Button ${n} does nothing when it is pressed twice`);
    }
    const connections = Array.from({ length: 60 }, (_, n) => new Connection(log, `project-${n % projects}`));
    connections.forEach((connection) => connection.open());
    for (let n = 0; n < 30000; n++) {
        const labels = ['bug', 'ui', `sprint-${below(30)}`].slice(0, 1 + below(3));
        tracker.change(below(projects), below(600), { state: n % 3 ? 'open' : 'closed', labels, assignee: `user-${below(40)}` });
        if (n % 200 === 0) {
            const connection = connections[below(connections.length)];
            connection.close();
            connection.open();
        }
    }
    const sent = connections.reduce((sum, connection) => sum + connection.bytes, 0);
    console.log(`${log.lastId} events, ${Math.round(sent / 1e6)} MB sent, ${tracker.issues.size} issues`);
}

main();
