import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { SOURCE_DEFAULTS, type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { MakeSource, Source, SourceInvocation } from '../../domain/ports/sources/source.js';
import { createOutside } from '../../outside/outside-client.js';
import { listSamples } from '../../platform/files/samples.js';
import { configWith } from '../../process/process.test-support.js';
import { testOwnCode } from '../../process/programs/own-code.test-support.js';
import { CONFINED, openTestPrograms } from '../../process/programs/programs.test-support.js';
import { createLangChainSource } from '../../tools/sources/langchain/langchain-source.js';
import { openTestSources } from '../../tools/sources/mcp/mcp.test-support.js';
import { createOpenApiSource } from '../../tools/sources/openapi/openapi-source.js';
import { createProgramSource } from '../../tools/sources/program/program-source.js';

const never = new AbortController().signal;

interface Sample {
  readonly folder: string;
  readonly settings: SourceSettings;
  readonly start: readonly string[] | null;
}

/** Copies a sample, as the person has it. */
function sample(name: string): Sample {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'gh-samples-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const found = listSamples('.', home).find(({ folder }) => folder.endsWith(`/${name}`));
  if (found === undefined) throw new Error(`There is no sample ${name}.`);
  return { ...(JSON.parse(found.text) as Omit<Sample, 'folder'>), folder: found.folder };
}

/** Starts a sample as its words say, at a port that is free. */
async function started({ start, folder }: Sample): Promise<string> {
  const [command = '', ...args] = start ?? [];
  const child: ChildProcess = spawn(command, [...args, '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return /http:\/\/127\.0\.0\.1:\d+/u.exec(said.toString())?.[0] ?? '';
}

function made(
  make: MakeSource,
  name: string,
  { settings, folder }: Sample,
  more: Partial<SourceSettings> = {},
): Source {
  const source = make({ name, settings: { ...SOURCE_DEFAULTS, ...settings, ...more }, dataFolder: folder });
  onTestFinished(() => source.close());
  return source;
}

async function call(source: Source, name: string, args: JsonObject, more: Partial<SourceInvocation> = {}) {
  const { operations, refused } = await source.offer(never);
  expect(refused).toEqual([]);
  const operation = operations.find((each) => each.operation === name);
  if (operation === undefined) throw new Error(`${name} is not offered.`);
  return source.call({
    callId: 'call-1',
    operation,
    args,
    signal: never,
    timeoutMs: 20_000,
    folder: null,
    config: configWith({ confinement: 'required' }),
    emit: async () => undefined,
    onProgress: () => undefined,
    ...more,
    limits: {},
  } as unknown as SourceInvocation);
}

const outside = () => {
  const client = createOutside({ secret: () => null, variable: () => null });
  onTestFinished(() => client.close());
  return client;
};

test('There is one of each kind, and all of them stand in the words of settings', () => {
  const names = readdirSync('resources/samples');
  expect(names.map((name) => sample(name).settings.kind).toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
    'langchain',
    'mcp',
    'openapi',
    'program',
  ]);
});

test('notes-service: its operations are tools of its service', async () => {
  const notes = sample('notes-service');
  const url = await started(notes);
  const source = made(createOpenApiSource({ outside: outside() }), 'notes-service', notes, { base_url: url });
  const { operations } = await source.offer(never);
  expect(operations.map(({ operation }) => operation)).toEqual([
    'list_notes',
    'add_note',
    'read_note',
    'change_note',
    'remove_note',
  ]);
  expect((await call(source, 'add_note', { text: 'milk', tags: ['shop'] })).structured).toEqual({
    id: '1',
    text: 'milk',
    tags: ['shop'],
  });
  await call(source, 'add_note', { text: 'other' });
  expect((await call(source, 'list_notes', { tag: ['shop', 'none'] })).structured).toMatchObject({
    notes: [{ id: '1' }],
  });
  expect((await call(source, 'change_note', { id: '1', text: 'bread' })).structured).toMatchObject({
    text: 'bread',
    tags: ['shop'],
  });
  expect((await call(source, 'remove_note', { id: '1' })).structured).toBeNull();
  await expect(call(source, 'read_note', { id: '1' })).rejects.toThrow('404');
  const asWritten = made(createOpenApiSource({ outside: outside() }), 'notes-service', notes);
  expect((await asWritten.offer(never)).operations[0]?.pinned['server']).toBe('http://127.0.0.1:8931/');
});

test('unit-converter: its definitions are tools of its service', async () => {
  const units = sample('unit-converter');
  const url = await started(units);
  const file = join(units.folder, 'tools.json');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('http://127.0.0.1:8932', url));
  const source = made(createLangChainSource({ outside: outside() }), 'unit-converter', units);
  expect((await call(source, 'convert_length', { value: 1, from: 'mi', to: 'km' })).structured).toEqual({
    value: 1.609344,
    unit: 'km',
  });
  expect((await call(source, 'convert_temperature', { value: 212, from: 'F', to: 'C' })).structured).toEqual({
    value: 100,
    unit: 'C',
  });
});

test('text-tools: its program runs confined, and says how far it is', async () => {
  await using programs = await openTestPrograms();
  const tools = sample('text-tools');
  const make = createProgramSource({
    start: (request) => programs.held(request),
    find: programs.find,
    code: testOwnCode(),
    homeOf: () => programs.runner.outside,
    valueOf: () => ({ problem: 'There is none' }),
    now: () => 0,
  });
  const source = made(make, 'text-tools', tools);
  const phases: (string | null)[] = [];
  const { operations } = await source.offer(never);
  const [operation] = operations;
  if (operation === undefined) throw new Error('Nothing is offered.');
  const situation = { config: configWith({}), confinement: { available: true, problem: null }, network: [] };
  const answer = await call(
    source,
    'measure',
    { text: 'One two. Three?\nFour' },
    {
      terms: { ...source.termsFor(situation, operation), process: CONFINED },
      onProgress: ({ phase }) => phases.push(phase),
    },
  );
  expect(answer).toMatchObject({
    structured: { characters: 20, words: 4, sentences: 3, lines: 2, minutes: 0 },
    confinement: 'confined',
    warnings: [],
  });
  expect(phases).toContain('counting');
});

test('clock-server: its tools are there, as its settings and as its mcpServers have it', async () => {
  await using sources = await openTestSources();
  const clock = sample('clock-server');
  const { kind: _kind, ...settings } = clock.settings;
  const pasted = JSON.parse(readFileSync(join(clock.folder, 'mcp.json'), 'utf8')) as {
    readonly mcpServers: Readonly<Record<string, Omit<SourceSettings, 'kind'>>>;
  };
  for (const each of [settings, pasted.mcpServers['clock-server']]) {
    const source = sources.open({ ...each, cwd: clock.folder });
    const { content } = await sources.call(source, 'days_between', { from: '2026-01-01', to: '2026-03-01' });
    expect(content).toBe('59 days');
    await expect(sources.call(source, 'time_in', { zone: 'Nowhere' })).rejects.toThrow('time zone');
  }
});
