import { makeAsker } from '../../domain/call/asker.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Door, DOORS } from '#contract/vocabulary/calls.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { DeclaredCall } from '../../domain/call/call-stages.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Disposition, PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { type Tool, ToolFailure } from '../../domain/tool/tool.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { systemClock } from '../../platform/clock.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { readPlainly } from '../../domain/commands/reading/reading.test-support.js';
import type { CommandAnalysis } from '../../domain/policy/remembered/standing-confirmation.js';
import { CallPlanner } from './planner.js';
import { CONFINES } from '../../tests/gate/confinement.test-support.js';
import { PersonsRules } from './standing-rules.js';

const outside = new ToolFailure({ code: 'PathOutsideSandbox', message: 'outside', attempted: '../x' });
const tools: readonly Tool<unknown>[] = [
  noteTool({ name: 'reads' }),
  noteTool({ name: 'writes', sideEffecting: true, risk: 'medium' }),
  noteTool({ name: 'leads_out', sideEffecting: true }, { preflight: () => Promise.reject(outside) }),
  noteTool(
    { name: 'control' },
    { preflight: async () => ({ risk: 'high', mustAsk: 'It changes what other programs run.' }) },
  ),
  noteTool(
    { name: 'picky' },
    {
      parse: () => {
        throw new ToolFailure({ code: 'BadArgs', message: 'Not these.' });
      },
    },
  ),
  noteTool(
    { name: 'speechless', sideEffecting: true },
    {
      summary: () => {
        throw new TypeError('no summary');
      },
    },
  ),
  noteTool(
    { name: 'talks', sideEffecting: true },
    { summary: () => `token=ghp_${'a'.repeat(36)} \u202egnp.exe\u0007 ${'x'.repeat(500)}` },
  ),
];

/** Rules as they are. */
function rulesWith(): PersonsRules {
  return new PersonsRules({
    analyzer: { analyze: async (command) => readPlainly(command) },
    confirmations: { session: [], remember: async () => undefined },
    clock: systemClock,
    confinement: () => CONFINES,
    confinementTried: () => Promise.resolve(),
    texts: { find: () => null, keep: () => undefined },
    statusOf: () => 'known',
  });
}

function plannerWith(): CallPlanner {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  registry.register(noteTool({ name: 'persons_own' }), { advertise: false });
  return new CallPlanner({
    redactor: openTestRedactor(),
    tools: registry,
    rules: rulesWith(),
    confinement: () => CONFINES,
    confinementTried: () => Promise.resolve(),
    statusOf: () => 'known',
    keeping: { keeps: async () => true },
    texts: { listGivenTo: () => [], isTrusted: () => false },
    clock: systemClock,
  });
}

/** The tools here look at no path: FR-REG-01a. */
const untouchable = new Proxy({} as Sandbox, {
  get: (_target, name) => {
    if (name === 'inspectRoots') return () => [];
    // Which folders there are is known without a look at them.
    if (name === 'roots') return ['/w'];
    throw new Error(`planning touched the file system (${String(name)})`);
  },
});

const situation = (config: Config = defaultConfig()): PlanningSituation => ({
  config,
  sandbox: untouchable,
  workspace: '/w',
  isOpen: true,
});
const declared = (
  toolName: string,
  rawArguments: Json = { text: 'x' },
  requestId: string | null = null,
  asker: DeclaredCall['asker'] = makeAsker('mcp', 's'),
): DeclaredCall => ({
  callId: Math.random().toString(36),
  batchId: 'b',
  index: 0,
  requestId,
  toolName,
  asker,
  rawArguments,
});
const alone = { joinable: false, waiting: 0, knownIds: new Set<string>() };
const said = (disposition: Disposition | undefined): string =>
  disposition?.kind === 'settled' ? disposition.failure.code : (disposition?.kind ?? 'nothing');
const planOne = async (call: DeclaredCall, config?: Config): Promise<string> =>
  said((await plannerWith().plan([call], situation(config), alone))[0]);

