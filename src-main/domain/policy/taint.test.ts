import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeAsker } from '../call/asker.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import type { ToolTerms } from '../tool/terms.js';
import { authorize } from './authorize.js';
import { agent, inForce, policy, runs, whole } from './authorize.test-support.js';
import { type GivenText, findReceiver, addGivenText } from './given-texts.js';
import { isTaintWorse, joinSomeNames, type Taint, findTaint, taintWords, findEgress } from './taint.js';

const text = (name: string, more: Partial<GivenText> = {}): GivenText => ({
  name,
  origin: 'file',
  ofFolder: true,
  isPrivate: false,
  session: 's',
  ...more,
});
const out = { words: 'collector.example', leaves: true };
const on = (
  texts: readonly GivenText[],
  more: Partial<Parameters<typeof findTaint>[0]> = {},
  way = out as typeof out | null,
) => findTaint({ texts, trusted: false, session: 's', heard: Infinity, ...more }, way, []);

describe('to whom a text is given', () => {
  it.each([
    [makeAsker('mcp', 'a', { agent: 'codex' }), 'agent:codex'],
    [makeAsker('mcp', 'b', { agent: 'codex', client: 'other 2' }), 'agent:codex'],
    [makeAsker('gateway', 'c', { agent: 'codex' }), 'agent:codex'],
    [makeAsker('mcp', 'd'), 'connection:d'],
    [makeAsker('conversation', 'e'), 'conversation:e'],
    [makeAsker('gateway', 'f'), null],
    [makeAsker('compose', 'g'), null],
    [makeAsker('window', 'h'), null],
  ])('%#: %o', (asker, to) => {
    expect(findReceiver(asker)).toBe(to);
  });
});

