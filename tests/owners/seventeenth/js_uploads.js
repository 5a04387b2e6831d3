'use strict';
// Upload service: each upload is scanned, stored, and acknowledged.
const { EventEmitter } = require('events');

class Config extends EventEmitter {
  constructor() {
    super();
    this.setMaxListeners(0);
    this.limit = 4096;
  }

  change(limit) {
    this.limit = limit;
    this.emit('change', limit);
  }
}

class Storage {
  constructor() {
    this.sizes = [];
  }

  put(id, data) {
    this.sizes.push(data.length);
    if (this.sizes.length > 100) this.sizes.shift();
    return { id, etag: checksum(data) };
  }
}

function checksum(data) {
  let h = 0;
  for (let i = 0; i < data.length; i += 16) h = (h * 31 + data[i]) | 0;
  return (h >>> 0).toString(16);
}

function makeUpload(id) {
  const body = Buffer.alloc(2000 + (id * 7919) % 9000);
  for (let i = 0; i < body.length; i += 8) body[i] = (id + i) & 255;
  return { id, name: `scan-${id}.tif`, body };
}

class UploadService {
  constructor(config, storage) {
    this.config = config;
    this.storage = storage;
    this.accepted = 0;
    this.rejected = 0;
  }

  accept(upload) {
    let tooBig = upload.body.length > this.config.limit;
    this.config.on('change', (limit) => { // guilty
      tooBig = upload.body.length > limit;
    });
    if (tooBig) {
      this.rejected++;
      return null;
    }
    this.accepted++;
    return this.storage.put(upload.id, upload.body);
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function main() {
  const config = new Config();
  const service = new UploadService(config, new Storage());
  let last = null;
  for (let id = 1; id <= 11000; id++) {
    last = service.accept(makeUpload(id)) || last;
    if (id % 2500 === 0) config.change(3000 + id);
    if (id % 60 === 0) await pause(9);
  }
  console.log(service.accepted, service.rejected, last.etag);
  await pause(200);
}

main();