describe('the precedence of FR-APR-05 and FR-VAL-02', () => {
  const huge = { text: 'x'.repeat(300_000) };
  it.each([
    [
      'mode disabled before everything',
      declared('nobody', []),
      defaultConfig({ mode: 'disabled', approval: { denylist: ['nobody'] } }),
      'Disabled',
    ],
    [
      'policy off before the denylist',
      declared('writes'),
      defaultConfig({ approval: { enabled: false, denylist: ['writes'] } }),
      'Disabled',
    ],
    [
      'the denylist before existence',
      declared('nobody'),
      defaultConfig({ approval: { denylist: ['nobody'] } }),
      'Denylisted',
    ],
    [
      'the denylist before arguments',
      declared('writes', []),
      defaultConfig({ approval: { denylist: ['writes'] } }),
      'Denylisted',
    ],
    ['existence before arguments', declared('nobody', []), defaultConfig(), 'UnknownTool'],
    ['size before schema', declared('writes', { ...huge, more: 1 }), defaultConfig(), 'LimitsExceeded'],
    ['schema before the tool’s own parse', declared('picky', {}), defaultConfig(), 'BadArgs'],
    ['paths before policy', declared('leads_out'), defaultConfig({ approval: { mode: 'deny' } }), 'PathOutsideSandbox'],
    ['policy last', declared('writes'), defaultConfig({ approval: { mode: 'deny' } }), 'Denylisted'],
    [
      'a control file asks, even allowlisted in auto',
      declared('control'),
      defaultConfig({ approval: { mode: 'auto', allowlist: ['control'] } }),
      'ask',
    ],
    ['reading runs', declared('reads'), defaultConfig(), 'run'],
    ['changing asks', declared('writes'), defaultConfig(), 'ask'],
  ])('%s', async (_what, call, config, expected) => {
    expect(await planOne(call, config)).toBe(expected);
  });

  it('duplicates and extras are settled before anything about them is looked at', async () => {
    const calls = [
      declared('reads', { text: '1' }, 'a'),
      declared('nobody', [], 'a'),
      declared('reads', { text: '2' }, 'b'),
      declared('nobody', []),
    ];
    const config = defaultConfig({ max_tool_calls_per_batch: 3 });
    expect((await plannerWith().plan(calls, situation(config), alone)).map(said)).toEqual([
      'run',
      'DuplicateToolCallId',
      'run',
      'LimitsExceeded',
    ]);
  });

  it('a tool without a summary is an error and never a prompt', async () => {
    expect(await planOne(declared('speechless'))).toBe('BadArgs');
  });
});

describe('each door has its set of tools', () => {
  const askedBy = (door: Door, config?: Config): Promise<string> =>
    planOne(declared('persons_own', { text: 'x' }, null, makeAsker(door, 's')), config);
  const agents = DOORS.filter((door) => door !== 'window' && door !== 'compose');

  it('what is the person’s own does not exist for anybody else, whatever would let it run', async () => {
    for (const door of agents) {
      expect(await askedBy(door)).toBe('UnknownTool');
      expect(await askedBy(door, defaultConfig({ approval: { mode: 'auto', allowlist: ['persons_own'] } }))).toBe(
        'UnknownTool',
      );
      expect(await askedBy(door, defaultConfig({ approval: { confirmed: [{ tool: 'persons_own' }] } }))).toBe(
        'UnknownTool',
      );
      // The same words as for a name that nothing has.
      expect(await askedBy(door, defaultConfig({ approval: { denylist: ['persons_own'] } }))).toBe('UnknownTool');
      expect(await askedBy(door, defaultConfig({ mode: 'parse_only' }))).toBe('UnknownTool');
      expect(await askedBy(door, defaultConfig({ mode: 'disabled' }))).toBe('Disabled');
    }
    expect(await askedBy('compose')).toBe('run');
    expect(await askedBy('window')).toBe('run');
  });

  it('a definition of the person’s own in parse-only mode is offered to all, under whatever name', async () => {
    const definitions = [{ name: 'persons_own', description: 'd', parameters: {} }];
    expect(await askedBy('mcp', defaultConfig({ mode: 'parse_only', definitions }))).toBe('await-result');
  });

  it('a call that is planned again remembers its door', async () => {
    const call = declared('persons_own', { text: 'x' }, null, makeAsker('conversation', 's'));
    expect(said(await plannerWith().replan({ ...call, rawArguments: { text: 'y' } }, situation()))).toBe('UnknownTool');
    const previewed = await plannerWith().preview('persons_own', { text: 'x' }, call.asker, situation());
    expect(previewed.code).toBe('UnknownTool');
  });
});

