import { connect, type Socket } from 'node:net';

/** Longer than any bus takes to answer; one that hangs must hold up nothing. */
const PATIENCE_MS = 2000;
const HELLO = 1;
const ASKED = 2;
const METHOD_RETURN = 2;

/**
 * Whether somebody on the person's session bus (D-Bus) has this name; false where there is no bus, or it does not answer.
 * The bus itself is asked, which knows who is on it: nothing is started by it.
 */
export async function hasOwner(name: string, address = process.env['DBUS_SESSION_BUS_ADDRESS']): Promise<boolean> {
  const path = address === undefined ? null : findBusSocket(address);
  if (path === null) return false;
  const socket = connect(path);
  const patience = setTimeout(() => socket.destroy(), PATIENCE_MS);
  try {
    return await readBusReply(socket, name);
  } catch {
    return false;
  } finally {
    clearTimeout(patience);
    socket.destroy();
  }
}

/** The first address of a bus that is a socket of this machine. */
export function findBusSocket(address: string): string | null {
  for (const way of address.split(';')) {
    if (!way.startsWith('unix:')) continue;
    const keys = new Map(
      way
        .slice('unix:'.length)
        .split(',')
        .map((pair) => splitAt(pair, '=')),
    );
    const path = keys.get('path');
    if (path !== undefined) return decodeURIComponent(path);
    const abstract = keys.get('abstract');
    if (abstract !== undefined) return `\0${decodeURIComponent(abstract)}`;
  }
  return null;
}

function splitAt(pair: string, sign: string): readonly [string, string] {
  const at = pair.indexOf(sign);
  return at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}

async function readBusReply(socket: Socket, name: string): Promise<boolean> {
  const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  let bytes = Buffer.alloc(0);
  let begun = false;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    if (!begun) {
      const end = bytes.indexOf('\r\n');
      if (end === -1) continue;
      if (!bytes.subarray(0, end).toString('latin1').startsWith('OK ')) return false;
      bytes = bytes.subarray(end + 2);
      begun = true;
      socket.write(
        Buffer.concat([Buffer.from('BEGIN\r\n'), call('Hello', HELLO, null), call('NameHasOwner', ASKED, name)]),
      );
    }
    for (let size = messageSize(bytes); size !== null && bytes.length >= size; size = messageSize(bytes)) {
      const message = bytes.subarray(0, size);
      bytes = bytes.subarray(size);
      if (isAnswer(message, ASKED)) return message[1] === METHOD_RETURN && message.at(-4) === 1;
    }
  }
  return false;
}

const aligned = (length: number, to: number): number => Math.ceil(length / to) * to;

/** Encodes a call of a method of the bus itself, with a string or without. Everything is little-endian. */
function call(member: string, serial: number, argument: string | null): Buffer {
  const fields = [
    field(1, 'o', '/org/freedesktop/DBus'),
    field(2, 's', 'org.freedesktop.DBus'),
    field(3, 's', member),
    field(6, 's', 'org.freedesktop.DBus'),
    ...(argument === null ? [] : [Buffer.concat([Buffer.from([8]), signature('g'), signature('s')])]),
  ];
  let list = Buffer.alloc(0);
  for (const each of fields) list = Buffer.concat([padded(list, 8), each]);
  const body = argument === null ? Buffer.alloc(0) : text(argument);
  const head = Buffer.alloc(16);
  head.write('l', 0, 'latin1');
  head.writeUInt8(1, 1);
  head.writeUInt8(1, 3);
  head.writeUInt32LE(body.length, 4);
  head.writeUInt32LE(serial, 8);
  head.writeUInt32LE(list.length, 12);
  return Buffer.concat([padded(Buffer.concat([head, list]), 8), body]);
}

/** Encodes a header field. Each begins at a multiple of eight, so its value, behind four bytes, is aligned. */
const field = (code: number, type: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([code]), signature(type), text(value)]);

const signature = (type: string): Buffer => Buffer.from([type.length, ...Buffer.from(type), 0]);

function text(value: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(value));
  return Buffer.concat([length, Buffer.from(value), Buffer.alloc(1)]);
}

const padded = (bytes: Buffer, to: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length, to) - bytes.length)]);

const numberAt = (bytes: Buffer, at: number): number =>
  bytes[0] === 'l'.charCodeAt(0) ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);

/** Null until its head is there. */
const messageSize = (bytes: Buffer): number | null =>
  bytes.length < 16 ? null : aligned(16 + numberAt(bytes, 12), 8) + numberAt(bytes, 4);

/** Whether it answers that question: a field with the code 5 holds which. */
function isAnswer(message: Buffer, serial: number): boolean {
  const end = 16 + numberAt(message, 12);
  const wanted = Buffer.from([5, 1, 'u'.charCodeAt(0), 0]);
  for (let at = message.indexOf(wanted, 16); at !== -1 && at < end; at = message.indexOf(wanted, at + 1))
    if (at % 8 === 0 && numberAt(message, at + 4) === serial) return true;
  return false;
}
