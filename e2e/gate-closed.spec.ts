import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { makeFolder, test } from './app.js';

/** Takes every byte that is left. */
function fill(file: string): void {
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(1024 * 1024);
  try {
    for (let size = block.length; size >= 1;) {
      try {
        writeSync(handle, block, 0, size);
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(handle);
  }
}

test('a full disk closes the gate, the window says so, and it opens by itself when there is room', async ({
  launch,
}) => {
  test.skip(process.getuid?.() !== 0, 'Only root can mount the small disk that this fills.');
  const dataDir = makeFolder('small-disk');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', dataDir]);
  try {
    const app = await launch({
      files: { 'a.txt': 'one\n' },
      flags: ['--gateway'],
      dataDir,
      config: '[tools.approval]\nmode = "auto"\n',
    });
    const gateway = await gatewayOf(dataDir, app.pid);
    const agent = await connectAgent(gateway);
    expect(await callTool(agent, 'read_file', { path: 'a.txt' })).toMatchObject({ isError: false });

    const filler = join(dataDir, 'filler');
    fill(filler);
    const refused = await callTool(agent, 'write_file', { path: 'new.txt', content: 'x' });
    expect(refused).toMatchObject({ isError: true, code: 'JournalUnavailable' });
    expect(existsSync(join(app.workspace, 'new.txt'))).toBe(false);
    expect(await ask(gateway, '/v1/status')).toMatchObject({ journal: 'failed' });
    const notice = app.page.getByText('Nothing runs: the journal can’t be written');
    await expect(notice).toBeVisible();

    rmSync(filler);
    await expect.poll(async () => (await ask<{ journal: string }>(gateway, '/v1/status')).journal).toBe('ok');
    await expect(notice).toBeHidden();
    expect(await callTool(agent, 'write_file', { path: 'new.txt', content: 'x' })).toMatchObject({ isError: false });
    expect(await ask(gateway, '/v1/audit/verify')).toMatchObject({ ok: true });
    await agent.close();
    await app.close();
  } finally {
    execFileSync('umount', ['--lazy', dataDir]);
    rmSync(dataDir, { recursive: true, force: true });
  }
});
