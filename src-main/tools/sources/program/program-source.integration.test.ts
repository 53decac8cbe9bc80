import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Checkpoint } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import { SOURCE_DEFAULTS } from '#contract/vocabulary/tools/sources.js';
import type { HeldProgramRequest } from '../../../domain/ports/sources/held-program.js';
import type { Offer, Source, SourceInvocation } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { SourceHomes } from '../../../platform/data-folder/source-homes.js';
import { configWith } from '../../../process/process.test-support.js';
import { CONFINED, openTestPrograms, type TestPrograms } from '../../../process/programs/programs.test-support.js';
import { testOwnCode } from '../../../process/programs/own-code.test-support.js';
import { createProgramSource } from './program-source.js';

const never = new AbortController().signal;
const sh = { command: 'sh', workingDirectory: null, environment: {} };
const NOW = 1_800_000_000_000;
const homes = { now: homedir() };
let programs: TestPrograms;
let kept: SourceHomes;
beforeAll(async () => {
  programs = await openTestPrograms();
  kept = new SourceHomes(join(programs.runner.outputs, 'sources'), (error) => expect.fail(String(error)));
});
afterAll(async () => programs[Symbol.asyncDispose]());

function folder(files: Readonly<Record<string, string>>): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'gh-program-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const manifest = (more: object = {}): JsonObject => ({
  tool_id: 'mine.echo',
  tool_name: 'Echo',
  version: '1.0.0',
  parameters_schema: { type: 'object' },
  entry: { command: ['sh', 'entry.sh'] },
  ...more,
});

interface Made {
  readonly source: Source;
  readonly place: string;
  readonly started: HeldProgramRequest[];
}

function make(files: Readonly<Record<string, string>>, credentials: Record<string, string> = {}, at = ''): Made {
  const place = folder(files);
  const started: HeldProgramRequest[] = [];
  const source = createProgramSource({
    start: async (request) => {
      started.push(request);
      const { command, args, config: _config, ...rest } = request;
      return programs.start([command, ...args], rest);
    },
    find: (named) => programs.find(named),
    code: testOwnCode({ homes: () => [homes.now] }),
    homeOf: (name) => kept.of(name),
    valueOf: (reference) => (reference === 'secret:kept' ? { value: 's3cr3t' } : { problem: 'There is none' }),
    now: () => NOW,
  })({
    name: 'mine',
    settings: { ...SOURCE_DEFAULTS, kind: 'program', manifest: at === '' ? '.' : at, credentials },
    dataFolder: place,
  });
  return { source, place, started };
}

const makeScript = (script: string, more: object = {}, credentials: Record<string, string> = {}): Made =>
  make({ 'tool.json': JSON.stringify(manifest(more)), 'entry.sh': script }, credentials);

interface Heard {
  readonly stderr: string[];
  readonly checkpoints: Checkpoint[];
  readonly progress: { readonly percent: number | null; readonly phase: string | null }[];
}

function invoke(source: Source, { operations }: Offer, args: JsonObject = {}, more: Partial<SourceInvocation> = {}) {
  const [operation] = operations;
  if (operation === undefined) throw new Error('Nothing is offered.');
  const heard: Heard = { stderr: [], progress: [], checkpoints: [] };
  const config = configWith({ confinement: 'required' });
  const situation = { config, confinement: { available: true, problem: null, howTo: null }, network: [] };
  const answer = source.call({
    callId: 'call-1',
    operation: JSON.parse(JSON.stringify(operation)) as typeof operation,
    args,
    config,
    folder: null,
    terms: { ...source.termsFor(situation, operation), process: CONFINED },
    signal: never,
    timeoutMs: 30_000,
    limits: {},
    stillAccepted: () => {
      throw new Error('changed');
    },
    emit: async (_stream, text) => void heard.stderr.push(text),
    onProgress: (progress) => heard.progress.push(progress),
    onCheckpoint: (checkpoint) => heard.checkpoints.push(checkpoint),
    ...more,
  } as SourceInvocation);
  return { answer, heard };
}