describe('what is against a call', () => {
  it('is nothing without foreign text, or without a way out', () => {
    expect(on([])).toBeNull();
    expect(on([text('.env', { isPrivate: true })], {}, null)).toBeNull();
    expect(on([text('README.md')], {}, { words: 'lookup', leaves: false })).toBeNull();
  });

  it('is foreign text where it leaves, and all three wherever there is a way out', () => {
    expect(on([text('README.md')])).toMatchObject({ after: ['README.md'], privates: [] });
    const three = [text('README.md'), text('.env', { isPrivate: true, ofFolder: false })];
    expect(on(three, {}, { words: 'lookup', leaves: false })).toMatchObject({
      after: ['README.md', '.env'],
      privates: ['.env'],
    });
    expect(
      findTaint({ texts: [text('README.md')], trusted: false, session: 's', heard: 9 }, out, ['.env']),
    ).toMatchObject({ privates: ['.env'] });
  });

  it('leaves out what the person trusts, which is the text of the folder alone', () => {
    expect(on([text('README.md'), text('a.ts')], { trusted: true })).toBeNull();
    expect(on([text('README.md'), text('npm test', { ofFolder: false })], { trusted: true })).toMatchObject({
      after: ['npm test'],
      onlyFolder: false,
    });
    expect(on([text('README.md')])).toMatchObject({ onlyFolder: true });
  });

  it('leaves out what its own session was given after it came, and counts what others were', () => {
    const texts = [text('README.md'), text('later.md')];
    expect(on(texts, { heard: 0 })).toBeNull();
    expect(on(texts, { heard: 1 })?.after).toEqual(['README.md']);
    expect(on(texts, { heard: 0, session: 'other' })?.after).toEqual(['README.md', 'later.md']);
  });

  it('is worse when it was nothing, or becomes all three', () => {
    const foreign = on([text('README.md')]) as Taint;
    const three = on([text('README.md'), text('.env', { isPrivate: true })]) as Taint;
    expect([isTaintWorse(foreign, null), isTaintWorse(three, foreign), isTaintWorse(three, null)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isTaintWorse(null, three), isTaintWorse(foreign, three), isTaintWorse(foreign, foreign)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is said by files and commands in order, at most three', () => {
    expect(joinSomeNames(['README.md'])).toBe('README.md');
    expect(joinSomeNames(['a', 'b'])).toBe('a and b');
    expect(joinSomeNames(['a', 'b', 'c'])).toBe('a, b and c');
    expect(joinSomeNames(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
    expect(taintWords(on([text('README.md')]) as Taint)).toBe(
      'It can reach collector.example, after reading README.md.',
    );
    const three = taintWords(on([text('README.md'), text('.env', { isPrivate: true, ofFolder: false })]) as Taint);
    for (const name of ['.env', 'after reading README.md', 'collector.example']) expect(three).toContain(name);
  });
});

describe('the list of what was given', () => {
  it('has each once, keeps the worst that is known of it, and stays within bounds', () => {
    const arbitrary = fc.record({
      name: fc.stringMatching(/^[a-z]{1,2}$/u),
      origin: fc.constantFrom('file' as const, 'tool' as const),
      ofFolder: fc.boolean(),
      isPrivate: fc.boolean(),
      session: fc.constant('s'),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 900 }), (texts) => {
        const list = texts.reduce<readonly GivenText[]>(addGivenText, []);
        expect(list.length).toBeLessThanOrEqual(502);
        expect(new Set(list.map(({ name, origin }) => `${origin} ${name}`)).size).toBe(list.length);
        expect(list.some(({ isPrivate }) => isPrivate)).toBe(texts.some(({ isPrivate }) => isPrivate));
        expect(list.every(({ ofFolder }) => ofFolder)).toBe(texts.every(({ ofFolder }) => ofFolder));
      }),
    );
  });
});

describe('a way out', () => {
  const terms = (more: Partial<ToolTerms> = {}): ToolTerms => ({
    nature: 'command',
    process: { asked: 'preferred', held: 'confined', lacks: null, why: null },
    network: NO_NETWORK,
    paths: 'change',
    secrets: [],
    limits: { timeMs: 1, outputBytes: 1 },
    ...more,
  });
  const tool = { name: 'run_command', nature: 'command', sideEffecting: true, openWorld: true };
  const network = (reach: 'any' | 'hosts', hosts: readonly string[]) =>
    terms({ network: { reach, hosts, by: 'settings' } });
  const NONE = { hosts: [], others: false };
  it.each([
    ['held and offline', tool, terms(), NONE, null],
    ['a host that is named', tool, terms(), { hosts: ['a.example'], others: false }, 'a.example'],
    ['hosts that can’t be told', tool, terms(), { hosts: [], others: true }, 'any host'],
    ['the network by settings', tool, network('any', []), NONE, 'any host'],
    ['hosts by settings', tool, network('hosts', ['b.example']), NONE, 'b.example'],
    ['both', tool, network('any', []), { hosts: ['a.example'], others: false }, 'a.example and any host'],
    [
      'not held',
      tool,
      terms({ process: { asked: 'off', held: 'unconfined', lacks: null, why: null } }),
      NONE,
      'any host, unsandboxed',
    ],
    [
      'a file',
      { name: 'write_file', nature: 'files', sideEffecting: true, openWorld: false },
      terms({ process: null }),
      NONE,
      null,
    ],
  ] as const)('%s', (_, of, gets, needs, words) => {
    expect(findEgress(of, gets, needs)).toEqual(words === null ? null : { words, leaves: true });
  });

  it('is any tool that runs elsewhere; it leaves with an effect there, or where others than its source may read it', () => {
    const elsewhere = { name: 'fetch', nature: 'remote', sideEffecting: false, openWorld: false };
    expect(findEgress(elsewhere, terms({ process: null }), NONE)).toEqual({ words: 'fetch', leaves: false });
    for (const more of [{ sideEffecting: true }, { openWorld: true }])
      expect(findEgress({ ...elsewhere, ...more }, terms({ process: null }), NONE)?.leaves).toBe(true);
  });

  it('is none where a program is held here and offline, with an effect or without', () => {
    const local = { name: 'notes__search', nature: 'remote', sideEffecting: false, openWorld: true };
    for (const more of [{}, { sideEffecting: true }])
      expect(findEgress({ ...local, ...more }, terms(), NONE)).toBeNull();
    const read = [text('README.md'), text('.env', { isPrivate: true })];
    const free = { asked: 'off', held: 'unconfined', lacks: null, why: null } as const;
    for (const gets of [terms({ process: null }), terms({ process: free }), network('hosts', ['a.example'])])
      expect(on(read, {}, findEgress({ ...local, openWorld: false }, gets, NONE)), JSON.stringify(gets)).toMatchObject({
        privates: ['.env'],
      });
    expect(findEgress({ ...local, openWorld: false }, terms({ process: free }), NONE)?.leaves).toBe(true);
  });

  it('is a host that the app itself sends to, without an effect there', () => {
    const finds = { name: 'find_tools', nature: 'reads', sideEffecting: false, openWorld: false };
    const gets = terms({ process: null, network: { reach: 'hosts', hosts: ['ollama.example'], by: 'settings' } });
    expect(findEgress(finds, gets, NONE)).toEqual({ words: 'ollama.example', leaves: false });
    expect(findEgress(finds, terms({ process: null }), NONE)).toBeNull();
    // With foreign text and private data it is the third.
    const read = [text('README.md'), text('.env', { isPrivate: true })];
    expect(on(read, {}, findEgress(finds, gets, NONE))).toMatchObject({ privates: ['.env'] });
  });
});

describe('what is asked because of it', () => {
  const foreign = on([text('README.md')]) as Taint;
  const three = on([text('README.md'), text('.env', { isPrivate: true })]) as Taint;
  const ruled = (isForeign: boolean) => ({
    confirmation: { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.', foreign: isForeign } as const,
  });
  const verdict = (taint: Taint, more: object, changes: object = {}) =>
    authorize(agent, { ...whole(runs), taint } as never, inForce(policy({ denylist: [], ...changes }), more));

  it.each([
    ['a rule', ruled(false), {}],
    ['calls that run without asking', {}, { mode: 'auto' }],
    ['the allowlist', {}, { allowlist: ['run_command'] }],
    ['the sandbox', {}, { commands: 'sandbox' }],
  ])('whatever %s says', (_, more, changes) => {
    expect(verdict(foreign, more, changes)).toMatchObject({ kind: 'ask', id: 'agent.tainted', for: 'decision' });
    expect(verdict(three, more, changes)).toMatchObject({ kind: 'ask', id: 'agent.three', confirmable: false });
  });

  it('but for a rule that holds after such text, which holds for everything but all three', () => {
    expect(verdict(foreign, ruled(true))).toMatchObject({ kind: 'run', id: 'confirmation:1' });
    expect(verdict(three, ruled(true))).toMatchObject({ kind: 'ask', id: 'agent.three' });
    expect(verdict(three, { approved: true })).toMatchObject({ kind: 'run', id: 'person.decision' });
  });
});
