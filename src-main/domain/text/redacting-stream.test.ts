import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactText } from './redact.js';
import { type ReleasedText, RedactingStream } from './redacting-stream.js';
import { findSecrets, STRUCTURE_ONLY } from './secrets/find.js';
import { knownValues } from './secrets/known-values.js';
import { HARMLESS } from './secrets/harmless-samples.test-support.js';
import { SECRETS } from './secrets/samples.test-support.js';

const stream = (): RedactingStream => new RedactingStream((text) => Promise.resolve(findSecrets(text, STRUCTURE_ONLY)));

/** The text in pieces that end at the cuts; `idle` after those where nothing came for a while. */
async function through(text: string, cuts: readonly number[], idle: boolean): Promise<readonly ReleasedText[]> {
  const redacting = stream();
  const released: ReleasedText[] = [];
  let at = 0;
  for (const cut of [...new Set(cuts.map((each) => Math.min(each, text.length)))].sort((a, b) => a - b)) {
    released.push(await redacting.push(text.slice(at, cut)));
    if (idle) released.push(await redacting.idle());
    at = cut;
  }
  return [...released, await redacting.push(text.slice(at)), await redacting.end()];
}
const textOf = (released: readonly ReleasedText[]): string => released.map(({ text }) => text).join('');
const glue = (...parts: string[]): string => parts.join('');
const everyCharacter = (text: string): readonly number[] => Array.from({ length: text.length }, (_, at) => at + 1);

describe('a text in pieces', () => {
  it.each(SECRETS)('%s is blotted out as in one, wherever it is cut', async (name, sample, ...secrets) => {
    const text = `before\n${sample}\nafter\n`;
    const whole = redactText(text);
    for (let cut = 1; cut < text.length; cut += 1) {
      const released = await through(text, [cut], false);
      for (const secret of secrets) expect(textOf(released), `cut at ${cut}`).not.toContain(secret);
      // What was left out between its ends is told, as long as only its head was there.
      if (name.includes('cut in the middle')) continue;
      // Where a place went on after a line break that was given out, there is one more.
      expect(textOf(released).replaceAll(/\n+/gu, '\n'), `cut at ${cut}`).toBe(whole.value.replaceAll(/\n+/gu, '\n'));
      expect(released.reduce((sum, { count }) => sum + count, 0)).toBe(whole.count);
    }
  });

  // Of a key without a head nothing tells before its end: one that comes letter by letter is shown.
  it.each(SECRETS.filter(([name]) => !/cut at the head|cut in the middle/u.test(name)))(
    '%s is not shown letter by letter to who waits',
    async (_, sample, ...secrets) => {
      const text = `before\n${sample}\nafter\n`;
      const shown = textOf(await through(text, everyCharacter(text), true));
      for (const secret of secrets) expect(shown).not.toContain(secret);
      expect(shown.startsWith('before\n')).toBe(true);
    },
  );

  it.each(HARMLESS)('%j stays', async (sample) => {
    const text = `before\n${sample}\nafter\n`;
    expect(textOf(await through(text, everyCharacter(text), true))).toBe(text);
  });

  it('says of each part how many characters of the input it stands for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(400), { maxLength: 12 }), fc.boolean(), async (cuts, idle) => {
        const text = SECRETS.slice(0, 12)
          .map(([, sample]) => sample)
          .join('\n');
        const released = await through(text, cuts, idle);
        expect(released.reduce((sum, { length }) => sum + length, 0)).toBe(text.length);
        for (const { clean, text: part, length } of released) if (clean) expect(part.length).toBe(length);
      }),
      { numRuns: 60 },
    );
  });

  it('shows a prompt at once, a drawn line when it is drawn over, and a long line as it grows', async () => {
    const redacting = stream();
    expect((await redacting.push('Continue? [y/N] ')).text).toBe('');
    expect((await redacting.idle()).text).toBe('Continue? [y/N] ');
    expect((await redacting.push('\r10 %\r20 %')).text).toBe('\r10 %\r');
    const long = 'x y '.repeat(10_000);
    expect((await redacting.push(long)).text.length).toBeGreaterThan(20_000);
    expect((await redacting.end()).text.endsWith('x y ')).toBe(true);
    expect(redacting.holds).toBe(false);
  });

  it.each([
    ['tabs', 'name\tpassword\n', (at: number) => `ada${at}\tquebec${at}\n`],
    ['commas', 'id,api_key,name\n', (at: number) => `${at},quebec${at},"a, b"\n`],
    ['psql', ' user | password \n------+----------\n', (at: number) => ` ada  | quebec${at}\n`],
    ['Markdown', '| user | token |\n| --- | --- |\n', (at: number) => `| ada | quebec${at} |\n`],
  ])('a table by %s stays one, however many rows come after each other', async (_, head, rowOf) => {
    const redacting = stream();
    const rows = Array.from({ length: 700 }, (_each, at) => rowOf(at));
    // What has a table's form below a line that is none of its rows is no part of it.
    const pieces = [`first\n${head}`, ...rows, `\nlast\n${rowOf(9)}`];
    const parts: ReleasedText[] = [];
    for (const piece of pieces) parts.push(await redacting.push(piece));
    parts.push(await redacting.end());
    const text = pieces.join('');
    expect(textOf(parts)).toBe(
      text.replaceAll(/quebec\d+/gu, '[redacted]').replace(/(last\n.*)\[redacted\]/u, '$1quebec9'),
    );
    expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(text.length);
  });

  it('a private key of 1500 lines is one place', async () => {
    const redacting = stream();
    const line = `${'q7Zx'.repeat(16)}\n`;
    const parts = [await redacting.push(glue('-----BEGIN RSA PRIVATE', ' KEY-----\n'))];
    for (let at = 0; at < 1500; at += 1) parts.push(await redacting.push(line));
    parts.push(await redacting.push(glue('-----END RSA PRIVATE', ' KEY-----\nover\n')), await redacting.end());
    expect(textOf(parts)).not.toContain('q7Zx');
    expect(textOf(parts).endsWith('over\n')).toBe(true);
    expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  });
});

describe('known values', () => {
  const value = 'näive "pass"/+phrase';
  const known = knownValues([value, 'short', 'true', '1234567']);
  const redacted = (text: string): string => redactText(text, { means: { known, detector: [] } }).value;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it.each([
    ['plain', value],
    ['URL-encoded', encodeURIComponent(value)],
    ['of a form', encodeURIComponent(value).replaceAll('%20', '+')],
    ['JSON-escaped', JSON.stringify(value).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1)],
    ['base64', base64(value)],
    ['base64url', Buffer.from(value).toString('base64url')],
    ['base64 behind a name', base64(`u:${value}`)],
    ['base64 in the middle', base64(`ab${value}yz`)],
  ])('%s', (_, form) => {
    const shown = redacted(`x ${form} y`);
    expect(shown).toContain('[redacted]');
    expect(Buffer.from(shown.slice(2, -2), 'base64').toString()).not.toContain('pass');
    expect(shown).not.toContain('phrase');
    expect(shown.startsWith('x ')).toBe(true);
  });

  it('leaves words', () => {
    expect(redacted('short is true, 1234567')).toBe('short is true, 1234567');
  });
});
