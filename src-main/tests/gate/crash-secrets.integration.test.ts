import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { sampledPlaces } from '../sampled.test-support.js';
import { testFolder } from './gate.test-support.js';

const CHILD = new URL('./crash-child.test-support.ts', import.meta.url).pathname;
const WAYS = ['written', 'old', 'fresh', 'noted', 'edited', 'of the file of secrets'] as const;
/** A value that stands nowhere else; of no form that a detector knows. */
const canary = (): string => `Kana9-${randomBytes(10).toString('hex')}`;

interface Place {
  readonly dataDir: string;
  readonly workspace: string;
  readonly canaries: readonly string[];
}

function fresh(): Place {
  const root = testFolder('crash-secrets');
  const canaries = WAYS.map(canary);
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work'), canaries };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  writeFileSync(join(place.workspace, 'settings.ini'), `name=x\npassword=${canaries[1]}\n`);
  writeFileSync(join(place.workspace, '.env'), `COLOUR=${canaries[5]}\n`);
  return place;
}

/** Gives how many places there were; null where the child killed itself at one. */
async function run(
  { dataDir, workspace, canaries }: Place,
  at: number,
  plan: 'secrets' | 'resume',
  key: string,
): Promise<number | null> {
  const child = spawn(process.execPath, [CHILD, dataDir, workspace, String(at), plan, key, ...canaries], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== null && code !== 0) throw new Error(`The child failed (${code}) at place ${at}.`);
  const done = text.split('\n').find((line) => line.startsWith('done '));
  return done === undefined ? null : Number(done.slice(5));
}

function placesOf({ dataDir, canaries }: Place): readonly string[] {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dataDir, name))
    .filter((file) => statSync(file).isFile());
  return files.flatMap((file) => {
    const bytes = readFileSync(file);
    return canaries.flatMap((value, at) => (bytes.includes(value) ? [`${WAYS[at]} in ${file}`] : []));
  });
}

it.each([
  ['with a key store', randomBytes(32).toString('hex')],
  ['without one', ''],
])(
  'Killed at every place of calls that hold secrets, %s, nothing of them stands in the data folder',
  async (_, key) => {
    const whole = fresh();
    const places = (await run(whole, 0, 'secrets', key)) ?? 0;
    expect(places).toBeGreaterThan(30);
    // What was meant to happen did: else nothing was looked for.
    expect(readFileSync(join(whole.workspace, 'settings.ini'), 'utf8')).toContain(whole.canaries[2]);
    expect(readFileSync(join(whole.workspace, 'new.ini'), 'utf8')).toContain(whole.canaries[0]);
    expect(placesOf(whole)).toEqual([]);
    const { service } = openServiceReader(whole.dataDir);
    const { calls } = await service.page({ limit: 10, before: null, filter: {} });
    const redactions = await Promise.all(
      calls.map(async ({ callId }) => (await service.detail(callId))?.redactions ?? 0),
    );
    service.close();
    expect(
      redactions.every((count) => count > 0),
      redactions.join(' '),
    ).toBe(true);

    const rest = [...sampledPlaces(places, 3)];
    // A multiple: these are among them.
    const startedAgain = new Set(sampledPlaces(places, 15));
    const worker = async (): Promise<void> => {
      for (let at = rest.shift(); at !== undefined; at = rest.shift()) {
        const place = fresh();
        // What search goes by is written by and by: then there may be fewer places, and it came through.
        const survived = await run(place, at, 'secrets', key);
        if (survived !== null) expect(survived).toBeLessThan(at);
        expect(placesOf(place), `killed at ${at}`).toEqual([]);
        if (!startedAgain.has(at)) continue;
        await run(place, 0, 'resume', key);
        expect(placesOf(place), `started again after ${at}`).toEqual([]);
      }
    };
    await Promise.all([worker(), worker()]);
  },
);
