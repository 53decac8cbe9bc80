import { describe, expect, it } from 'vitest';
import type { RuleRetention, RuleVerdict, RunnerScript, SessionRule } from '../../domain/ports/gate/standing-rules.js';
import type { Reading } from '../../domain/commands/reading/reading.js';
import { readPlainly } from '../../domain/commands/reading/reading.test-support.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import type { StandingConfirmation } from '../../domain/policy/remembered/standing-confirmation.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { CONFINES, CONFINES_NOT } from '../../tests/gate/confinement.test-support.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { PersonsRules } from './standing-rules.js';

const scripts = (given: Record<string, string>): string => JSON.stringify({ scripts: given });
const BEFORE = scripts({ test: 'vitest run', build: 'vite build' });

const reading = (command: string): Reading =>
  readPlainly(command, command.includes('.envrc') ? { controlFiles: ['sub/.envrc'] } : {});

/** Rules over a folder whose files a test changes; what is kept lives as long as the test. */
function over(files: Record<string, string>, agent: string | null = null, links: Record<string, string> = {}) {
  const kept = new Map<string, RunnerScript>();
  const session: SessionRule[] = [];
  const remembered: StandingConfirmation[] = [];
  const state = { inForce: 'confined' as 'confined' | 'unconfined' };
  const keyOf = (rule: StandingConfirmation, folder: string): string =>
    `${rule.command ?? ''} ${rule.prefix ?? ''} ${folder}`;
  const rules = new PersonsRules({
    analyzer: {
      analyze: async (command) => reading(command),
    },
    confirmations: {
      session,
      remember: async (rule) => {
        remembered.push(rule);
        session.push({ ...rule, id: `session-${session.length + 1}` });
      },
    },
    clock: { now: () => 0, monotonic: () => 0 },
    confinement: () => (state.inForce === 'confined' ? CONFINES : CONFINES_NOT),
    confinementTried: () => Promise.resolve(),
    statusOf: () => 'known',
    texts: {
      find: (rule, folder) => kept.get(keyOf(rule, folder)) ?? null,
      keep: (rule, folder, text) => void kept.set(keyOf(rule, folder), text),
    },
  });
  const sandbox = {
    roots: ['/w'],
    validate: async (path: string) => {
      if (files[path] === 'denied')
        throw new ToolFailure({ code: 'DeniedPatternMatched', message: 'denied', attempted: path, pattern: path });
      if (path.startsWith('..'))
        throw new ToolFailure({ code: 'PathOutsideSandbox', message: 'outside', attempted: path });
      return { relative: links[path] ?? (path === '.' ? '' : path), root: '/w' };
    },
    facts: async ({ relative }: { readonly relative: string }) => {
      if (files[relative] !== undefined) return { kind: 'file' };
      const isFolder = relative === '' || Object.keys(files).some((file) => file.startsWith(`${relative}/`));
      return isFolder ? { kind: 'dir' } : null;
    },
    openFile: async ({ relative }: { readonly relative: string }) => {
      const bytes = Buffer.from(files[relative] ?? '');
      return {
        facts: { size: bytes.length },
        read: async (buffer: Uint8Array, position: number) => bytes.copy(buffer, 0, position),
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  } as unknown as Sandbox;
  const tool = noteTool({ name: 'run', requiredCapabilities: ['process.run'] });
  const ask = (command: string, confirmed: readonly Omit<StandingConfirmation, 'tool'>[]): Promise<RuleVerdict> =>
    rules.judge(
      {
        toolName: 'run',
        tool,
        parsed: { text: command },
        understood: reading(command),
        asker: { door: 'mcp', agent },
        judgement: {},
      } as never,
      situation(confirmed),
    );
  const situation = (confirmed: readonly Omit<StandingConfirmation, 'tool'>[]) => ({
    config: defaultConfig({ approval: { confirmed: confirmed.map((rule) => ({ tool: 'run', ...rule })) } }),
    sandbox,
    workspace: '/w',
    isOpen: true,
  });
  const make = async (held: RuleRetention, command = 'npm test'): Promise<void> =>
    (await rules.makeRule({ tool: 'run', command }, situation([]), held))();
  return { ask, state, files, remembered, make };
}

describe('a rule for a runner', () => {
  it('takes the script of the first run, and asks with the difference when that is another by then', async () => {
    const folder = over({ 'package.json': BEFORE });
    const rule = [{ command: 'npm test' }];
    expect((await folder.ask('npm test', rule)).kind).toBe('run');
    // What the rule does not run may change.
    folder.files['package.json'] = scripts({ test: 'vitest run', build: 'other' });
    expect((await folder.ask('npm test', rule)).kind).toBe('run');
    folder.files['package.json'] = scripts({ test: 'touch pwned' });
    expect(await folder.ask('npm test', rule)).toMatchObject({
      kind: 'ask',
      why: expect.stringContaining('has changed since you made the rule: package.json') as string,
      runnerChange: { file: 'package.json', before: 'test: vitest run\n', after: 'test: touch pwned\n' },
    });
    folder.files['package.json'] = BEFORE;
    expect((await folder.ask('npm test', rule)).kind).toBe('run');
  });

  it.each([
    ['a hook before it', { 'package.json': scripts({ test: 'vitest run', build: 'vite build', pretest: 'x' }) }],
    ['a hook after it', { 'package.json': scripts({ test: 'vitest run', build: 'vite build', posttest: 'x' }) }],
    ['another shell for scripts', { 'package.json': BEFORE, '.npmrc': 'script-shell=./x' }],
    ['no file any more', {}],
    ['a file that can’t be read', { 'package.json': 'denied' }],
    ['a file that says nothing', { 'package.json': '{' }],
  ])('asks where there is %s', async (_, after: Record<string, string>) => {
    const folder = over({ 'package.json': BEFORE });
    const rule = [{ command: 'npm test' }];
    expect((await folder.ask('npm test', rule)).kind).toBe('run');
    delete folder.files['package.json'];
    Object.assign(folder.files, after);
    expect((await folder.ask('npm test', rule)).kind).toBe('ask');
  });

  it.each([
    [
      'make test',
      { Makefile: 'include inc.mk\n', 'inc.mk': 'test:\n\ttrue\n' },
      { 'inc.mk': 'test:\n\ttouch pwned\n' },
    ],
    ['make test', { Makefile: '-include a.mk b.mk\n', 'b.mk': 'include c.mk\n', 'c.mk': '' }, { 'c.mk': 'x:\n' }],
    ['make test', { Makefile: '-include later.mk\n' }, { 'later.mk': 'test:\n\ttouch pwned\n' }],
    ['sh once.sh', { 'once.sh': 'true\n' }, { 'once.sh': 'touch pwned\n' }],
    ['sh -e ./once.sh', { './once.sh': 'true\n' }, { './once.sh': 'touch pwned\n' }],
    ['node --require=a.js b.js', { 'a.js': '1', 'b.js': '2' }, { 'a.js': '3' }],
    ['./run now', { './run': '#!/bin/sh\n' }, { './run': '#!/bin/sh\ntouch pwned\n' }],
    ['python3 /w/x.py', { 'x.py': '1' }, { 'x.py': '2' }],
  ])('%s asks when what it takes in has changed', async (command, before, after) => {
    const folder = over(before);
    expect((await folder.ask(command, [{ command }])).kind).toBe('run');
    Object.assign(folder.files, after);
    expect(await folder.ask(command, [{ command }])).toMatchObject({
      kind: 'ask',
      why: expect.stringContaining('has changed') as string,
    });
  });

  it.each([
    ['make test', { Makefile: 'include *.mk\n' }],
    ['make test', { Makefile: 'include $(X)\n' }],
    ['make test', { Makefile: '$(eval include x)\n' }],
    ['make -f other.mk', { Makefile: 'all:\n' }],
    ['make -C sub', { Makefile: 'all:\n' }],
    ['npm --prefix sub test', { 'package.json': BEFORE }],
    ['just test', { justfile: "import 'x'\n" }],
    ['task test', { 'Taskfile.yml': 'includes:\n  x: ./x\n' }],
    ['sh secret.sh', { 'secret.sh': 'denied' }],
  ])('%s is asked about where its script can’t be told', async (command, files) => {
    expect((await over(files as Record<string, string>).ask(command, [{ command }])).kind).toBe('ask');
  });

  it('is for no runner where the command names no file of the folder', async () => {
    expect((await over({}).ask('node --version', [{ command: 'node --version' }])).kind).toBe('run');
  });

  it('of first words is for all that they may run', async () => {
    const folder = over({ 'package.json': BEFORE, Makefile: 'all:\n\ttrue\n' });
    const rules = [{ prefix: 'npm run' }, { prefix: 'make' }];
    expect((await folder.ask('npm run build && make -k all', rules)).kind).toBe('run');
    folder.files['Makefile'] = 'all:\n\ttouch pwned\n';
    expect((await folder.ask('npm run build', rules)).kind).toBe('run');
    expect((await folder.ask('npm run build && make -k all', rules)).kind).toBe('ask');
    folder.files['package.json'] = scripts({ build: 'vite build', test: 'x' });
    expect((await folder.ask('npm run build', rules)).kind).toBe('ask');
  });

  it('keeps to the digest that it says itself', async () => {
    const folder = over({ 'package.json': BEFORE });
    const verdict = await folder.ask('npm test', [{ command: 'npm test', digest: '0'.repeat(64) }]);
    expect(verdict).toMatchObject({ kind: 'ask', runnerChange: { before: null, after: 'test: vitest run\n' } });
  });

  it('made in the window says where, how closely held, and of what; beside one for what was before', async () => {
    const folder = over({ 'package.json': BEFORE });
    await folder.make({ where: 'here', until: 'always' });
    expect(folder.remembered).toEqual([
      {
        tool: 'run',
        command: 'npm test',
        workspace: '/w',
        confinement: 'confined',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
      },
    ]);
    expect((await folder.ask('npm test', [])).kind).toBe('run');
    folder.files['package.json'] = scripts({ test: 'other' });
    expect((await folder.ask('npm test', [])).kind).toBe('ask');
    await folder.make({ where: 'here', until: 'always' });
    expect((await folder.ask('npm test', [])).kind).toBe('run');
    folder.state.inForce = 'unconfined';
    // Nor does one that is made meanwhile hold for less.
    await folder.make({ where: 'everywhere', until: 'quit' });
    expect(folder.remembered.map(({ confinement }) => confinement)).toEqual(['confined', 'confined', 'confined']);
    expect(await folder.ask('npm test', [])).toMatchObject({ kind: 'ask', runnerChange: null });
  });
});

it('a rule for one agent holds for it alone', async () => {
  const rule = [{ command: 'ls', agent: 'mine' }];
  expect((await over({}, 'mine').ask('ls', rule)).kind).toBe('run');
  expect((await over({}, 'other').ask('ls', rule)).kind).toBe('ask');
  expect((await over({}).ask('ls', rule)).kind).toBe('ask');
});

describe('the folder that a cd leads to', () => {
  const files = { 'package.json': BEFORE, 'sub/package.json': scripts({ test: 'sub' }), 'other/x': '' };
  const everywhere = [{ command: 'npm test' }];

  it('is this folder: a rule for it holds', async () => {
    const folder = over({ ...files });
    const rule = [{ command: 'npm test', workspace: '/w' }];
    for (const command of ['cd . && npm test', 'cd /w && npm test', 'cd ./ && time npm test'])
      expect((await folder.ask(command, rule)).kind, command).toBe('run');
    folder.files['package.json'] = scripts({ test: 'touch pwned' });
    expect((await folder.ask('cd /w && npm test', rule)).kind).toBe('ask');
  });

  it('is another: what runs there is what was confirmed for there, not what stands here', async () => {
    const folder = over({ ...files });
    expect((await folder.ask('npm test', everywhere)).kind).toBe('run');
    expect((await folder.ask('cd sub && npm test', [{ command: 'npm test', workspace: '/w' }])).kind).toBe('ask');
    // Who asks may have made it.
    expect(await folder.ask('cd sub && npm test', everywhere)).toMatchObject({
      kind: 'ask',
      why: expect.stringContaining('doesn’t cover what it runs in sub yet') as string,
    });
    expect((await folder.ask('cd sub && ls', [{ command: 'ls' }])).kind).toBe('run');
    const ofIt = [{ command: 'npm test', workspace: '/w/sub' }];
    expect((await folder.ask('cd sub && npm test', ofIt)).kind).toBe('run');
    expect((await folder.ask('npm test', ofIt)).kind).toBe('ask');
    folder.files['sub/package.json'] = scripts({ test: 'touch pwned' });
    expect(await folder.ask('cd sub && npm test', ofIt)).toMatchObject({
      kind: 'ask',
      runnerChange: { before: 'test: sub\n' },
    });
  });

  it.each(['here', 'everywhere'] as const)('a rule for all of it, made %s, is of what runs there', async (where) => {
    const folder = over({ ...files });
    await folder.make({ where, until: 'always' }, 'cd sub && time timeout 60 npm test');
    const ask = async () => (await folder.ask('cd sub && time timeout 60 npm test', [])).kind;
    expect(await ask()).toBe('run');
    folder.files['package.json'] = scripts({ test: 'other' });
    expect(await ask()).toBe('run');
    // What stands above it holds there as well.
    folder.files['.npmrc'] = 'script-shell=./x';
    expect(await ask()).toBe('ask');
    delete folder.files['.npmrc'];
    expect(await ask()).toBe('run');
    folder.files['sub/package.json'] = scripts({ test: 'touch pwned' });
    expect(await ask()).toBe('ask');
  });

  it.each([
    ['time npm test', 'package.json'],
    ['timeout 60 npm test', 'package.json'],
  ])('%s is the runner that it times', async (command) => {
    const folder = over({ ...files });
    expect((await folder.ask(command, [{ command }])).kind).toBe('run');
    folder.files['package.json'] = scripts({ test: 'touch pwned' });
    expect((await folder.ask(command, [{ command }])).kind).toBe('ask');
  });

  it.each([
    ['out', 'cd /etc && ls'],
    ['to nothing', 'cd nowhere && ls'],
    ['to a file', 'cd package.json && ls'],
    ['through a link, to another folder', 'cd link && ls'],
    ['below a link', 'cd link/sub && ls'],
    ['to where a file that programs obey is named', 'cd sub && ls .envrc'],
  ])('is not certain, and no rule holds, where it leads %s', async (_, command) => {
    const folder = over({ ...files }, null, { link: 'sub', 'link/sub': 'other' });
    expect((await folder.ask(command, [{ command }, { command: 'ls' }, { prefix: 'ls' }])).kind).toBe('ask');
  });
});
