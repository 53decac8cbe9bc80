import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallDetail, CallFilter } from '#contract/vocabulary/calls.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { openTestJournal, openTestReader, testFolder } from '../writing/journal.test-support.js';
import { batchReceived, callReceived, settled, started, systemClock } from '../writing/journal-samples.test-support.js';
import type { WorkerJournalReader } from './journal-reader.js';
import type { SqliteJournal } from '../writing/sqlite-journal.js';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;

const UNKNOWN: Failure = { code: 'UnknownTool', message: 'There is no such tool.' };

interface Opened {
  readonly folder: string;
  readonly journal: SqliteJournal;
  readonly reader: WorkerJournalReader;
  readonly find: (filter: CallFilter) => Promise<readonly string[]>;
}

function opened(now?: () => number): Opened {
  const folder = testFolder();
  const journal = openTestJournal(folder, now === undefined ? {} : { clock: { ...systemClock, now } });
  const reader = openTestReader(folder, undefined, undefined, () => journal.readyForSearch());
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  const find = async (filter: CallFilter): Promise<readonly string[]> =>
    (await reader.page({ limit: 100, before: null, filter })).calls.map((call) => call.callId);
  return { folder, journal, reader, find };
}

function record(
  journal: SqliteJournal,
  callId: string,
  options: { tool?: string; args?: Record<string, string>; content?: string; failure?: Failure; files?: string[] } = {},
): void {
  const { tool = 'read_file', args = { path: 'a.ts' }, content = '', failure = null, files = [] } = options;
  journal.append([batchReceived(`b-${callId}`), ...started({ callId, batchId: `b-${callId}`, tool, arguments: args })]);
  const changedFiles = files.map((path) => ({ path, change: 'modified' as const, undoable: true, note: null }));
  journal.append([
    settled(callId, { content, changedFiles }, failure),
    { type: 'batch-closed', batchId: `b-${callId}` },
  ]);
}

describe('search', () => {
  it('finds words in tool, arguments, results, files and reasons, with any filter', async () => {
    const { journal, find } = opened();
    record(journal, 'c1', { args: { path: 'src/Überblick.ts' }, content: 'the quick brown fox' });
    record(journal, 'c2', { tool: 'run_command', args: { command: 'npm test' }, content: 'brown paper' });
    record(journal, 'c3', { tool: 'apply_patch', files: ['lib/zebra.ts'] });
    record(journal, 'c4', { failure: { code: 'ExecutionFailed', message: 'No such file: giraffe.' } });
    expect(await find({ query: 'brown' })).toEqual(['c2', 'c1']);
    expect(await find({ query: 'brown quick' })).toEqual(['c1']);
    expect(await find({ query: 'uberblick' })).toEqual(['c1']);
    expect(await find({ query: 'lib/zebra.ts' })).toEqual(['c3']);
    expect(await find({ query: 'giraf' })).toEqual(['c4']);
    expect(await find({ query: 'run_command' })).toEqual(['c2']);
    expect(await find({ query: 'npm tes' })).toEqual(['c2']);
    expect(await find({ query: 'brown', tool: 'run_command' })).toEqual(['c2']);
    expect(await find({ state: 'aborted' })).toEqual(['c4']);
    expect(await find({ door: 'compose' })).toEqual([]);
    expect(await find({ door: 'mcp', tool: 'apply_patch' })).toEqual(['c3']);
    expect(await find({ from: Date.now() + 60_000 })).toEqual([]);
    expect(await find({ to: Date.now() + 60_000, query: 'fox' })).toEqual(['c1']);
  });

  it('finds calls by the name, the id, one version or the group of their tool', async () => {
    const { journal, find } = opened();
    record(journal, 'c1');
    record(journal, 'c2', { tool: 'run_command' });
    // What asked for a name that no tool has.
    const unknown = { ...callReceived({ callId: 'c3', batchId: 'b-c3', tool: 'gatehouse.read_file' }), toolId: null };
    journal.append([batchReceived('b-c3'), { ...unknown, toolVersion: null } as never, settled('c3', {}, UNKNOWN)]);
    const newer = { ...callReceived({ callId: 'c4', batchId: 'b-c4' }), toolVersion: '2.0.0' };
    journal.append([batchReceived('b-c4'), newer, settled('c4', {}, UNKNOWN)]);
    expect(await find({ tool: 'read_file' })).toEqual(['c4', 'c1']);
    expect(await find({ tool: 'gatehouse.read_file' })).toEqual(['c4', 'c3', 'c1']);
    expect(await find({ tool: 'gatehouse.run_command' })).toEqual(['c2']);
    expect(await find({ tool: 'gatehouse.read_file@1.0.0' })).toEqual(['c1']);
    expect(await find({ tool: 'gatehouse.*' })).toEqual(['c4', 'c2', 'c1']);
    expect(await find({ tool: 'gatehouse.*', state: 'completed' })).toEqual(['c2', 'c1']);
    for (const tool of ['gate.*', 'gatehouse', 'gatehouse.read_file@3.0.0', '*', '.*'])
      expect(await find({ tool })).toEqual([]);
  });

  it('takes every text for words, never for syntax', async () => {
    const { journal, find } = opened();
    record(journal, 'c1', { content: 'say "hello" AND NOT (this OR that*) NEAR x^2 result:5' });
    for (const query of ['"hello"', 'AND', 'NOT (this', 'result:5', 'that*', 'x^2', 'hello" OR "', "'; --"]) {
      expect([[], ['c1']]).toContainEqual(await find({ query }));
    }
    expect(await find({ query: '"hello"' })).toEqual(['c1']);
    expect(await find({ query: '***' })).toEqual([]);
    expect(await find({ query: 'a\0b' })).toEqual([]);
  });

  it('finds calls that are still waiting by their name and summary', async () => {
    const { journal, find } = opened();
    journal.append([batchReceived('b'), ...started({ callId: 'c1', batchId: 'b', summary: 'Read walrus.ts' })]);
    expect(await find({ query: 'Walrus' })).toEqual(['c1']);
    journal.append([settled('c1')]);
    expect(await find({ query: 'Walrus' })).toEqual(['c1']);
  });

  it('never finds a secret', async () => {
    const { journal, find, reader } = opened();
    record(journal, 'c1', { args: { token: SECRET, path: 'a' }, content: `it is ${SECRET} for me@example.org` });
    expect(await find({ query: SECRET })).toEqual([]);
    expect(await find({ query: 'me@example.org' })).toEqual([]);
    // The person's own record is whole.
    expect(await reader.detail('c1')).toMatchObject({ arguments: { token: SECRET } });
  });
});