const answerOf = async ({ source }: Made, args: JsonObject = {}, more: Partial<SourceInvocation> = {}) =>
  invoke(source, await source.offer(never), args, more).answer;

const failureOf = async (made: Made, args: JsonObject = {}, more: Partial<SourceInvocation> = {}) => {
  const error: unknown = await answerOf(made, args, more).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolFailure);
  const { failure } = error as ToolFailure;
  return { code: failure.code, eCode: failure.eCode, message: failure.message };
};

test('One line goes in, one JSON value comes out, held as a command is', async () => {
  const made = makeScript('cat; printf extra >&2');
  const { answer, heard } = invoke(made.source, await made.source.offer(never), { text: 'ä\n' });
  const { structured, confinement, warnings } = await answer;
  expect(structured).toEqual({
    parameters: { text: 'ä\n' },
    context: {
      invocation_id: 'call-1',
      tool_id: 'mine.echo',
      version: '1.0.0',
      deadline_ms: NOW + 30_000,
      documents: {},
      resume: null,
    },
  } satisfies Json);
  expect([confinement, warnings, heard.stderr.join('')]).toEqual(['confined', [], 'extra']);
});

test.each([
  ['echo sorry >&2; exit 3', 'ExecutionFailed', 'E3108', 'sorry'],
  ['kill -9 $$', 'ExecutionFailed', 'E3107', 'SIGKILL'],
  ['echo not json', 'OutputInvalid', 'E3308', 'not one JSON value'],
  ['true', 'OutputInvalid', 'E3308', 'empty'],
  ['echo 1; echo 2', 'OutputInvalid', 'E3308', 'not one JSON value'],
  ["printf '\\377'", 'OutputInvalid', 'E3308', 'not one JSON value'],
  ['head -c 9000000 /dev/zero | tr "\\0" 1', 'ExecutionFailed', 'E3308', '8 MB'],
])('%j ends as %s', async (script, code, eCode, words) => {
  expect(await failureOf(makeScript(script))).toEqual({ code, eCode, message: expect.stringContaining(words) });
});

test('Over its memory it is ended, and a program that is not there was not started', async () => {
  const greedy = makeScript(`exec node -e 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))'`, {
    execution_config: { default_memory_mb_limit: 200 },
  });
  expect(await failureOf(greedy)).toMatchObject({ code: 'ResourceExhausted', eCode: 'E3102' });
  const missing = makeScript('', { entry: { command: ['no-such-program-here'] } });
  expect(await failureOf(missing)).toMatchObject({ code: 'SourceUnavailable', eCode: 'E3101' });
});

test('Descriptor 3 takes progress and checkpoints; the rest is counted', async () => {
  const made = makeScript(
    [
      'echo \'{"type":"progress","percent":40,"phase":"parsing"}\' >&3',
      'echo \'{"type":"checkpoint","kind":"macro","label":"parsed","state":{}}\' >&3',
      'echo \'{"type":"checkpoint","kind":"named","label":"half","state":{"at":5}}\' >&3',
      'echo \'{"type":"checkpoint","kind":"named"}\' >&3',
      'echo nonsense >&3',
      'echo \'{"type":"other"}\' >&3',
      'head -c 100000 /dev/zero | tr "\\0" x >&3',
      'echo >&3',
      'printf \'{"type":"checkpoint"}\' >&3',
      'echo null',
    ].join('\n'),
  );
  const { answer, heard } = invoke(made.source, await made.source.offer(never));
  const { structured, warnings } = await answer;
  expect([structured, heard.progress]).toEqual([null, [{ percent: 40, phase: 'parsing' }]]);
  expect(heard.checkpoints).toMatchObject([
    { kind: 'macro', label: 'parsed', stateBytes: 2 },
    { kind: 'named', label: 'half', stateBytes: 8 },
  ]);
  expect(warnings).toEqual([expect.stringContaining('5 lines')]);
});

