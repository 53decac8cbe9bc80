import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { always, namesOf, openTestSources, type TestSources } from './mcp.test-support.js';

/** Settings of a server as a person installs it: a program of its own package. */
const installed = (path: string, ...args: string[]): Omit<SourceSettings, 'kind'> => ({
  command: 'node',
  args: [realpathSync(join('node_modules', path)), ...args],
});

interface Peer {
  readonly name: string;
  readonly settings: (at: TestSources) => Omit<SourceSettings, 'kind'>;
  readonly tool: string;
  readonly args: JsonObject | ((at: TestSources) => JsonObject);
  readonly gives: RegExp;
}

const PEERS: readonly Peer[] = [
  {
    name: '@modelcontextprotocol/server-everything',
    settings: () => installed('@modelcontextprotocol/server-everything/dist/index.js'),
    tool: 'echo',
    args: { message: 'héllo' },
    gives: /héllo/u,
  },
  {
    name: '@modelcontextprotocol/server-filesystem',
    settings: ({ programs }) => ({
      ...installed('@modelcontextprotocol/server-filesystem/dist/index.js', programs.runner.workspace),
      filesystem: 'read',
    }),
    tool: 'read_text_file',
    args: ({ programs }) => ({ path: join(programs.runner.workspace, 'note.txt') }),
    gives: /written by a person/u,
  },
  {
    name: '@modelcontextprotocol/server-memory',
    settings: () => ({
      ...installed('@modelcontextprotocol/server-memory/dist/index.js'),
      env: { MEMORY_FILE_PATH: '/tmp/memory.json' },
    }),
    tool: 'create_entities',
    args: { entities: [{ name: 'Gate', entityType: 'thing', observations: ['is held'] }] },
    gives: /Gate/u,
  },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    settings: () => installed('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
    tool: 'sequentialthinking',
    args: { thought: 'One step', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    gives: /totalThoughts/u,
  },
  {
    name: 'mcp-server-commands',
    settings: () => installed('mcp-server-commands/build/index.js'),
    tool: 'run_command',
    args: { command: 'echo from inside' },
    gives: /from inside/u,
  },
  {
    name: 'time-mcp',
    settings: () => installed('time-mcp/dist/index.js'),
    tool: 'days_in_month',
    args: { date: '2024-02-01' },
    gives: /29/u,
  },
  {
    name: '@cyanheads/git-mcp-server',
    settings: () => ({ ...installed('@cyanheads/git-mcp-server/dist/index.js'), filesystem: 'read' }),
    tool: 'git_status',
    args: ({ programs }) => ({ path: programs.runner.workspace }),
    gives: /note\.txt/u,
  },
];

describe('servers that people use, confined', () => {
  it.each(PEERS)('$name', async ({ settings, tool, args, gives }) => {
    await using sources = await openTestSources();
    writeFileSync(join(sources.programs.runner.workspace, 'note.txt'), 'written by a person\n');
    execFileSync('git', ['init', '-q'], { cwd: sources.programs.runner.workspace });
    const source = sources.open(settings(sources));
    const offer = await source.offer(always);
    expect(offer.ownName).not.toBeNull();
    expect(namesOf(offer)).toContain(tool);
    expect(offer.refused).toEqual([]);
    expect(await source.offer(always)).toBe(offer);
    const answer = await sources.call(source, tool, typeof args === 'function' ? args(sources) : args);
    expect(answer.content).toMatch(gives);
    expect(answer.confinement).toBe('confined');
    expect(source.state()).toMatchObject({ running: 'running', problem: null, confinement: 'confined' });
  });

  it('server-everything: pictures, resources, structure, progress', async () => {
    await using sources = await openTestSources();
    const source = sources.open(installed('@modelcontextprotocol/server-everything/dist/index.js'));
    const offer = await source.offer(always);
    const image = await sources.call(source, 'get-tiny-image');
    expect(image.content).toMatch(/\[image image\/png, \d+ bytes: stored output 1\]/u);
    expect(
      Buffer.from(sources.kept[0] ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(image.storedOutputs).toHaveLength(1);
    const structured = await sources.call(source, 'get-structured-content', { location: 'New York' });
    expect(structured).toMatchObject({ structured: { temperature: expect.any(Number) as number }, warnings: [] });
    await sources.call(source, 'trigger-long-running-operation', { duration: 1, steps: 4 });
    // The last may come with the answer, and then counts no more.
    expect(sources.progress.map(({ percent }) => percent).slice(0, 3)).toEqual([25, 50, 75]);
    expect(namesOf(offer).length).toBeGreaterThan(8);
  });

  it('one that may not see the folder does not', async () => {
    await using sources = await openTestSources();
    const { workspace } = sources.programs.runner;
    mkdirSync(join(workspace, 'sub'));
    writeFileSync(join(workspace, 'note.txt'), 'planted');
    const source = sources.open(installed('mcp-server-commands/build/index.js'));
    const { content } = await sources.call(source, 'run_command', {
      command: `cat ${workspace}/note.txt; ls ${workspace}; true`,
    });
    expect(content).not.toContain('planted');
    expect(content).not.toContain('sub');
  });
});