describe('paging', () => {
  it('gives every call once, newest first, while more come and the clock jumps', async () => {
    let now = Date.now();
    const { journal, reader } = opened(() => now);
    for (let n = 0; n < 25; n += 1) {
      now += n % 2 === 0 ? 315_360_000_000 : -315_360_000_000;
      record(journal, `c${n}`, { content: 'needle' });
    }
    for (const filter of [{}, { query: 'needle' }]) {
      const seen: string[] = [];
      let before: string | null = null;
      do {
        const page = await reader.page({ limit: 7, before, filter });
        seen.push(...page.calls.map((call) => call.callId));
        before = page.next;
        if (seen.length === 7) record(journal, `late-${JSON.stringify(filter)}`, { content: 'needle' });
      } while (before !== null);
      expect(seen.filter((id) => !id.startsWith('late'))).toEqual(Array.from({ length: 25 }, (_, n) => `c${24 - n}`));
    }
    const middle = { from: now - 1000, to: now + 1000 };
    const during = await reader.page({ limit: 100, before: null, filter: middle });
    expect(during.calls.length).toBeGreaterThan(0);
    for (const call of during.calls) expect(Math.abs(call.startedAt - now)).toBeLessThanOrEqual(1000);
    expect(during.calls.length).toBeLessThan(27);
    await expect(reader.page({ limit: 5, before: 'nonsense', filter: {} })).rejects.toThrow('cursor');
    expect(await reader.verify()).toMatchObject({ ok: true });
  });
});

