import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRunnerChild } from '../runner-child-build.test-support.js';
import { reapPrograms } from './running-list.js';

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

/** A daemon in a session of its own, without an environment, the system's child. */
const DAEMON = `perl -e 'use POSIX (); fork and exit; POSIX::setsid(); fork and exit; %ENV = (); POSIX::close($_) for 0..255; exec {"sleep"} "WORD-daemon", "600"'`;

describe('after the app was killed', () => {
  let child = '';
  beforeAll(async () => {
    child = await buildRunnerChild('src-main/process/programs/program-child.test-support.ts');
  });
  afterAll(() => rm(child, { force: true }));

  it.each(['required', 'off'])('nothing of a program runs on, confinement %s', async (confinement) => {
    const word = `left-${randomUUID()}`;
    const script = `${DAEMON}; (exec -a WORD-child sleep 600) & echo up; exec -a WORD-itself sleep 600`;
    const bash = `exec bash -c '${script.replaceAll('WORD', word).replaceAll("'", `'\\''`)}'`;
    const app = spawn(process.execPath, [child, confinement, bash], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    const [line] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
    const { running, base } = JSON.parse(line) as { running: string; base: string };
    await expect.poll(() => withWord(word).length).toBe(3);
    app.kill('SIGKILL');
    // At once, by itself: only who fled from an unconfined program's group is left to the next start.
    await expect.poll(() => withWord(word).length).toBe(confinement === 'off' ? 1 : 0);
    const said: string[] = [];
    await reapPrograms(running, (message) => said.push(message));
    expect(withWord(word)).toEqual([]);
    expect(said).toEqual([]);
    expect(readdirSync(running)).toEqual([]);
    await rm(dirname(base), { recursive: true, force: true });
  });
});