test('Credentials are given by reference; one that is missing starts nothing; one not named is not given, and that is said', async () => {
  const asks = { permissions: { credentials: ['api-key', 'other'] } };
  const script =
    'printf \'{"key":"%s","other":"%s","home":"%s"}\' "$CREDENTIAL_API_KEY" "${CREDENTIAL_OTHER-unset}" "${SECRET_OF_OURS-unset}"';
  process.env['SECRET_OF_OURS'] = 'ours';
  onTestFinished(() => void delete process.env['SECRET_OF_OURS']);
  const made = makeScript(script, asks, { 'api-key': 'secret:kept' });
  const answer = await answerOf(made);
  expect(answer.structured).toEqual({ key: 's3cr3t', other: 'unset', home: 'unset' });
  expect(answer.warnings).toEqual([expect.stringContaining('other')]);
  const inherited = makeScript('echo 1', { permissions: { credentials: ['constructor'] } });
  expect((await answerOf(inherited)).warnings).toEqual([expect.stringContaining('constructor')]);
  const missing = makeScript(script, asks, { other: 'secret:nowhere' });
  expect(await failureOf(missing)).toMatchObject({ code: 'ExecutionFailed', eCode: 'E3302' });
  expect(missing.started).toEqual([]);
});

test('It sees of the open folder what its manifest says, and nothing of the rest', async () => {
  const workspace = folder({ 'secret.txt': 'hidden' });
  mkdirSync(join(workspace, 'in'));
  mkdirSync(join(workspace, 'out'));
  writeFileSync(join(workspace, 'in', 'a.txt'), 'from a');
  symlinkSync('/etc', join(workspace, 'leads-out'));
  const script = [
    'cd "$GATEHOUSE_WORKSPACE" || exit 9',
    'a=$(cat in/a.txt); (echo x > in/b.txt) 2>/dev/null && w=yes || w=no',
    'echo done > out/r.txt && o=yes || o=no; cat secret.txt >/dev/null 2>&1 && s=yes || s=no',
    'printf \'{"a":"%s","writes in":"%s","writes out":"%s","sees the rest":"%s"}\' "$a" "$w" "$o" "$s"',
  ].join('\n');
  const filesystem = [
    { path: 'in', mode: 'ro' },
    { path: '/workspace/out', mode: 'rw' },
  ];
  const made = makeScript(script, { permissions: { filesystem } });
  const { structured } = await answerOf(made, {}, { folder: workspace });
  expect(structured).toEqual({ a: 'from a', 'writes in': 'no', 'writes out': 'yes', 'sees the rest': 'no' });
  expect((await failureOf(made)).message).toContain('none is open');
  for (const path of ['missing', 'leads-out', 'leads-out/ssl', 'secret.txt'])
    expect(
      (
        await failureOf(
          makeScript(script, { permissions: { filesystem: [{ path, mode: 'rw' }] } }),
          {},
          { folder: workspace },
        )
      ).message,
    ).toContain('Nothing was started');
});

test('It sees the whole folder where its manifest says so, and writes where it says that besides', async () => {
  const workspace = folder({ 'a.txt': 'from a' });
  for (const name of ['src', 'src/kept']) mkdirSync(join(workspace, name));
  const script = [
    'cd "$GATEHOUSE_WORKSPACE" || exit 9',
    'a=$(cat a.txt 2>/dev/null); w=; for at in . src src/kept; do (echo x >$at/made) 2>/dev/null && w="$w $at"; done',
    'printf \'{"a":"%s","writes":"%s"}\' "$a" "$w"',
  ].join('\n');
  const answered = async (...filesystem: { path: string; mode: 'ro' | 'rw' }[]) =>
    (await answerOf(makeScript(script, { permissions: { filesystem } }), {}, { folder: workspace })).structured;
  expect(await answered({ path: '.', mode: 'ro' })).toEqual({ a: 'from a', writes: '' });
  expect(await answered({ path: '.', mode: 'ro' }, { path: 'src', mode: 'rw' })).toEqual({
    a: 'from a',
    writes: ' src src/kept',
  });
  expect(await answered({ path: 'src/kept', mode: 'ro' }, { path: '.', mode: 'rw' })).toEqual({
    a: 'from a',
    writes: ' . src',
  });
});

