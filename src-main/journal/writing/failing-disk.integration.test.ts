import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JournalUnavailableError } from '../../domain/ports/journal.js';
import { openServiceReader, openTestJournal, testFolder } from './journal.test-support.js';
import { batchReceived, settled, started } from './journal-samples.test-support.js';
import type { SqliteJournal } from './sqlite-journal.js';

const CHILD = new URL('./append-child.test-support.ts', import.meta.url).pathname;

function once(journal: SqliteJournal, state: 'ok' | 'failed'): Promise<void> {
  return new Promise((resolve) => {
    const stop = journal.onHealthChange(() => {
      if (journal.health.state !== state) return;
      stop();
      resolve();
    });
  });
}

/** Runs the appending child to its end and gives what it said. */
async function append(command: string, args: readonly string[]): Promise<readonly string[]> {
  const child = spawn(command, args, {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return text.split('\n').filter((line) => line !== '');
}

async function expectAcknowledged(folder: string, lines: readonly string[]): Promise<void> {
  const journal = openTestJournal(folder);
  const { verify, service } = openServiceReader(folder);
  expect(await verify()).toMatchObject({ ok: true });
  for (const line of lines.filter((said) => said.startsWith('settled '))) {
    const callId = line.slice('settled '.length);
    expect(await service.detail(callId)).toMatchObject({ result: `result of ${callId}` });
  }
  service.close();
  journal.close();
}

/** Only root can mount the small disk that is filled. */
const isRoot = process.getuid?.() === 0;

describe('a disk that fails', () => {
  it.runIf(isRoot)('closes the gate when it is full, says so, and reopens by itself', async () => {
    const folder = join(testFolder(), 'small');
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
    });
    const journal = openTestJournal(folder);
    const told: string[] = [];
    journal.onCommit((_, calls) => told.push(...calls.map((call) => call.callId)));
    const filler = join(folder, 'filler');
    const failed = once(journal, 'failed');
    const acknowledged: string[] = [];
    let refused: unknown;
    for (let n = 0; refused === undefined && n < 1000; n += 1) {
      try {
        journal.append([batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })]);
        journal.append([settled(`c${n}`, { content: 'x'.repeat(3000) })]);
        acknowledged.push(`c${n}`);
      } catch (error) {
        refused = error;
      }
      if (n === 3) fill(filler);
    }
    await failed;
    expect(refused).toBeInstanceOf(JournalUnavailableError);
    expect(journal.health).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('disk is full') as string,
    });
    expect(() => journal.append([batchReceived('later')])).toThrow(JournalUnavailableError);
    const reopened = once(journal, 'ok');
    rmSync(filler);
    await reopened;
    journal.append([batchReceived('b-after'), ...started({ callId: 'after', batchId: 'b-after' })]);
    const { verify, service } = openServiceReader(folder);
    expect(await verify()).toMatchObject({ ok: true });
    for (const callId of acknowledged) expect(await service.detail(callId)).toMatchObject({ state: 'COMPLETED' });
    expect(new Set(told)).toContain('after');
    service.close();
    journal.close();
  });

  it.runIf(isRoot)('says why it can’t begin: no folder, or no space', () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => openTestJournal(join(folder, 'file', 'data'))).toThrow(JournalUnavailableError);
    const full = join(folder, 'full');
    mkdirSync(full);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', full]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', full]);
    });
    fill(join(full, 'filler'));
    expect(() => openTestJournal(full)).toThrow(/the disk is full|reports an error/u);
    rmSync(join(full, 'filler'));
    openTestJournal(full).close();
  });

  it.each([
    // Opening a journal that is there takes 3 syncs and 11 writes; then the calls come.
    ['fsync', 'EIO', '5'],
    ['fsync', 'EIO', '8..10'],
    ['fsync', 'EIO', '9+7'],
    ['pwrite64', 'EIO', '50+61'],
    ['pwrite64', 'ENOSPC', '60..90'],
  ])('loses nothing that it acknowledged when %s fails with %s (%s)', async (call, error, when) => {
    const folder = testFolder();
    openTestJournal(folder).close();
    const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}`];
    const child = [process.execPath, CHILD, folder, 'c', '15', 'mixed'];
    const lines = await append('strace', ['-f', '-qq', '-o', '/dev/null', ...inject, ...child]);
    expect(lines[0]).toBe('open');
    expect(lines.some((line) => line.startsWith('refused'))).toBe(true);
    await expectAcknowledged(folder, lines);
  });

  it('loses nothing when a file may not grow any more', async () => {
    const folder = testFolder();
    const script = `trap '' XFSZ; ulimit -f 400; exec "$0" "$@"`;
    const lines = await append('bash', ['-c', script, process.execPath, CHILD, folder, 'c', '2000', 'read']);
    expect(lines.some((line) => line.startsWith('refused'))).toBe(true);
    await expectAcknowledged(folder, lines);
  });

  it('refuses at once what was not asked rightly, and stays open', () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    expect(() => journal.append([settled('nothing')])).toThrow('no call nothing');
    journal.append([batchReceived('b')]);
    expect(() => journal.append([batchReceived('b')])).toThrow('UNIQUE');
    expect(journal.health.state).toBe('ok');
    journal.close();
    expect(() => journal.append([batchReceived('c')])).toThrow(JournalUnavailableError);
  });
});

function fill(file: string): void {
  for (const size of [65_536, 4096, 512]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch {
      // Full to this grain.
    }
  }
}
