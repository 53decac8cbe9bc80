import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { Batch } from '../../domain/ports/gate/gate.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { type Tool, ToolFailure } from '../../domain/tool/tool.js';
import { openTestHooks } from '../../authority/hooks/hooks.test-support.js';
import type { PersonsHooks } from '../../authority/hooks/persons-hooks.js';
import { openTestPrograms, type TestPrograms } from '../../process/programs/programs.test-support.js';
import { CONFINES, CONFINES_NOT } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate, testFolder, type TestGate } from './gate.test-support.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { noteOutput, noteTool, toRegistered } from '../../tools/builtin/tools.test-support.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { answerTo } from './answers.test-support.js';

/**
 * The rule itself: what was judged is what is used, or it is judged again. Between each two steps of a call one thing that
 * it was judged on is put in the place of another, and what was put there is never what the call then runs on.
 */

const BORDERS = [
  'planned → asked',
  'asked → decided',
  'decided → started',
  'started → attempted',
  'first try → next',
] as const;
type Border = (typeof BORDERS)[number];
const BY = ['person', 'policy', 'standing confirmation', 'mode'] as const;
type By = (typeof BY)[number];

interface Stage {
  readonly gate: TestGate;
  readonly registry: ToolRegistry;
  readonly tool: Tool<unknown>;
  readonly by: By;
  readonly confine: (confinement: ConfinementState) => void;
}

type Tools = Config['tools'];
const changed = ({ gate, by }: Stage, tools: Partial<{ [Key in keyof Tools]: Partial<Tools[Key]> }>): void => {
  gate.config = configFor(by, tools);
  void gate.configChanged().catch(() => undefined);
};
const configFor = (by: By, tools: Partial<{ [Key in keyof Tools]: Partial<Tools[Key]> }> = {}): Config => {
  const confirmed = ['apply_patch', 'write_file', 'command'].map((tool) =>
    tool === 'command' ? { tool, command: 'echo hello' } : { tool },
  );
  const approval = {
    denylist: [],
    ...(by === 'policy' ? { allowlist: ['apply_patch', 'write_file', 'read_file', 'command'] } : {}),
    ...(by === 'standing confirmation' ? { confirmed } : {}),
    ...(by === 'mode' ? ({ edits: 'collect', commands: 'sandbox' } as const) : {}),
    ...tools.approval,
  };
  return defaultConfig({ ...tools, approval });
};

const inPlaceOf = (from: string, to: string): void => {
  renameSync(to, `${to}.real`);
  if (from.startsWith('/')) renameSync(from, to);
  else symlinkSync(from, to);
};

/** What is swapped. Each puts something there that the call would run on as well as on what was judged. */
const FILE_SWAPS: Readonly<Record<string, (stage: Stage) => void>> = {
  'path: a link in the place of its folder': ({ gate }) => inPlaceOf('.vscode', join(gate.workspace, 'd')),
  'path: another folder in the place of its folder': ({ gate }) =>
    inPlaceOf(join(gate.workspace, '.vscode'), join(gate.workspace, 'd')),
  content: ({ gate, tool }) =>
    tool.declaration.name === 'write_file'
      ? writeFileSync(join(gate.workspace, 'd/b.txt'), 'there now')
      : writeFileSync(join(gate.workspace, 'd/a.txt'), 'one\nother\n'),
  settings: (stage) => changed(stage, { timeouts: { file_operations_seconds: 7 } }),
  'roots: others by the settings': (stage) => changed(stage, { sandbox: { allowed_roots: ['.', 'e'] } }),
  'roots: another folder by that name': ({ gate }) => {
    cpSync(gate.workspace, `${gate.workspace}.copy`, { recursive: true });
    inPlaceOf(`${gate.workspace}.copy`, gate.workspace);
  },
};
const BOTH_SWAPS: Readonly<Record<string, (stage: Stage) => void>> = {
  'policy: denied': (stage) => changed(stage, { approval: { denylist: [stage.tool.declaration.name] } }),
  'policy: the rule is gone': (stage) =>
    stage.by === 'person'
      ? changed(stage, { approval: { mode: 'deny' } })
      : changed(stage, { approval: { allowlist: [], confirmed: [], edits: 'ask', commands: 'ask' } }),
  'tool definition': ({ registry, tool }) => {
    const other = { ...tool, declaration: { ...tool.declaration, version: '9.9.9' } };
    registry.replaceForeign(toRegistered([other]), new Map());
  },
};
const COMMAND_SWAPS: Readonly<Record<string, (stage: Stage) => void>> = {
  confinement: (stage) => stage.confine(CONFINES_NOT),
  // By another session of its agent: it was not written before that.
  'what was read': ({ gate }) =>
    void gate.journal.append([
      {
        type: 'text-given',
        to: 'agent:codex',
        workspace: gate.workspace,
        byCall: null,
        text: { name: 'README.md', origin: 'file', ofFolder: true, isPrivate: false, session: 'another' },
      },
    ]),
  settings: (stage) => changed(stage, { run_command: { kill_grace_ms: 1 } }),
  'roots: others by the settings': (stage) => changed(stage, { sandbox: { allowed_roots: ['e'] } }),
  'roots: another folder by that name': FILE_SWAPS['roots: another folder by that name'] as (stage: Stage) => void,
};