test('Without a permission it has neither the network, nor the home, nor what lies beside', async () => {
  const beside = folder({ 'beside.txt': 'x' });
  const script = [
    `cat ${beside}/beside.txt >/dev/null 2>&1 && b=yes || b=no`,
    `ls ${homedir()}/.ssh >/dev/null 2>&1 && h=yes || h=no`,
    '(exec 9<>/dev/tcp/127.0.0.1/1) 2>/dev/null; n=$(ls /sys/class/net 2>/dev/null | grep -vc lo)',
    '(echo x > entry.sh) 2>/dev/null && w=yes || w=no; echo y > "$TMPDIR/y" && t=yes || t=no',
    'printf \'{"beside":"%s","home":"%s","writes itself":"%s","writes temporary":"%s"}\' $b $h $w $t',
  ].join('\n');
  const made = makeScript(script);
  expect((await answerOf(made)).structured).toEqual({
    beside: 'no',
    home: 'no',
    'writes itself': 'no',
    'writes temporary': 'yes',
  });
  expect(made.started[0]?.network).toEqual(NO_NETWORK);
});

test('Hosts, limits and time are what its manifest says', async () => {
  const made = makeScript('echo 1', {
    permissions: { network: [{ host: 'api.example.com', port: 443 }, { host: 'b.example.com' }] },
    execution_config: { default_timeout_seconds: 10, default_cpu_millicore_limit: 500, default_memory_mb_limit: 64 },
    side_effecting: false,
    requires_approval: true,
    deprecation_state: 'deprecated',
    deprecation_date: '2026-01-01',
    deprecated_in_favor_of: 'mine.other',
  });
  const offer = await made.source.offer(never);
  expect(offer.operations[0]).toMatchObject({
    operation: 'echo',
    toolId: 'mine.echo',
    timeoutMs: 10_000,
    claims: { readOnly: true, destructive: false, requiresApproval: true, openWorld: true },
    lifecycle: { state: 'deprecated', deprecationDate: '2026-01-01', insteadUse: 'mine.other' },
  });
  await invoke(
    made.source,
    offer,
    {},
    { timeoutMs: 10_000, terms: { process: CONFINED, network: NO_NETWORK, paths: 'none', secrets: [] } },
  ).answer;
  expect(made.started[0]).toMatchObject({ memoryBytes: 64 * 2 ** 20, cpuSeconds: 5 });
  // Who asks may want less of it, and never more.
  for (const limits of [
    { memoryBytes: 2 ** 40, cpuMillicores: 64_000 },
    { memoryBytes: 32 * 2 ** 20, cpuMillicores: 100 },
  ])
    await invoke(made.source, offer, {}, { timeoutMs: 10_000, limits }).answer;
  expect(made.started.slice(1).map(({ memoryBytes, cpuSeconds }) => [memoryBytes, cpuSeconds])).toEqual([
    [64 * 2 ** 20, 5],
    [32 * 2 ** 20, 1],
  ]);
  const situation = { config: configWith({}), confinement: { available: true, problem: null }, network: [] };
  expect(made.source.termsFor(situation as never, offer.operations[0] as never).network).toEqual({
    reach: 'hosts',
    hosts: ['api.example.com:443', 'b.example.com'],
    by: 'settings',
  });
});

test('Whoever stops it ends it, and what it started', async () => {
  const made = makeScript('sleep 1000 & echo begun >&2; sleep 1000');
  const stop = new AbortController();
  const offer = await made.source.offer(never);
  const { answer, heard } = invoke(made.source, offer, {}, { signal: stop.signal });
  await expect.poll(() => heard.stderr.join('')).toContain('begun');
  stop.abort(new Error('stopped by the person'));
  await expect(answer).rejects.toThrow('stopped by the person');
});

