import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { clearFolders } from '../../workspace/handles/clear-folders.js';
import { clearAbandonedPrograms } from '../programs/program-places.js';
import { reapPrograms } from '../programs/running-list.js';
import { buildRunnerChild } from '../runner-child-build.test-support.js';

const withWord = (word: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(word);
      } catch {
        return false;
      }
    });

/** A daemon in a session of its own, without an environment, deaf to requests to end. */
const DAEMON = `perl -e 'use POSIX (); fork and exit; POSIX::setsid(); fork and exit; %ENV = (); POSIX::close($_) for 0..255; $SIG{TERM} = $SIG{HUP} = "IGNORE"; exec {"sleep"} "WORD", "600"'`;

describe('after the app was killed', () => {
  let child = '';
  beforeAll(async () => {
    child = await buildRunnerChild('src-main/process/workers/worker-child.test-support.ts');
  });
  afterAll(() => rm(child, { force: true }));

  it('nothing of its workers runs on, and the next start clears away what they had', async () => {
    const word = `stays-${randomUUID()}`;
    const app = spawn(process.execPath, [child, DAEMON.replace('WORD', word)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    onTestFinished(() => void app.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
    const { running, base, sockets } = JSON.parse(line) as { running: string; base: string; sockets: string[] };
    await expect.poll(() => withWord(word).length).toBe(2);
    app.kill('SIGKILL');
    await once(app, 'close');
    // At once, by itself.
    await expect.poll(() => withWord(word)).toEqual([]);
    expect(sockets.every((path) => existsSync(path))).toBe(true);
    const said: string[] = [];
    await reapPrograms(running, (message) => said.push(message));
    await clearAbandonedPrograms(clearFolders);
    expect(readdirSync(running)).toEqual([]);
    expect(sockets.map((path) => existsSync(dirname(path)))).toEqual([false, false]);
    expect(said).toEqual([]);
    await rm(base, { recursive: true, force: true });
  });
});
