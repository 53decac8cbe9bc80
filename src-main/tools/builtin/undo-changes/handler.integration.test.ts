import { testSealing } from '../../../workspace/images/sealing.test-support.js';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { UndoStore } from '../../../domain/ports/workspace/undo-store.js';
import type { WorkspaceTransactions } from '../../../domain/ports/workspace/transaction.js';
import { type Tool, type ToolContext, ToolFailure } from '../../../domain/tool/tool.js';
import { systemClock } from '../../../platform/clock.js';
import { sha256 } from '../../../platform/digest.js';
import { compileJsonValidator } from '../../../platform/json-schema.js';
import { PathJail } from '../../../workspace/sandbox/path-jail.js';
import { createUndoStore } from '../../../workspace/undo/undo-store.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../../workspace/transaction/workspace-transactions.js';
import { applyPatchTool } from '../apply-patch/handler.js';
import { defaultConfig, MemoryReadLog, findsSecrets } from '../file-tool.test-support.js';
import { findSchemaProblems } from '../../registry/schema-rules.js';
import { createUndoChangesTool } from './handler.js';
import { NO_EARLIER_EFFECTS } from '../../../domain/tool/tool.js';

let base: string;
let root: string;
let jail: PathJail;
let transactions: WorkspaceTransactions;
let undo: UndoStore;
const config = defaultConfig();
const readLog = new MemoryReadLog();

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'undo-tool-')));
  root = join(base, 'workspace');
  await mkdir(root);
  jail = await PathJail.create(root, config.tools.sandbox);
  const parts = createTransactionDeps({
    sealing: testSealing(),
    dataDir: join(base, 'data'),
    clock: systemClock,
    imageQuotaBytes: () => 2 ** 30,
    onProblem: () => undefined,
  });
  transactions = createWorkspaceTransactions(parts);
  undo = createUndoStore(parts);
});
afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

async function call<Args>(callId: string, tool: Tool<Args>, args: JsonObject) {
  expect(compileJsonValidator(tool.declaration.inputSchema)(args)).toMatchObject({ ok: true });
  const transaction = transactions.begin(callId);
  const context = {
    callId,
    sandbox: jail,
    transaction,
    readLog,
    config,
    signal: new AbortController().signal,
    shows: () => undefined,
    foreseen: NO_EARLIER_EFFECTS,
    findsSecrets,
  };
  try {
    const parsed = tool.parse(args);
    const understood = (await tool.understand?.(parsed, context, null)) ?? null;
    const preflight = await tool.preflight(parsed, context, understood);
    const effect = await tool.effect(parsed, context, understood);
    const output = await tool.execute(parsed, context as unknown as ToolContext, understood);
    expect(compileJsonValidator(tool.declaration.outputSchema)(output.structured)).toMatchObject({ ok: true });
    const changed = await transaction.commit();
    await transaction.settle();
    return { ok: true as const, output, effect, preflight, changed };
  } catch (error) {
    await transaction.rollback();
    if (error instanceof ToolFailure) return { ok: false as const, failure: error.failure };
    throw error;
  }
}

const created = (path: string) => ({ patch: `LP1\nF ${path}\nT\none\n.\nEND` });