describe('export', () => {
  async function exported(format: 'markdown' | 'json' | 'jsonl' | 'cloudevents', filter: CallFilter): Promise<string> {
    const { folder, journal, reader } = opened();
    for (let n = 0; n < 450; n += 1) record(journal, `c${n}`, { content: `result ${n} ${SECRET}` });
    record(journal, 'late', { failure: { code: 'Timeout', message: 'Too slow.', elapsedMs: 5 }, content: '```\nx' });
    const file = join(folder, 'out');
    await reader.export(format, filter, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return readFileSync(file, 'utf8');
  }

  it('writes JSON and JSON Lines of the selection, without secrets, and counts them', async () => {
    const calls = JSON.parse(await exported('json', {})) as readonly (CallDetail & { redacted: number })[];
    expect(calls).toHaveLength(451);
    expect(calls.at(-1)).toMatchObject({ callId: 'c0', result: 'result 0 [redacted]', redacted: 1 });
    const lines = (await exported('jsonl', { query: 'result' })).trimEnd().split('\n');
    expect(lines).toHaveLength(450);
    expect(lines.join('')).not.toContain(SECRET);
  });

  it('writes an empty selection as valid JSON', async () => {
    expect(JSON.parse(await exported('json', { tool: 'nothing' }))).toEqual([]);
  });

  it('writes Markdown that a result can’t break out of', async () => {
    const text = await exported('markdown', { query: 'slow' });
    expect(text).toContain('## read\\_file');
    expect(text).toContain('````\n```\nx\n````');
    expect(text).toContain('- **State:** ABORTED (Timeout)');
  });

  it('writes CloudEvents that the SDK takes, of the types that were agreed', async () => {
    const lines = (await exported('cloudevents', {})).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const ids = new Set(events.map((event) => event['id']));
    expect(ids.size).toBe(events.length);
    const kinds = new Map<string, number>();
    for (const event of events) {
      const parsed = HTTP.toEvent({
        headers: { 'content-type': 'application/cloudevents+json' },
        body: JSON.stringify(event),
      });
      expect(parsed).toBeInstanceOf(CloudEvent);
      expect((parsed as CloudEvent).validate()).toBe(true);
      const type = String(event['type']);
      kinds.set(type, (kinds.get(type) ?? 0) + 1);
    }
    expect(Object.fromEntries(kinds)).toEqual({
      'ai.agent.tool.invoked': 451,
      'ai.agent.tool.succeeded': 450,
      'ai.agent.tool.failed': 1,
      'ai.agent.tool.timeout': 1,
    });
    expect(lines.join('')).not.toContain(SECRET);
  });

  it('leaves nothing behind when the file can’t be written', async () => {
    const { folder, journal, reader } = opened();
    record(journal, 'c1');
    await expect(reader.export('json', {}, join(folder, 'no', 'such', 'folder'))).rejects.toThrow('ENOENT');
    expect(await reader.detail('c1')).not.toBeNull();
  });
});

describe('telemetry', () => {
  it('counts what was recorded, by tool and over time', async () => {
    const { journal, reader } = opened();
    const denied: Failure = { code: 'Denylisted', message: 'No.' };
    for (let n = 0; n < 8; n += 1) record(journal, `r${n}`);
    record(journal, 'x', { tool: 'run_command', failure: { code: 'ExecutionFailed', message: 'exit 1' } });
    journal.append([batchReceived('bd'), callReceived({ callId: 'd', batchId: 'bd', tool: 'run_command' })]);
    journal.append([settled('d', { cpuMs: 5, peakMemoryBytes: 100 }, denied, 'DENIED')]);
    journal.append([batchReceived('br'), ...started({ callId: 'rb', batchId: 'br', tool: 'apply_patch' })]);
    journal.append([
      settled('rb', { cpuMs: 7, peakMemoryBytes: 50 }, { code: 'Internal', message: '' }, 'ROLLED_BACK'),
    ]);
    journal.append([batchReceived('bw'), callReceived({ callId: 'w', batchId: 'bw' })]);
    const snapshot = await reader.telemetry(1);
    expect(snapshot).toMatchObject({ total: 12, successRate: 8 / 11, denials: 1, rollbacks: 1, cpuMs: 12 });
    expect(snapshot.peakMemoryBytes).toBe(100);
    expect(snapshot.tools).toEqual([
      {
        tool: 'read_file',
        count: 9,
        succeeded: 8,
        failed: 0,
        denied: 0,
        rolledBack: 0,
        p50Ms: 12,
        p95Ms: 12,
        p99Ms: 12,
      },
      {
        tool: 'run_command',
        count: 2,
        succeeded: 0,
        failed: 1,
        denied: 1,
        rolledBack: 0,
        p50Ms: 12,
        p95Ms: 12,
        p99Ms: 12,
      },
      {
        tool: 'apply_patch',
        count: 1,
        succeeded: 0,
        failed: 1,
        denied: 0,
        rolledBack: 1,
        p50Ms: 12,
        p95Ms: 12,
        p99Ms: 12,
      },
    ]);
    expect(snapshot.timeline).toHaveLength(48);
    expect(snapshot.timeline.at(-1)).toMatchObject({ succeeded: 8, failed: 2, denied: 1 });
    expect(snapshot.journalBytes).toBeGreaterThan(4096);
  });

  it('is empty and without rates where nothing happened', async () => {
    const { reader } = opened();
    expect(await reader.telemetry(24)).toMatchObject({ total: 0, successRate: null, tools: [], events: 0 });
  });
});

describe('retention', () => {
  it('forgets old calls, keeps the chain whole, and can’t be used to hide one more event', async () => {
    let now = 1_000_000;
    const { journal, reader, find, folder } = opened(() => now);
    for (let n = 0; n < 6; n += 1) record(journal, `old${n}`, { content: 'ancient words' });
    journal.append([batchReceived('open'), ...started({ callId: 'running', batchId: 'open' })]);
    now += 10_000_000;
    record(journal, 'new', { content: 'modern words' });
    expect(journal.erase(now - 1000, 4).calls).toBe(4);
    expect(journal.erase(now - 1000, 4).calls).toBe(2);
    expect(journal.erase(now - 1000, 4).calls).toBe(0);
    expect(await find({})).toEqual(['new', 'running']);
    expect(await find({ query: 'words' })).toEqual(['new']);
    expect(await reader.detail('old1')).toBeNull();
    expect(await reader.verify()).toMatchObject({ ok: true, signed: true });
    journal.append([settled('running')]);
    journal.close();
    const again = openTestJournal(folder);
    expect(await reader.verify()).toMatchObject({ ok: true });
    again.close();
  });
});
