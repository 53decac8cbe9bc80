import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import type { TransactionStep } from '../../workspace/transaction/transaction-steps.js';
import { defaultConfig } from './default-config.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate, type TestGateOptions, testFolder } from './gate.test-support.js';
import { refusing } from './refusing-journal.test-support.js';

/** From now on nobody, the owner neither, can put another file at its name. */
function hold(file: string): void {
  if (process.getuid?.() === 0) {
    execFileSync('mount', ['--bind', file, file]);
    onTestFinished(() => void execFileSync('umount', [file]));
    return;
  }
  chmodSync(dirname(file), 0o555);
  onTestFinished(() => chmodSync(dirname(file), 0o755));
}

const FILES = { 'free/a.txt': 'mine\n', 'held/b.txt': 'mine\n', 'stale/c.txt': 'mine\n' };
const patch = {
  tool: 'apply_patch',
  arguments: {
    patch: `LP1\n${Object.keys(FILES)
      .map((path) => `F ${path}\nR\nmine\n.\ntheirs\n.\n`)
      .join('')}END\n`,
  },
};

async function openGate(
  onStep: (at: TransactionStep, subject: string, workspace: string) => void,
  more: Partial<TestGateOptions>,
) {
  const workspace = testFolder('stays');
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(workspace, path)));
    writeFileSync(join(workspace, path), content);
  }
  const gate = await openTestGate({
    workspace,
    tools: [any(applyPatchTool), any(readFileTool)],
    config: defaultConfig({ approval: { mode: 'auto' } }),
    onStep: (step, subject) => onStep(step, subject, workspace),
    ...more,
  });
  for (const path of Object.keys(FILES)) await gate.run({ tool: 'read_file', arguments: { path } });
  const contents = () => Object.keys(FILES).map((path) => readFileSync(join(workspace, path), 'utf8').trim());
  return { ...gate, workspace, contents };
}

it('a patch that failed and can’t be undone is no rollback: the file that stays is named, to the caller and in the record, and the others are put back', async () => {
  let isHeld = false;
  const gate = await openGate((step, _subject, workspace) => {
    // When all was made and the last is refused: it was changed by somebody else.
    if (step === 'verify') writeFileSync(join(workspace, 'stale/c.txt'), 'another\n');
    if (step !== 'restore-begin' || isHeld) return;
    isHeld = true;
    hold(join(workspace, 'held/b.txt'));
  }, {});
  const [ended] = await gate.run(patch);
  expect(gate.contents()).toEqual(['mine', 'theirs', 'another']);
  expect(ended).toMatchObject({
    recorded: true,
    failure: { code: 'StateError', file: 'held/b.txt' },
    summary: { state: 'FAILED', code: 'StateError', hasChanges: true },
    result: { changedFiles: [{ path: 'held/b.txt', change: 'modified', undoable: true }] },
  });
  expect(ended?.result.content).toContain('File content changed since last read');
  expect(ended?.result.content).toContain('“held/b.txt” stays changed');
  const { service, verify } = openServiceReader(gate.dataDir);
  const detail = await service.detail(ended?.summary.callId ?? '');
  expect(detail).toMatchObject({ state: 'FAILED', code: 'StateError', changedFiles: [{ path: 'held/b.txt' }] });
  expect(detail?.events.map(({ state }) => state)).not.toContain('ROLLED_BACK');
  expect(await verify()).toMatchObject({ ok: true });
  service.close();
});

it('a call that could not be recorded and can’t be undone either says both, and names the file', async () => {
  const which: Parameters<typeof refusing>[0] = { type: null };
  const gate = await openGate(
    (step, _subject, workspace) => {
      if (step === 'restore-begin') hold(join(workspace, 'held/b.txt'));
    },
    { wrapJournal: refusing(which) },
  );
  which.type = 'call-settled';
  const [ended] = await gate.run(patch);
  expect(gate.contents()).toEqual(['mine', 'theirs', 'mine']);
  expect(ended).toMatchObject({
    recorded: false,
    failure: { code: 'StateError', file: 'held/b.txt' },
    summary: { state: 'FAILED' },
    result: { changedFiles: [{ path: 'held/b.txt' }] },
  });
  expect(ended?.result.content).toContain('The disk is full.');
  expect(ended?.result.content).not.toContain('were undone');
});