describe('undo_changes', () => {
  it('declares sound schemas', () => {
    const { declaration } = createUndoChangesTool(undo);
    expect(findSchemaProblems(declaration.inputSchema)).toEqual([]);
    expect(findSchemaProblems(declaration.outputSchema)).toEqual([]);
  });

  it('takes a patch back, says what it undid, and is undone by itself', async () => {
    const tool = createUndoChangesTool(undo);
    await call('call-1', applyPatchTool, created('a.txt'));
    await call('call-2', applyPatchTool, { patch: 'LP1\nF a.txt\nT\ntwo\n.\nF b.txt\nT\nb\n.\nEND' });
    expect(await call('undo-1', tool, { callId: 'call-2' })).toMatchObject({
      ok: true,
      preflight: { risk: 'medium', mustAsk: null },
      effect: {
        kind: 'files',
        files: [
          { path: 'a.txt', change: 'modified', before: 'one\ntwo\n', after: 'one\n', note: null },
          { path: 'b.txt', change: 'deleted', before: 'b\n', after: null, note: null },
        ],
      },
      output: {
        content: 'restored: a.txt\ndeleted: b.txt',
        structured: { undoes: 'call-2', files: [{ path: 'a.txt', action: 'restored' }, { path: 'b.txt', action: 'deleted' }] },
      },
      changed: [{ path: 'a.txt', change: 'modified' }, { path: 'b.txt', change: 'deleted' }],
    }); // prettier-ignore
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('one\n');
    await call('redo-1', tool, { callId: 'undo-1', paths: ['b.txt'] });
    expect(await readFile(join(root, 'b.txt'), 'utf8')).toBe('b\n');
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('names the files that changed since, and does nothing half', async () => {
    const tool = createUndoChangesTool(undo);
    await call('call-1', applyPatchTool, { patch: 'LP1\nF a.txt\nT\na\n.\nF b.txt\nT\nb\n.\nEND' });
    await writeFile(join(root, 'b.txt'), 'mine');
    expect(await call('undo-1', tool, { callId: 'call-1' })).toMatchObject({
      ok: false,
      failure: { code: 'ExecutionFailed', message: expect.stringContaining('“b.txt”: It was edited after this call.') },
    });
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('a\n');
    expect(await call('undo-2', tool, { callId: 'nobody' })).toMatchObject({
      ok: false,
      failure: { code: 'ExecutionFailed' },
    });
  });

  it('asks for control files', async () => {
    await call('call-1', applyPatchTool, created('.envrc'));
    expect(await call('undo-1', createUndoChangesTool(undo), { callId: 'call-1' })).toMatchObject({
      ok: true,
      preflight: { risk: 'high', mustAsk: expect.stringContaining('.envrc') },
    });
  });

  it('H3: asks for control files however they are spelt, and shows what it would do to them', async () => {
    const tool = createUndoChangesTool(undo);
    await call('call-1', applyPatchTool, created('./.vscode/tasks.json'));
    await call('undo-1', tool, { callId: 'call-1' });
    for (const path of ['./.vscode/tasks.json', '.vscode/tasks.json']) {
      expect(await call(`undo-${path}`, tool, { callId: 'undo-1', paths: [path] })).toMatchObject({
        ok: true,
        preflight: { risk: 'high', mustAsk: expect.stringContaining('.vscode/tasks.json') },
        effect: { kind: 'files', files: [{ path: '.vscode/tasks.json', change: 'created', after: 'one\n' }] },
      });
      await rm(join(root, '.vscode'), { recursive: true });
    }
  });

  it('refuses a file that the call did not change before anybody is asked', async () => {
    const tool = createUndoChangesTool(undo);
    await call('call-1', applyPatchTool, created('a.txt'));
    const args = tool.parse({ callId: 'call-1', paths: ['b.txt'] });
    await expect(tool.preflight(args, { sandbox: jail, config, findsSecrets }, null)).rejects.toThrow(
      'did not change “b.txt”',
    );
  });

  it('takes several calls back as one: each file to what it was before the first of them', async () => {
    const tool = createUndoChangesTool(undo);
    await writeFile(join(root, 'a.txt'), 'mine\n');
    readLog.record((await jail.validate('a.txt')).absolute, sha256('mine\n'));
    await call('call-1', applyPatchTool, { patch: 'LP1\nF a.txt\nT\none\n.\nF new/b.txt\nT\nb\n.\nEND' });
    await call('call-2', applyPatchTool, { patch: 'LP1\nF a.txt\nT\ntwo\n.\nF gone.txt\nT\nx\n.\nEND' });
    const before = ['call-2', 'call-1'] as const;
    expect(await call('undo-1', tool, { callId: before[0], earlier: [{ callId: before[1] }] })).toMatchObject({
      ok: true,
      effect: {
        files: [
          { path: 'a.txt', change: 'modified', before: 'mine\none\ntwo\n', after: 'mine\n' },
          { path: 'gone.txt', change: 'deleted' },
          { path: 'new/b.txt', change: 'deleted' },
        ],
      },
      output: { undoes: ['call-2', 'call-1'], structured: { undoes: 'call-2', earlier: ['call-1'] } },
    });
    expect(await readdir(root)).toEqual(['a.txt']);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('mine\n');
    // It is one call like any other, and is undone as one.
    expect(await call('redo-1', tool, { callId: 'undo-1' })).toMatchObject({ ok: true });
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('mine\none\ntwo\n');
    expect(await readFile(join(root, 'new', 'b.txt'), 'utf8')).toBe('b\n');
  });

  it('takes nothing back where something else changed a file between the calls', async () => {
    const tool = createUndoChangesTool(undo);
    await call('call-1', applyPatchTool, created('a.txt'));
    await writeFile(join(root, 'a.txt'), 'mine\n');
    readLog.record((await jail.validate('a.txt')).absolute, sha256('mine\n'));
    await call('call-2', applyPatchTool, { patch: 'LP1\nF a.txt\nT\ntwo\n.\nEND' });
    const both = { callId: 'call-2', earlier: [{ callId: 'call-1' }] };
    expect(await call('undo-1', tool, both)).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('Something else changed it between these calls.') },
    });
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('mine\ntwo\n');
    // What can be taken back of it is said: the later call’s part.
    const changes = [
      { callId: 'call-2', undoes: [] },
      { callId: 'call-1', undoes: [] },
    ];
    expect(await undo.plan(changes, null, jail)).toMatchObject([
      { path: 'a.txt', possible: true, partly: true, callIds: ['call-2'], before: 'mine\n' },
    ]);
    expect((await undo.listRemainingChanges(changes)).files).toMatchObject([
      {
        path: 'a.txt',
        change: 'created',
        before: null,
        after: 'mine\ntwo\n',
        between: true,
        callIds: ['call-2', 'call-1'],
      },
    ]);
  });

  it('counts as no read: what was undone must be read again before it is patched', async () => {
    await call('call-1', applyPatchTool, created('a.txt'));
    await call('call-2', applyPatchTool, { patch: 'LP1\nF a.txt\nT\ntwo\n.\nEND' });
    await call('undo-1', createUndoChangesTool(undo), { callId: 'call-2' });
    expect(await call('call-3', applyPatchTool, { patch: 'LP1\nF a.txt\nT\nx\n.\nEND' })).toMatchObject({
      ok: false,
      failure: { code: 'StaleFile' },
    });
  });
});
