import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** A display whose picture can be read: what a packaged build shows, no debugger needed (it refuses them). */
export interface VirtualScreen {
  readonly display: string;
  /** As PNG. */
  readonly picture: () => Buffer;
  /** How many different colours are on it: an empty screen has one. */
  readonly colours: () => number;
  readonly end: () => Promise<void>;
}

export async function openVirtualScreen(): Promise<VirtualScreen> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-screen-'));
  const args = ['-displayfd', '3', '-screen', '0', '1280x820x24', '-nolisten', 'tcp', '-fbdir', folder];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const number = await firstLine(server);
  const read = () => parseXwd(readFileSync(join(folder, 'Xvfb_screen0')));
  return {
    display: `:${number}`,
    picture: () => toPng(read()),
    colours: () => {
      const { pixels, width, height, stride } = read();
      const seen = new Set<number>();
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) seen.add(pixels.readUInt32LE(y * stride + x * 4) & 0xff_ff_ff);
      }
      return seen.size;
    },
    end: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function firstLine(server: ChildProcess): Promise<string> {
  const pipe = server.stdio[3];
  if (!pipe) throw new Error('Xvfb was started without its pipe.');
  let text = '';
  while (!text.includes('\n')) text += String((await once(pipe, 'data'))[0]);
  return text.trim();
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  readonly pixels: Buffer;
}

/** The X window dump that Xvfb keeps its screen in: a header of big-endian words, a colour map, then the pixels. */
function parseXwd(bytes: Buffer): Picture {
  const word = (at: number) => bytes.readUInt32BE(at * 4);
  const [headerSize, width, height, stride, colours] = [word(0), word(4), word(5), word(12), word(19)];
  return { width, height, stride, pixels: bytes.subarray(headerSize + colours * 12) };
}

function toPng({ width, height, stride, pixels }: Picture): Buffer {
  const rows = Buffer.alloc(height * (width * 3 + 1));
  let to = 0;
  for (let y = 0; y < height; y += 1) {
    to += 1;
    for (let x = 0; x < width; x += 1) {
      const from = y * stride + x * 4;
      for (const channel of [2, 1, 0]) rows[to++] = pixels[from + channel] ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