/** Fails at first in a way that is tried again. */
function failingFirst<Args>(tool: Tool<Args>, fails: boolean): Tool<Args> {
  let tries = 0;
  return {
    ...tool,
    declaration: { ...tool.declaration, idempotent: true },
    execute: async (args, context, understood) => {
      tries += 1;
      if (fails && tries === 1) throw new ToolFailure({ code: 'ResourceExhausted', message: 'short', limit: 'x' });
      return tool.execute(args, context, understood);
    },
  };
}

const commandTool = (ran: string[]): Tool<{ readonly text: string }> =>
  noteTool(
    {
      name: 'command',
      sideEffecting: true,
      requiredCapabilities: ['process.run'],
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
        required: ['command'],
        properties: { command: { type: 'string', description: 'What would be run.' } },
      },
    },
    {
      parse: ({ command }) => ({ text: command as string }),
      preflight: async ({ text }) => ({
        risk: 'medium',
        mustAsk: null,
        needs: { hosts: ['a.example'], others: false },
        unasked: {
          what: 'command',
          against: null,
          edits: null,
          writes: { writes: 'kept', deletes: [] },
          reading: text,
        },
      }),
      execute: async ({ text }) => {
        ran.push(text);
        return noteOutput(text);
      },
    },
  );

const CALLS = {
  apply_patch: { tool: 'apply_patch', arguments: { patch: 'LP1\nF d/a.txt\nR\none\n.\nTWO\n.\nEND\n' } },
  write_file: { tool: 'write_file', arguments: { path: 'd/b.txt', content: 'made' } },
  read_file: { tool: 'read_file', arguments: { path: 'd/a.txt' } },
  command: { tool: 'command', arguments: { command: 'echo hello' } },
} as const;

function tree(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length)] = readFileSync(path, 'utf8');
  }
  return found;
}

/** Does it as soon as the journal holds that event. */
function whenWritten(gate: TestGate, is: (event: JournalEvent) => boolean, work: () => void): void {
  let done = false;
  gate.journal.onCommit((events) => {
    if (done || !events.some(is)) return;
    done = true;
    work();
  });
}

const EVENTS: Readonly<Record<Exclude<Border, 'asked → decided'>, (event: JournalEvent) => boolean>> = {
  'planned → asked': ({ type }) => type === 'call-awaiting',
  'decided → started': ({ type }) => type === 'call-authorized',
  'started → attempted': (event) => event.type === 'call-executing' && event.attempt === 1,
  'first try → next': (event) => event.type === 'call-executing' && event.attempt === 2,
};

interface Swapped {
  readonly codes: readonly string[];
  readonly untouched: boolean;
  readonly ran: readonly string[];
  /** What the person was shown, and the settings that their yes is for. */
  readonly saidYesTo: readonly unknown[];
  /** What hooks said of it, in order. */
  readonly hooked: readonly HookRun[];
}

