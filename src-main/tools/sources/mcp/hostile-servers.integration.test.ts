import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { hostileServer } from './hostile-server.test-support.js';
import { always, namesOf, openTestSources } from './mcp.test-support.js';

/** The failure that a call ended with; null where it ended well. */
async function endOf(call: Promise<unknown>): Promise<Failure | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof ToolFailure) return error.failure;
    throw error;
  }
}

const withWord = (word: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(word);
      } catch {
        return false;
      }
    });

const MAY_HAVE = 'may have had an effect';

const LIES: readonly (readonly [tool: string, end: object, words: string])[] = [
  ['long-line', { code: 'ExecutionFailed', eCode: 'E3308' }, MAY_HAVE],
  ['endless-line', { code: 'ExecutionFailed', eCode: 'E3308' }, 'more than 8 MB'],
  ['not-json', { code: 'OutputInvalid', eCode: 'E3308' }, MAY_HAVE],
  ['not-rpc', { code: 'OutputInvalid', eCode: 'E3308' }, MAY_HAVE],
  ['no-result', { code: 'OutputInvalid', eCode: 'E3308' }, MAY_HAVE],
  ['wrong-result', { code: 'OutputInvalid', eCode: 'E3308' }, MAY_HAVE],
  ['bad-base64', { code: 'OutputInvalid', eCode: 'E3308' }, 'no result of a tool'],
  ['silent', { code: 'Timeout', eCode: 'E3103' }, MAY_HAVE],
  ['exit', { code: 'SourceUnavailable', eCode: 'E3306' }, 'out of cheese'],
  ['killed', { code: 'SourceUnavailable', eCode: 'E3306' }, MAY_HAVE],
  ['flood', { code: 'ExecutionFailed', eCode: 'E3308' }, 'nobody had asked for'],
  ['error', { code: 'ExecutionFailed', eCode: 'E3304' }, 'no such row'],
  ['is-error', { code: 'ExecutionFailed', eCode: 'E3304' }, 'table is locked'],
];

