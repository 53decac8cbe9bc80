import { defaultConfig } from '../../../tests/gate/default-config.test-support.js';
import { describe, expect, it } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import type { AllowedNetwork } from '#contract/vocabulary/network.js';
import type { CommandRequest, CommandResult } from '../../../domain/ports/command-runner.js';
import { ToolFailureWithOutput, type ToolContext } from '../../../domain/tool/tool.js';
import { ToolRegistry } from '../../registry/registry.js';
import { createCommandReader } from './analysis/command-reader.js';
import { runCommandTool } from './run-command.js';

const reader = createCommandReader();
const tool = runCommandTool(reader);

const ran: CommandResult = {
  ending: { kind: 'exited', code: 0 },
  stdout: 'out\n',
  stderr: '',
  outputBytes: 4,
  outputBytesLeftOut: 0,
  redactions: 0,
  whole: null,
  controlCharactersRemoved: 0,
  storedOutputs: [],
  changedFiles: [],
  changedFilesComplete: true,
  createdFolders: [],
  putAside: [],
  lookComplete: true,
  confinement: 'confined',
  networkUse: null,
  cpuMs: 1,
  peakMemoryBytes: 2,
};

/** Only what the handler uses; a runner that ends as it is told, and notes what it was asked. */
function contextWith(result: Partial<CommandResult>) {
  const asked: CommandRequest[] = [];
  const context = {
    callId: 'c1',
    sandbox: { workingDirectory: '/w', roots: ['/w'] },
    config: {} as Config,
    outputLimit: 1000,
    byRule: null,
    signal: new AbortController().signal,
    emit: () => Promise.resolve(),
    onCommandEvent: () => undefined,
    commands: {
      run: (request: CommandRequest) => {
        asked.push(request);
        return Promise.resolve({ ...ran, ...result });
      },
    },
  } as unknown as ToolContext<'command'>;
  return { context, asked };
}

const understood = (command: string, root = '/w') => reader.read(command, [root]);

const run = async (result: Partial<CommandResult>, command = 'x') =>
  tool.execute({ command }, contextWith(result).context, await understood(command));

async function failing(result: Partial<CommandResult>, command?: string): Promise<ToolFailureWithOutput> {
  const error: unknown = await run(result, command).catch((thrown: unknown) => thrown);
  if (!(error instanceof ToolFailureWithOutput)) throw new Error(`no failure with output: ${String(error)}`);
  return error;
}