/** All that a sheet shows, in whatever folder. */
const shownOn = ({ calls, roots }: ApprovalRequest, base: string): string =>
  JSON.stringify([calls.map((each) => ({ ...each, callId: '' })), roots]).replaceAll(base, '');

async function swapped(
  name: keyof typeof CALLS,
  by: By,
  border: Border | null,
  swap: (stage: Stage) => void,
  hooksIn?: (workspace: string) => PersonsHooks,
): Promise<Swapped> {
  const base = testFolder('swapped');
  const workspace = join(base, 'workspace');
  for (const folder of ['d', '.vscode', 'e']) mkdirSync(join(workspace, folder), { recursive: true });
  for (const file of ['d/a.txt', '.vscode/a.txt']) writeFileSync(join(workspace, file), 'one\n');
  const ran: string[] = [];
  const retried = border === 'first try → next';
  const tools = {
    apply_patch: any(failingFirst(applyPatchTool, retried)),
    write_file: any(failingFirst(writeFileTool, retried)),
    read_file: any(failingFirst(readFileTool, retried && name === 'read_file')),
    command: any(failingFirst(commandTool(ran), retried)),
  };
  const registry = new ToolRegistry();
  registry.replaceForeign(toRegistered(Object.values(tools)), new Map());
  const state = { confinement: CONFINES };
  const gate = await openTestGate({
    tools: [],
    workspace,
    config: configFor(by),
    parts: {
      registry,
      confinement: () => state.confinement,
      ...(hooksIn === undefined ? {} : { hooks: hooksIn(workspace) }),
    },
  });
  // What may be patched was read. A read that fails at first is tried again, and is then no first one any more.
  if (name !== 'read_file') await gate.run({ tool: 'read_file', arguments: { path: 'd/a.txt' } });
  const stage: Stage = {
    gate,
    registry,
    tool: tools[name],
    by,
    confine: (confinement) => void (state.confinement = confinement),
  };
  let before: unknown = null;
  const act = (): void => {
    swap(stage);
    before = tree(base);
  };
  // What only reads is on record with its result: nothing is written before it is attempted.
  const unwritten = name === 'read_file' && border !== 'first try → next';
  if (border !== null && border !== 'asked → decided' && !unwritten) whenWritten(gate, EVENTS[border], act);
  const who = name === 'command' ? ({ door: 'mcp', agent: 'codex' } as const) : {};
  const batch: Batch = gate.submit([CALLS[name]], who);
  if (border !== null && unwritten) batch.calls[0]?.onProgress(({ type }) => type === 'executing' && act());
  const codes: string[] = [];
  const saidYesTo: unknown[] = [];
  const hooked: HookRun[] = [];
  gate.journal.onCommit((events) => {
    for (const event of events) {
      if (event.type === 'call-authorized') saidYesTo.push(event.grant.judgement?.terms.settings);
      if (event.type === 'call-hook') hooked.push(event.run);
    }
  });
  if (by === 'person') {
    const request = await Promise.race([gate.sheet(batch), batch.settled.then(() => null)]);
    if (request !== null) {
      saidYesTo.push(shownOn(request, base));
      if (border === 'asked → decided') act();
      gate.read();
      const answer = await gate.desk.decide(answerTo(request, 'approve-all'));
      if (!answer.ok) {
        codes.push(answer.problem);
        batch.cancel();
      }
    } else if (border !== 'planned → asked') expect.fail('It was not asked about.');
  }
  batch.calls[0]?.onProgress(({ type }) => {
    if (type !== 'waiting-for-decision') return;
    codes.push('asked');
    batch.cancel();
  });
  const [settled] = await batch.settled;
  codes.push(settled?.failure?.code ?? 'ran');
  return { codes, untouched: JSON.stringify(before) === JSON.stringify(tree(base)), ran, saidYesTo, hooked };
}

const ASKED: ReadonlySet<Border> = new Set(['planned → asked', 'asked → decided']);
// What stands in a file that is only read is not judged: it is given as it is when it is read.
const { content: _content, 'path: another folder in the place of its folder': _folder, ...READ_SWAPS } = FILE_SWAPS;
const SWAPS = {
  apply_patch: FILE_SWAPS,
  write_file: FILE_SWAPS,
  read_file: READ_SWAPS,
  command: COMMAND_SWAPS,
} as const;