describe('a server that lies', () => {
  it.each(LIES)('%s: one bounded error, and others are unaffected', async (tool, end, words) => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    const other = sources.open(await sources.script(hostileServer()), 'other');
    await other.offer(always);
    const before = process.memoryUsage().rss;
    const timeoutMs = tool === 'silent' ? 300 : 60_000;
    const [failure, beside] = await Promise.all([
      endOf(sources.call(source, tool, {}, { timeoutMs })),
      sources.call(other, 'ok'),
    ]);
    expect(failure).toMatchObject(end);
    expect(failure?.message).toContain(words);
    expect(failure?.message.length).toBeLessThan(5000);
    expect(beside.content).toBe('fine');
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
    // It is there again at the next call, by itself.
    expect((await sources.call(source, 'ok')).content).toBe('fine');
  });

  it.each(['noise', 'twice', 'unknown-ids', 'stderr-flood', 'bad-progress'])(
    '%s: what is none of the call’s business changes nothing',
    async (tool) => {
      await using sources = await openTestSources();
      const source = sources.open(await sources.script(hostileServer()));
      const { content } = await sources.call(source, tool);
      expect(content).toBe({ twice: 'first', 'stderr-flood': 'said' }[tool] ?? 'fine');
      expect((await sources.call(source, 'ok')).content).toBe('fine');
      expect(source.state().complaints.length).toBeLessThanOrEqual(16_384);
      // eslint-disable-next-line no-control-regex -- that none is left is the point
      expect(source.state().complaints).not.toMatch(/\u001b/u);
    },
  );

  it('answers out of turn reach who asked', async () => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    await source.offer(always);
    const [one, two] = await Promise.all([sources.call(source, 'other-ids'), sources.call(source, 'other-ids')]);
    expect(new Set([one.content, two.content]).size).toBe(2);
  });

  it('an answer that comes after the call was stopped goes nowhere', async () => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    const stop = new AbortController();
    const [operation] = (await source.offer(always)).operations.filter((each) => each.operation === 'late');
    const stopped = sources.callAs(source, operation, { signal: stop.signal, onProgress: () => stop.abort() });
    expect(await endOf(stopped)).toMatchObject({
      code: 'Cancelled',
      message: expect.stringContaining(MAY_HAVE) as string,
    });
    expect((await sources.call(source, 'was-cancelled')).content).toBe('true');
    expect((await sources.call(source, 'ok')).content).toBe('fine');
  });

  it('its end is the end of every call that it was asked', async () => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    await source.offer(always);
    const ends = await Promise.all([endOf(sources.call(source, 'silent')), endOf(sources.call(source, 'exit'))]);
    expect(ends).toEqual([
      expect.objectContaining({ code: 'SourceUnavailable' }),
      expect.objectContaining({ code: 'SourceUnavailable' }),
    ]);
  });

  it('text and structure that differ are said to', async () => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    const answer = await sources.call(source, 'differs');
    expect(answer).toMatchObject({ content: '{"sum":1}', structured: { sum: 2 } });
    expect(answer.warnings).toEqual([expect.stringContaining('different things')]);
  });

  it('is not asked the person, the model or for folders that it may not see', async () => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    const { content } = await sources.call(source, 'asks');
    expect(JSON.parse(content)).toEqual({ 'ask-1': -32601, 'ask-2': -32601, 'ask-3': { roots: [] } });
    const seeing = sources.open({ ...(await sources.script(hostileServer())), filesystem: 'read' });
    const roots = JSON.parse((await sources.call(seeing, 'asks')).content) as { 'ask-3': unknown };
    expect(roots['ask-3']).toEqual({
      roots: [{ uri: `file://${sources.programs.runner.workspace}`, name: 'Workspace' }],
    });
  });

  it('a list that changes under a call is another offer, asked about before the next one', async () => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    const before = await source.offer(always);
    const told = Promise.withResolvers<void>();
    source.onChange(() => told.resolve());
    await sources.call(source, 'change');
    await told.promise;
    const after = await source.offer(always);
    expect(after).not.toBe(before);
    expect(after.operations[0]?.pinned).not.toEqual(before.operations[0]?.pinned);
  });

  it('one that was started anew is asked what it offers before anything is sent', async () => {
    await using sources = await openTestSources();
    const source = sources.open(await sources.script(hostileServer()));
    const offer = await source.offer(always);
    await endOf(sources.call(source, 'exit'));
    const stillAccepted = (): void => {
      throw new ToolFailure({ code: 'ToolChanged', message: 'changed' });
    };
    const [operation] = offer.operations;
    expect(operation?.version).toBe('1.2.3');
    expect(await endOf(sources.callAs(source, operation, { stillAccepted }))).toMatchObject({ code: 'ToolChanged' });
  });

  it('what it started does not outlive it', async () => {
    await using sources = await openTestSources();
    const word = `survivor-${randomUUID()}`;
    const source = sources.open({ ...(await sources.script(hostileServer())), env: { WORD: word } });
    await sources.call(source, 'survivor');
    await expect.poll(() => withWord(word).length).toBe(1);
    await source.close();
    expect(withWord(word)).toEqual([]);
  });
});

describe('a list of tools that lies', () => {
  const listing = (tools: string): string => hostileServer(`tools = ${tools};`);

  it('one that is wrong is refused alone, with the reason', async () => {
    await using sources = await openTestSources();
    const bad = `[{ name: 'good', inputSchema: { type: 'object' } }, { name: 'good', inputSchema: {} }, { name: 7 }, null, { name: 'x' },
      { name: 'y', inputSchema: [] }, { name: 'z', description: 7, inputSchema: {} }, { name: 'a'.repeat(2000), inputSchema: {} }]`;
    const source = sources.open(await sources.script(listing(bad)));
    const offer = await source.offer(always);
    expect(namesOf(offer)).toEqual(['good']);
    expect(offer.refused.map(({ reason }) => reason)).toEqual([
      'It has two of this name: the first one counts.',
      'It has no name.',
      'It is no object.',
      'It does not say what its arguments are (inputSchema).',
      'It does not say what its arguments are (inputSchema).',
      'Its description is no text.',
      'Its name is longer than 1,000 characters.',
    ]);
    expect(offer).toMatchObject({ ownName: 'hostile' });
  });

  it('one without an end is no list', async () => {
    await using sources = await openTestSources();
    const endless = hostileServer().replace(
      'result: { tools } });',
      `result: { tools: [], nextCursor: String(Math.random()) } });`,
    );
    const source = sources.open(await sources.script(endless));
    await expect(source.offer(always)).rejects.toThrow('no end');
  });
});