describe('run_command', () => {
  it('says on the sheet and in the result where files may be shared with other projects', async () => {
    expect((await run({ mayBeShared: ['node_modules'] })).content).toContain('may be shared with other projects');
    expect((await run({ mayBeShared: [] })).content).not.toContain('shared');
    const told = runCommandTool(createCommandReader(), {
      isInDoubt: () => false,
      mayBeShared: () => ['node_modules'],
      finds: () => true,
    });
    const context = { sandbox: { roots: ['/ws'], workingDirectory: '/ws' } } as unknown as Parameters<
      typeof told.effect
    >[1];
    const read = await understood('true', '/ws');
    expect(await told.effect({ command: 'true' }, context, read)).toMatchObject({
      mayBeShared: expect.stringContaining('node_modules'),
    });
    expect(await tool.effect({ command: 'true' }, context, read)).not.toHaveProperty('mayBeShared');
  });

  it('says what was read-only because others share it, and first of all where that made it fail', async () => {
    const readOnlyAsShared = ['node_modules'];
    expect((await run({ readOnlyAsShared })).structured).toMatchObject({ readOnlyAsShared });
    expect((await run({ readOnlyAsShared: [] })).structured).not.toHaveProperty('readOnlyAsShared');
    const ending = { kind: 'exited', code: 1 } as const;
    const { failure } = await failing({ ending, readOnlyAsShared, stderr: 'EROFS: read-only file system, open\n' });
    expect(failure.message).toBe('exit code 1. Read-only here, as other folders share its files: node_modules');
    expect((await failing({ ending, readOnlyAsShared, stderr: 'no\n' })).failure.message).toBe('exit code 1');
  });

  it('says what it itself says was not writable, and nothing else that was not', async () => {
    const ending = { kind: 'exited', code: 128 } as const;
    const readOnlyAsUnkept = ['.env', 'assets/film.mp4'];
    const git = "fatal: Unable to create '/w/.git/index.lock': Read-only file system\n";
    const says = async (stderr: string, command = 'git checkout -q -b x && npm test') =>
      (await failing({ ending, readOnlyAsUnkept, stderr }, command)).failure.message;
    expect(await says(git)).toMatch(/^exit code 128\. \.git is read-only .* Send the git command alone/u);
    expect(await says('sh: 1: cannot create .env: Read-only file system\n')).toContain('no copy is kept: .env. Ask');
    expect(await says('EROFS: read-only file system, open\n')).toContain('no copy is kept: .env, assets/film.mp4');
    expect(await says("EROFS: read-only file system, open '/usr/lib/x.js'\n")).toBe('exit code 128');
    // Git itself had `.git`: it wanted something else.
    expect(await says(git, 'git commit -m x')).toBe('exit code 128');
  });

  it('says that the disk was filled', async () => {
    const { failure } = await failing({ ending: { kind: 'limit', limit: 'disk_free', code: null } });
    expect(failure).toMatchObject({ code: 'ResourceExhausted', limit: 'disk_free' });
    expect(failure.message).toContain('less than 256 MiB of it were free');
  });

  it.each([
    [
      'confined',
      'curl: (6) Could not resolve host: example.org\n',
      'exit code 6. The network was off: it could not reach example.org. Ask for that host.',
    ],
    ['network', 'psql: error: connection refused\n', 'exit code 6. Its only network was an HTTP proxy'],
    ['unconfined', 'curl: (6) Could not resolve host: example.org\n', 'exit code 6'],
    ['confined', 'make: *** [all] Error 6\n', 'exit code 6'],
  ] as const)(
    '%s, a command that failed with “%s” says whether it wanted a network',
    async (confinement, stderr, says) => {
      const { failure } = await failing({ ending: { kind: 'exited', code: 6 }, confinement, stderr });
      expect(failure.message.startsWith(says)).toBe(true);
      expect(failure.message.length).toBeLessThan(120);
      if (says === 'exit code 6') expect(failure.message).toBe(says);
    },
  );

  it('says what it needs where the network was off, and it said nothing itself', async () => {
    const ending = { kind: 'exited', code: 22 } as const;
    const { failure, output } = await failing({ ending }, 'curl -sf https://api.example:8443/x');
    expect(failure.message).toBe(
      'exit code 22. The network was off, and it needs api.example:8443. Ask for that host.',
    );
    expect(output.structured).toMatchObject({ networkOff: ['api.example:8443'] });
    expect(output.askAgain).toContain('api.example:8443');
    const told = await failing(
      { ending, stderr: 'getaddrinfo EAI_AGAIN other.example\n' },
      'curl https://api.example/x',
    );
    expect(told.output.structured).toMatchObject({ networkOff: ['other.example'] });
    expect((await failing({ ending, confinement: 'unconfined' }, 'curl https://api.example')).failure.message).toBe(
      'exit code 22',
    );
  });

  it('says which hosts it was refused, whether it failed for it or not', async () => {
    const refused = {
      confinement: 'network',
      networkUse: { reached: ['a.example:443'], refused: ['b.example:443'] },
    } as const;
    const says = 'It may not reach b.example:443. Ask for that host.';
    const { failure, output } = await failing({ ...refused, ending: { kind: 'exited', code: 1 } });
    expect(failure.message).toBe(`exit code 1. ${says}`);
    expect(output.content).not.toContain(says);
    expect((await run(refused)).content).toContain(`[gatehouse]\n${says}`);
    const many = { ...refused, networkUse: { reached: [], refused: ['b.example:443', 'c.example:80'] } };
    expect((await run(many)).content).toContain('It may not reach b.example:443, c.example:80. Ask for those hosts.');
  });

  it('tells what of the network it is known to need, which a person may allow', async () => {
    const sandbox = { workingDirectory: '/w', roots: ['/w'], isDenied: () => false };
    const needs = async (command: string) =>
      (await tool.preflight({ command }, { sandbox, config: defaultConfig() } as never, await understood(command)))
        .needs;
    expect(await needs('curl https://api.example/x')).toEqual({ hosts: ['api.example'], others: false });
    expect(await needs('curl "$URL" https://api.example/x')).toEqual({ hosts: ['api.example'], others: true });
    expect(await needs('make')).toEqual({ hosts: [], others: true });
    expect(await needs('ls')).toEqual({ hosts: [], others: false });
    expect(await needs('curl http://localhost:3000/')).toEqual({ hosts: ['localhost:3000'], others: false });
    expect(await needs(`curl https://${'a.'.repeat(200)}example/`)).toEqual({ hosts: [], others: true });
  });

  it('declares itself as the registry asks, always to be asked, high risk', () => {
    const registry = new ToolRegistry();
    registry.register(tool);
    expect(tool.declaration).toMatchObject({ requiresApproval: true, risk: 'high', sideEffecting: true });
    expect(registry.lookup('run_command')?.checkInput({ command: '' })).not.toBeNull();
    expect(registry.lookup('run_command')?.checkInput({ command: 'ls', cwd: '/' })).not.toBeNull();
  });

  it('gives stdout, and stderr under its heading', async () => {
    expect((await run({})).content).toBe('out\n');
    expect((await run({ stderr: 'err\n' })).content).toBe('out\n\n\n[stderr]\nerr\n');
    expect((await run({ stdout: '', stderr: 'err' })).content).toBe('\n\n[stderr]\nerr');
    expect((await run({})).allowTruncation).toBe(false);
  });

  it('conforms to its own output schema, whatever the ending', async () => {
    const registry = new ToolRegistry();
    registry.register(tool);
    const check = registry.lookup('run_command')?.checkOutput;
    expect(check?.((await run({ controlCharactersRemoved: 3 })).structured)).toBeNull();
    const networkUse = { reached: ['example.com:443'], refused: [] };
    const { structured } = await run({ networkUse });
    expect(structured).toMatchObject({ network: networkUse });
    expect(check?.(structured)).toBeNull();
    const { output } = await failing({ ending: { kind: 'signalled', signal: 'SIGKILL', code: 137 } });
    expect(check?.(output.structured)).toBeNull();
    const never = await failing({ ending: { kind: 'unstartable', reason: 'x' }, confinement: null });
    expect(check?.(never.output.structured)).toBeNull();
  });

  it.each([
    [
      { kind: 'exited', code: 3 },
      { code: 'ExecutionFailed', message: 'exit code 3' },
    ],
    [
      { kind: 'signalled', signal: 'SIGSEGV', code: 139 },
      { code: 'ExecutionFailed', message: 'exit code 139 (as after SIGSEGV)' },
    ],
    [
      { kind: 'limit', limit: 'max_cpu_seconds', code: null },
      { code: 'ResourceExhausted', limit: 'max_cpu_seconds' },
    ],
    [
      { kind: 'limit', limit: 'max_open_files', code: 24 },
      {
        code: 'ResourceExhausted',
        limit: 'max_open_files',
        message: 'exit code 24. What it said last tells of the limit tools.run_command.max_open_files.',
      },
    ],
    [{ kind: 'stopped' }, { code: 'Cancelled' }],
    [
      { kind: 'unstartable', reason: 'no bwrap' },
      { code: 'ExecutionFailed', message: 'no bwrap' },
    ],
    [
      { kind: 'lost', reason: 'nobody knows' },
      { code: 'ExecutionFailed', message: 'nobody knows' },
    ],
  ] as const)('%j fails, and what it said is kept', async (ending, failure) => {
    const error = await failing({ ending, stderr: 'why' });
    expect(error.failure).toMatchObject(failure);
    expect(error.output.content).toBe('out\n\n\n[stderr]\nwhy');
  });

  it('takes no confinement from a command that never ran', async () => {
    expect(
      (await failing({ ending: { kind: 'unstartable', reason: 'x' }, confinement: null })).output.confinement,
    ).toBeNull();
  });

  it('runs in the first root, the exact bytes that were shown', async () => {
    const { context, asked } = contextWith({});
    const command = 'echo "a\u{202e}b" \t\n  x';
    await tool.execute(tool.parse({ command }), context, await understood(command));
    expect(asked[0]).toMatchObject({ command, workingDirectory: '/w', outputLimit: 1000 });
    const effect = await tool.effect({ command }, { sandbox: context.sandbox } as never, await understood(command));
    expect(effect).toMatchObject({ kind: 'command', command });
  });

  it.each<AllowedNetwork>(['any', ['a.example'], []])(
    'has the network as the person allowed it: %s',
    async (network) => {
      const { context, asked } = contextWith({});
      await tool.execute({ command: 'x' }, { ...context, network }, await understood('x'));
      expect(asked[0]?.network).toEqual(network);
    },
  );

  it('runs, where a rule lets it, the words that were read, and no less confined than the rule says', async () => {
    const { context, asked } = contextWith({});
    const byRule = { runs: "'npm' 'test'", leastConfinement: 'confined' } as const;
    await tool.execute({ command: 'npm  "test"' }, { ...context, byRule }, await understood('npm  "test"'));
    expect(asked[0]).toMatchObject({ command: "'npm' 'test'", leastConfinement: 'confined' });
  });

  it('takes no network from who asks', () => {
    const registry = new ToolRegistry();
    registry.register(tool);
    expect(registry.lookup('run_command')?.checkInput({ command: 'ls', network: true })).not.toBeNull();
  });

  it.each([[' \n\t'], ['a\0b'], ['a\u{d800}b'], ['x'.repeat(131_072)]])('refuses %j', (command) => {
    expect(() => tool.parse({ command })).toThrow();
  });

  it('summarizes without touching anything', () => {
    expect(tool.summary({ command: 'npm test' }, (path) => path)).toBe('npm test');
  });

  it('has the time-out of shell commands', () => {
    const config = { tools: { timeouts: { shell_commands_seconds: 7 } } } as Config;
    expect(tool.timeoutMs(config)).toBe(7000);
  });
});
