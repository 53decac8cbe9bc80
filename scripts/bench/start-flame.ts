import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { asRoot, executable, newFolder, projectDir } from './electron-starts.js';

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number;
    readonly callFrame: Frame;
    readonly children?: readonly number[];
  }>;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const SAMPLE_EVERY_US = 200;
const AFTER_READY_MS = 50;

/** One start of the app with its main process under the profiler, from its first line on, as a picture. */
export async function drawStart(file: string): Promise<void> {
  const dataDir = newFolder();
  try {
    writeFileSync(file, picture(await profileOfStart(dataDir)));
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function profileOfStart(dataDir: string): Promise<Profile> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  delete env['ELECTRON_RUN_AS_NODE'];
  const child = spawn(executable, ['--inspect-brk=127.0.0.1:0', projectDir, ...asRoot, '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  });
  const ended = once(child, 'exit');
  try {
    const debuggerAt = await debuggerOf(child.stderr);
    const socket = new WebSocket(debuggerAt);
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
    const ask = asker(socket);
    await ask('Profiler.enable');
    await ask('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
    await ask('Profiler.start');
    await ask('Runtime.runIfWaitingForDebugger');
    const log = join(dataDir, 'logs', 'gatehouse.log');
    while (!existsSync(log) || !readFileSync(log, 'utf8').includes('"The window is ready"')) await delay(20);
    await delay(AFTER_READY_MS);
    const { profile } = (await ask('Profiler.stop')) as { profile: Profile };
    socket.close();
    return profile;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function debuggerOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const found = /ws:\/\/\S+/.exec(line);
    // The rest is let run out, so that the app is never held up by it.
    if (found !== null) {
      stderr.resume();
      return found[0];
    }
  }
  throw new Error('The app did not say where its debugger is.');
}

function asker(socket: WebSocket) {
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let last = 0;
  return (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}

interface Bar {
  readonly frame: Frame;
  readonly from: number;
  to: number;
}

const PX_PER_MS = 3;
const ROW_PX = 16;
const LEAST_MS = 0.6;
const MOST_ROWS = 40;

/** Time to the right, callers above what they call; what is thinner than can be seen is left out. */
function picture({ nodes, samples, timeDeltas }: Profile): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id] as const)));
  const stackOf = (id: number): readonly Frame[] => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame !== undefined && frame.functionName !== '(root)') stack.unshift(frame);
    }
    return stack;
  };
  const rows: Bar[][] = [];
  let now = 0;
  for (const [index, id] of samples.entries()) {
    const next = now + (timeDeltas[index + 1] ?? 0) / 1000;
    for (const [depth, frame] of stackOf(id).entries()) {
      if (frame.functionName === '(idle)') continue;
      const row = (rows[depth] ??= []);
      const last = row.at(-1);
      if (last?.frame === frame && last.to === now) last.to = next;
      else row.push({ frame, from: now, to: next });
    }
    now = next;
  }
  const bars = rows
    .slice(0, MOST_ROWS)
    .flatMap((row, depth) => row.filter(({ from, to }) => to - from >= LEAST_MS).map((bar) => rectangle(bar, depth)));
  const seconds = Array.from(
    { length: Math.ceil(now / 50) },
    (_, at) => `<text x="${at * 50 * PX_PER_MS}" y="12">${at * 50} ms</text>`,
  );
  const size = `width="${Math.ceil(now * PX_PER_MS)}" height="${(Math.min(rows.length, MOST_ROWS) + 2) * ROW_PX}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="10"><rect width="100%" height="100%" fill="#fff"/>${seconds.join('')}${bars.join('\n')}</svg>\n`;
}

function rectangle({ frame, from, to }: Bar, depth: number): string {
  const [x, width] = [from * PX_PER_MS, (to - from) * PX_PER_MS];
  const place = frame.url.replace(/.*\/out\//u, '').replace(/.*\/node_modules\//u, '');
  const words = escaped(`${frame.functionName || '(top)'} ${place} ${(to - from).toFixed(1)} ms`);
  const y = (depth + 1.5) * ROW_PX;
  const label =
    width < 40 ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 11}">${escaped(words.slice(0, width / 6))}</text>`;
  return `<g><title>${words}</title><rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW_PX - 1}" fill="${colourOf(frame)}"/>${label}</g>`;
}

/** Ours, Electron's, Node's, the engine's own. */
function colourOf({ functionName, url }: Frame): string {
  if (functionName.startsWith('(')) return '#ddd';
  if (url.includes('/out/')) return '#f4b183';
  if (url.includes('js2c/')) return '#9dc3e6';
  return url.startsWith('node:') ? '#a9d18e' : '#d0cece';
}

const escaped = (text: string): string => text.replaceAll(/[&<>]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