describe('a server that can’t be started', () => {
  it.each([
    ['is not installed', { command: 'no-such-server' }, '“no-such-server” is not installed'],
    [
      'ends at once',
      { command: 'sh', args: ['-c', 'echo no licence >&2; exit 4'] },
      'exit code 4. It said last: no licence',
    ],
    ['lacks a secret', { command: 'cat', env: { TOKEN: 'secret:github' } }, 'TOKEN is to be secret:github'],
    ['is a package of an address', { command: 'npx', args: ['-y', 'git+https://h/x'] }, 'a package of the registry'],
    [
      'is a package that can’t be fetched',
      { command: 'npx', args: ['-y', 'no-such-package'] },
      'could not be fetched by npm',
    ],
    ['is fetched anew each time', { command: 'bunx', args: ['tiny-server'] }, 'npm install --global tiny-server'],
  ])('%s: it is said what to do', async (_, settings, words) => {
    await using sources = await openTestSources();
    const source = sources.open(settings);
    await expect(source.offer(always)).rejects.toThrow(words);
  });

  it('is tried later and later', async () => {
    await using sources = await openTestSources();
    const source = sources.open({ command: 'false' });
    await expect(source.offer(always)).rejects.toThrow('exit code 1');
    await expect(source.offer(always)).rejects.toThrow('exit code 1');
    await expect(source.offer(always)).rejects.toThrow('It is tried again in 1 s.');
    expect(source.state()).toMatchObject({
      running: 'failed',
      problem: expect.stringContaining('exit code 1') as string,
    });
  });

  it('says what it logs once it is told to, and no more of it than is kept', async () => {
    await using sources = await openTestSources();
    const logging = hostileServer()
      .replace('listChanged: true } }', 'listChanged: true }, logging: {} }')
      .replace(
        "ok: (id) => send({ id, result: text('fine') }),",
        `ok: (id) => { for (let at = 0; at < 3000; at += 1) log('info', 'row ' + at); log('error', { table: 'locked' }); send({ id, result: text('fine') }); },`,
      )
      .replace(
        'const acts = {',
        `let level = null;
const log = (at, data) => level === null || send({ method: 'notifications/message', params: { level: at, logger: 'db\\u001b[31m', data } });
const acts = {`,
      )
      .replace(
        "on('line', ",
        "on('line', (line) => { const said = JSON.parse(line); if (said.method === 'logging/setLevel') { level = said.params.level; send({ id: said.id, result: {} }); } }).on('line', ",
      );
    const source = sources.open(await sources.script(logging));
    await sources.call(source, 'ok');
    const { complaints } = source.state();
    expect(complaints).toContain('[error] db: {"table":"locked"}');
    expect(complaints).toContain('[info] db: row 2999');
    expect(complaints.length).toBeLessThanOrEqual(16_384);
  });

  it('is given its secrets, in its environment and nowhere else', async () => {
    await using sources = await openTestSources({ github: 'ghp_secret' });
    const script = hostileServer().replace("text('fine')", 'text(process.env.TOKEN)');
    const source = sources.open({ ...(await sources.script(script)), env: { TOKEN: 'token secret:github' } });
    expect((await sources.call(source, 'ok')).content).toBe('token ghp_secret');
    expect(JSON.stringify([source.identity, source.state()])).not.toContain('ghp_secret');
    expect(source.identity).toMatchObject({ env: ['TOKEN'] });
  });

  it('is another where its name stands for another program: the path of that is part of what is accepted', async () => {
    await using sources = await openTestSources();
    const place = join(sources.programs.runner.outside, 'bin');
    mkdirSync(place);
    const command = 'a-server-by-name';
    const open = () => sources.open({ command, args: [], env: { PATH: `${place}:/usr/bin` } }).identity;
    expect(open()).not.toHaveProperty('program');
    symlinkSync('/usr/bin/perl', join(place, command));
    expect(open()).toMatchObject({ command, program: join(place, command) });
    expect(sources.open({ command: '/usr/bin/perl', args: [] }).identity).not.toHaveProperty('program');
  });
});