test('What runs is what was accepted: a changed manifest or entry asks', async () => {
  const made = makeScript('echo 1');
  const before = await made.source.offer(never);
  expect(await made.source.offer(never)).toBe(before);
  expect(before.operations[0]?.pinned).toHaveProperty('program', programs.find(sh));
  writeFileSync(join(made.place, 'entry.sh'), 'echo 2');
  await expect(invoke(made.source, before).answer).rejects.toThrow('changed');
  expect(made.started).toEqual([]);
  const after = await made.source.offer(never);
  expect(after.operations[0]?.pinned).not.toEqual(before.operations[0]?.pinned);
  writeFileSync(join(made.place, 'tool.json'), JSON.stringify(manifest({ unknown_word: 1 })));
  await expect(invoke(made.source, after).answer).rejects.toThrow('changed');
});

test('A folder of manifests: each is there, or refused with file, place and reason', async () => {
  const good = JSON.stringify(manifest());
  const made = make({
    'a-good.json': good,
    'b.yaml':
      'tool_id: mine.b\ntool_name: B\nversion: 2.0.0\nparameters_schema: { type: object }\nentry: { command: [/bin/cat] }\n',
    'c.yml': 'tool_id: mine.c\n  broken: [\n',
    'd.json': JSON.stringify(manifest({ tool_id: 'other.d' })),
    'e.json': JSON.stringify(manifest({ entry: { command: [] } })),
    'f.json': JSON.stringify(manifest({ version: '1.0' })),
    'g.json': JSON.stringify(manifest({ permissions: { filesystem: [{ path: '../up', mode: 'ro' }] } })),
    'h.json': JSON.stringify(manifest({ permissions: { filesystem: [{ path: '/etc', mode: 'ro' }] } })),
    'i.json': JSON.stringify(manifest({ permissions: { network: [{ host: '*' }] } })),
    'j.json': JSON.stringify(manifest({ permissions: { credentials: ['a-b', 'a_b'] } })),
    'k.json': '{"tool_id": "mine.k", "__proto__": {}}',
    'l.yaml': 'tool_id: !!js/function "x"\n',
    'm.json': 'x'.repeat(2 ** 21),
    'read.me': 'no manifest',
    '.hidden.json': 'none',
  });
  symlinkSync(join(made.place, 'a-good.json'), join(made.place, 'n-link.json'));
  const { operations, refused } = await made.source.offer(never);
  expect(operations.map(({ toolId, version }) => `${toolId}@${version}`)).toEqual(['mine.echo@1.0.0', 'mine.b@2.0.0']);
  expect(refused.every(({ eCode, file }) => eCode === 'E3008' && file?.startsWith(made.place))).toBe(true);
  expect(
    Object.fromEntries(
      refused.map(({ file, reason }) => [file?.slice(made.place.length + 1, made.place.length + 2), reason]),
    ),
  ).toEqual({
    c: expect.stringContaining('YAML'),
    d: expect.stringContaining('another group'),
    e: expect.stringContaining('entry'),
    f: expect.stringContaining('major.minor.patch'),
    g: expect.stringContaining('outside the open folder'),
    h: expect.stringContaining('outside the open folder'),
    i: expect.stringContaining('every host'),
    j: expect.stringContaining('one as a variable'),
    k: expect.stringContaining('__proto__'),
    l: expect.stringContaining('YAML'),
    m: expect.stringContaining('over 1 MB'),
    n: expect.stringContaining('link'),
  });
  expect(refused.find(({ file }) => file?.endsWith('c.yml') === true)?.line).toBeGreaterThan(0);
  const none = make({}, {}, 'not-there');
  await expect(none.source.offer(never)).rejects.toThrow('no manifest');
  expect(none.source.state().running).toBe('failed');
});

test('A manifest that lies in the home itself opens nothing of that but the file that it names', async () => {
  const made = makeScript('echo 1');
  homes.now = made.place;
  onTestFinished(() => void (homes.now = homedir()));
  await answerOf(made).catch(() => undefined);
  expect(made.started[0]?.reads).toEqual([join(made.place, 'entry.sh')]);
});

test('An entry that is a path of its own is started as it is', async () => {
  const made = makeScript('#!/bin/sh\necho \'{"ok":true}\'', { entry: { command: ['./entry.sh'] } });
  chmodSync(join(made.place, 'entry.sh'), 0o755);
  expect((await answerOf(made)).structured).toEqual({ ok: true });
});
