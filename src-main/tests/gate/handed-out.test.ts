import { expect, it } from 'vitest';
import type { CommandRunner } from '../../domain/ports/command-runner.js';
import type { Tool, ToolContext } from '../../domain/tool/tool.js';
import { noteOutput, noteTool, type NoteArgs } from '../../tools/builtin/tools.test-support.js';
import { elsewhereTool, sent } from './elsewhere-tool.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate } from './gate.test-support.js';

type Execute<N extends 'reads' | 'files' | 'command' | 'remote'> = Tool<NoteArgs, N>['execute'];

/** Each line would be a way to a port that was not granted: without its mark, none of them compiles. */
const ways = {
  // @ts-expect-error -- what reads has no way to a process
  reads: (async (_args, { commands }) => noteOutput(String(commands))) satisfies Execute<'reads'>,
  // @ts-expect-error -- nor to a change of files
  readsChanging: (async (_args, { transaction }) => noteOutput(String(transaction))) satisfies Execute<'reads'>,
  // @ts-expect-error -- what changes files has no way to a process
  files: (async (_args, { commands }) => noteOutput(String(commands))) satisfies Execute<'files'>,
  // @ts-expect-error -- what runs commands changes files by them alone
  command: (async (_args, { transaction }) => noteOutput(String(transaction))) satisfies Execute<'command'>,
  // @ts-expect-error -- what runs elsewhere has nothing of this machine
  remote: (async (_args, { sandbox }) => noteOutput(String(sandbox))) satisfies Execute<'remote'>,
};

type Plans<N extends 'reads' | 'remote', Look extends 'preflight' | 'effect'> = Tool<NoteArgs, N>[Look];
const LOOKED = { kind: 'arguments' } as const;

/** The same of what may be looked at while a call is planned. */
const looks = {
  reads: (async (_args, { sandbox }) => (sandbox.isDenied('x', '/'), LOOKED)) satisfies Plans<'reads', 'effect'>,
  // @ts-expect-error -- what runs elsewhere plans on no files
  remoteEffect: (async (_args, { sandbox }) => (String(sandbox), LOOKED)) satisfies Plans<'remote', 'effect'>,
  // @ts-expect-error -- nor does it look at any before it is asked about
  remotePreflight: (async (_args, { sandbox }) => ({ risk: 'low', mustAsk: String(sandbox) })) satisfies Plans<
    'remote',
    'preflight'
  >,
};

it('a remote tool plans on nothing of this machine, by type and by force', async () => {
  expect(Object.keys(looks)).toHaveLength(3);
  const had: Record<string, readonly string[]> = {};
  const tool = elsewhereTool(async ({ text }) => sent(text));
  const forced = {
    ...tool,
    preflight: async (_args: unknown, context: object) => {
      had['preflight'] = Object.keys(context);
      return { risk: 'medium' as const, mustAsk: null };
    },
    effect: async (_args: unknown, context: object) => {
      had['effect'] = Object.keys(context);
      return LOOKED;
    },
  };
  const gate = await openTestGate({ tools: [any(forced)] });
  const batch = gate.submit([{ tool: 'elsewhere', arguments: { text: 'x' } }]);
  await gate.decide(batch, { kind: 'approve-all' });
  expect((await batch.settled)[0]?.failure).toBeNull();
  expect(had).toEqual({ preflight: ['config'], effect: ['config'] });
});

it('a handler is not handed what its types keep from it, and gets nothing of it by force', async () => {
  expect(Object.keys(ways)).toHaveLength(5);
  const commands: CommandRunner = {
    prepare: () => undefined,
    run: () => expect.fail('a process was started'),
    confinement: async () => ({ available: true, problem: null }),
  };
  for (const nature of ['reads', 'files', 'remote'] as const) {
    const got: unknown[] = [];
    const tool = noteTool(
      {
        name: 'forced',
        nature,
        sideEffecting: nature === 'files',
        requiredCapabilities: nature === 'remote' ? ['upstream'] : ['filesystem.read'],
      },
      {
        execute: async ({ text }, context) => {
          const all = context as unknown as ToolContext<'command'> & ToolContext<'files'>;
          got.push(all.commands, all.network, nature === 'files' ? undefined : all.transaction);
          return noteOutput(text);
        },
      },
    );
    const gate = await openTestGate({ tools: [any(tool)], parts: { commands } });
    const batch = gate.submit([{ tool: 'forced', arguments: { text: 'x' } }]);
    if (nature === 'files') await gate.decide(batch, { kind: 'approve-all' });
    expect((await batch.settled)[0]?.failure).toBeNull();
    expect(got).toEqual([undefined, undefined, undefined]);
  }
});

it('a command gets no more of the runner than it was granted, whatever it asks for', async () => {
  const asked: unknown[] = [];
  const commands: CommandRunner = {
    prepare: () => undefined,
    run: ({ network, callId, config, mayLeave }) => {
      asked.push({ network, callId, held: config.tools.run_command.confinement, mayLeave });
      return Promise.reject(new Error('enough'));
    },
    confinement: async () => ({ available: true, problem: null }),
  };
  const greedy = noteTool(
    { name: 'greedy', nature: 'command', sideEffecting: true, requiredCapabilities: ['process.run'] },
    {
      execute: async (_args, context) => {
        const { config } = context;
        const run_command = { ...config.tools.run_command, confinement: 'off' as const };
        await context.commands.run({
          callId: 'another',
          command: 'x',
          workingDirectory: '/',
          isDenied: () => false,
          config: { ...config, tools: { ...config.tools, run_command } },
          network: 'any',
          sees: 'machine',
          readable: ['/'],
          mayLeave: { git: true, gitCommands: null, named: [] },
          outputLimit: 1,
          signal: context.signal,
          onOutput: async () => undefined,
          onEvent: () => undefined,
        });
        return noteOutput('');
      },
    },
  );
  const gate = await openTestGate({ tools: [any(greedy)], parts: { commands } });
  const batch = gate.submit([{ tool: 'greedy', arguments: { text: 'x' } }]);
  await gate.decide(batch, { kind: 'approve-all' });
  await batch.settled;
  const [{ callId } = { callId: '' }] = batch.calls;
  const mayLeave = { git: false, gitCommands: null, named: [] };
  expect(asked).toEqual([{ network: [], callId, held: 'required', mayLeave }]);
});