describe('what the person reads', () => {
  it('has no secret in it, shows what hides, and is at most 200 characters', async () => {
    const [planned] = await plannerWith().plan([declared('talks')], situation(), alone);
    const summary = planned?.kind === 'ask' ? planned.call.summary : '';
    expect(summary).not.toContain('ghp_');
    // oxlint-disable-next-line no-control-regex -- that none of these is there is the point.
    expect(summary).not.toMatch(/[\u0000-\u001f\u202a-\u202e]/u);
    expect(Array.from(summary).length).toBeLessThanOrEqual(200);
    expect(summary.endsWith('…')).toBe(true);
  });
});

describe('standing confirmations', () => {
  const runs = noteTool({
    name: 'run',
    sideEffecting: true,
    requiresApproval: true,
    requiredCapabilities: ['process.run'],
    inputSchema: {
      ...noteTool().declaration.inputSchema,
      properties: { command: { type: 'string', description: 'c' } },
      required: ['command'],
    },
  });
  const planned = async (
    command: string,
    analysis: Partial<CommandAnalysis> = {},
  ): Promise<Disposition | undefined> => {
    const registry = new ToolRegistry();
    registry.register({ ...runs, understand: async ({ text }) => readPlainly(text, analysis) });
    const planner = new CallPlanner({
      redactor: openTestRedactor(),
      tools: registry,
      rules: rulesWith(),
      confinement: () => CONFINES,
      confinementTried: () => Promise.resolve(),
      statusOf: () => 'known',
      keeping: { keeps: async () => true },
      texts: {
        listGivenTo: () => [],
        isTrusted: () => false,
      },
      clock: systemClock,
    });
    const confirmed = [{ tool: 'run', command: 'echo hello' }];
    const at = {
      ...situation(defaultConfig({ approval: { confirmed } })),
      sandbox: { roots: ['/w'], inspectRoots: () => [] } as never,
    };
    return (await planner.plan([declared('run', { command })], at, alone))[0];
  };
  it('let a confirmed command run, and nothing more than that', async () => {
    expect(said(await planned('echo hello'))).toBe('run');
    expect(said(await planned('echo hello; ls'))).toBe('ask');
    expect(said(await planned('echo hello > x'))).toBe('ask');
    expect(said(await planned('echo hello', { dangers: ['x'] }))).toBe('ask');
    expect(said(await planned('echo hello', { obstacles: ['x'] }))).toBe('ask');
    expect(said(await planned('echo hello', { read: null }))).toBe('ask');
  });
  it('let the words run that were read, not the text', async () => {
    const disposition = await planned('echo   "hello" 2>&1');
    expect(disposition).toMatchObject({
      kind: 'run',
      grant: { by: 'standing-confirmation', runs: "'echo' 'hello' 2>&1", leastConfinement: 'confined' },
    });
  });
});

describe('whatever comes as arguments', () => {
  it('ends in a disposition, and never in a crash', async () => {
    const planner = plannerWith();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tools.map(({ declaration }) => declaration.name), 'nobody', '__proto__'),
        fc.anything(),
        async (name, args) => {
          const [planned] = await planner.plan([declared(name, args as Json)], situation(), alone);
          expect(['run', 'ask', 'settled']).toContain(planned?.kind);
        },
      ),
      { numRuns: 300 },
    );
  });
});