/** The decision itself is refused: by what it is shown anew, or because the call is gone from the sheet. */
const UNDECIDED = new Set(['stale', 'not-found']);
/** ExecutionFailed: a file stands by now where one was to be made. */
const REFUSALS = new Set(['SandboxViolation', 'StaleFile', 'NoDecision', 'Denylisted', 'stale', 'ExecutionFailed']);

describe.each(Object.keys(CALLS) as (keyof typeof CALLS)[])('%s', (name) => {
  const swaps = { ...SWAPS[name], ...BOTH_SWAPS };
  // Reading needs no asking; all else is tried with each who may let it run.
  const granting = name === 'read_file' ? (['policy'] as const) : BY;
  const cells = granting.flatMap((by) =>
    BORDERS.filter((border) => by === 'person' || !ASKED.has(border)).flatMap((border) =>
      Object.keys(swaps).map((what) => [by, border, what] as const),
    ),
  );

  it.each(granting)('nothing swapped (by %s): it runs, also where it is tried again', async (by) => {
    for (const border of [null, 'first try → next'] as const) {
      const { codes } = await swapped(name, by, border, () => undefined);
      expect(codes).toEqual(['ran']);
    }
  });

  it.each(cells)('by %s, %s: %s', async (by, border, what) => {
    const { codes, untouched, ran, saidYesTo } = await swapped(name, by, border, swaps[what] ?? expect.fail(what));
    // What changed before the sheet was drawn is on it: the person said yes to how it is.
    if (border === 'planned → asked' && codes.join() === 'ran') {
      expect(saidYesTo).not.toEqual((await swapped(name, by, null, () => undefined)).saidYesTo);
      return;
    }
    expect(
      codes.some((code) => REFUSALS.has(code)),
      codes.join(),
    ).toBe(true);
    expect(codes).not.toContain('ran');
    if (border === 'asked → decided') expect(UNDECIDED.has(codes[0] ?? ''), codes.join()).toBe(true);
    expect(untouched).toBe(true);
    expect(ran).toEqual([]);
  });
});

describe('hooks', () => {
  let programs: TestPrograms;
  beforeAll(async () => {
    programs = await openTestPrograms();
  });
  afterAll(async () => programs[Symbol.asyncDispose]());

  const says = (reason: string): string => `echo '{"decision":"allow","reason":"${reason}"}'`;
  /** One whose program lies in the open folder, where tools may change it. */
  const hooksIn = (workspace: string): PersonsHooks => {
    const made = openTestHooks(programs.held);
    const file = join(workspace, 'hook/hook.sh');
    mkdirSync(join(workspace, 'hook'));
    writeFileSync(file, '. "$(dirname "$0")/rules.sh"');
    writeFileSync(join(workspace, 'hook/rules.sh'), says('accepted'));
    made.openFolders = [workspace];
    made.settings = [{ name: 'ours', when: 'before', command: ['sh', file], timeout_seconds: 60 }];
    made.hooks.acceptFiles();
    return made.hooks;
  };
  const cells = BY.flatMap((by) =>
    BORDERS.filter((border) => by === 'person' || !ASKED.has(border)).flatMap((border) =>
      ['hook.sh', 'rules.sh'].map((file) => [by, border, file] as const),
    ),
  );

  it.each(cells)('by %s, %s: a hook’s %s', async (by, border, file) => {
    const swap = ({ gate }: Stage): void => writeFileSync(join(gate.workspace, 'hook', file), says('swapped'));
    const { codes, ran, hooked } = await swapped('command', by, border, swap, hooksIn);
    const reasons = hooked.map((run) => ('failed' in run ? run.failed : run.reason));
    expect(reasons[0]).toBe('accepted');
    expect(reasons).not.toContain('swapped');
    // Nobody’s word by now: it asks, and a person’s yes to this very call is the answer.
    expect(reasons.at(-1)).toContain('is not the one that you accepted');
    expect([codes, ran]).toEqual(by === 'person' ? [['ran'], ['echo hello']] : [['NoDecision'], []]);
  });
});
