import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/vocabulary/json.js';
import { sampledTimes } from '../../../tests/sampled.test-support.js';
import { redactJson, redactText } from '../redact.js';
import { RedactingStream } from '../redacting-stream.js';
import { findSecrets, STRUCTURE_ONLY } from './find.js';

/** Long and odd enough to be told from what stands around it. */
const part = fc.stringMatching(/^[A-Za-z]{3,6}[0-9]{2,4}[A-Za-z]{1,4}$/u).filter((each) => !/^(?:abc)/iu.test(each));
const QUOTED = [
  (each: string) => each,
  (each: string) => `'${each}'`,
  (each: string) => `"${each}"`,
  (each: string) => `$'${each}'`,
  (each: string) => `''${each}`,
  (each: string) => `""${each}`,
  (each: string) => `"${each} with blanks"`,
  (each: string) => `'${each}; and | signs'`,
  (each: string) => `\\\n${each}`,
] as const;
const WORD = fc
  .array(fc.tuple(part, fc.constantFrom(...QUOTED)), { minLength: 1, maxLength: 4 })
  .map((parts) => ({ parts: parts.map(([each]) => each), word: parts.map(([each, how]) => how(each)).join('') }));
const BEFORE = [
  'run --password=',
  'run --password ',
  'run --password \\\n  ',
  'DB_PASSWORD=',
  'export DB_PASSWORD=',
  'curl -u alice:',
  'curl --user \\\n  alice:',
  'mysql -p',
  'sshpass -p ',
  'curl -su alice:',
  'setx API_KEY ',
  'setenv API_KEY ',
  'set -gx API_KEY ',
  'aws configure set aws_secret_access_key ',
  'npm config set //host/:_authToken ',
  'twine upload -p ',
  'API_KEY+=',
];

describe('a secret', () => {
  it('is taken out to the end of its word, however that is put together, and nothing behind it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BEFORE), WORD, (before, { parts, word }) => {
        const { value } = redactText(`first\n${before}${word} next --other=kept\nlast\n`);
        for (const each of parts) expect(value, `${before}${word}`).not.toContain(each);
        expect(value).toContain('next --other=kept\nlast\n');
      }),
      { numRuns: 1500 },
    );
  });

  it('is taken out of a command that stands in JSON, which stays JSON', () => {
    fc.assert(
      fc.property(fc.constantFrom('run --password=', 'DB_PASSWORD='), WORD, (before, { parts, word }) => {
        const json = { command: `${before}${word} next`, after: 'kept' };
        const { value } = redactJson(json);
        for (const each of parts) expect(value.command).not.toContain(each);
        expect(value.after).toBe('kept');
        const text = redactText(JSON.stringify(json)).value;
        expect(JSON.parse(text)).toMatchObject({ after: 'kept' });
      }),
      { numRuns: 500 },
    );
  });
});

describe('structured text', () => {
  const leaf: fc.Arbitrary<Json> = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.integer({ min: 10_000_000, max: 2 ** 31 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('password:', 'Enter the token: ', 'pin=', 'set secret ', '--password', 'a\npassword: x7y8z9\n'),
    fc.constantFrom('/home/me/project', 'hunter2-x', 'it’s', 'a "quoted" word', "''", '"""', "it's", '\\', '${A:-b7c}'),
  );
  const name = fc.constantFrom(
    'password',
    'token',
    'PWD',
    'OLDPWD',
    'api_key',
    'name',
    'value',
    'pin',
    'auth',
    'x',
    'secrets',
  );
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  const shape = (json: Json): unknown => {
    if (Array.isArray(json)) return json.map((each: Json) => shape(each));
    if (json === null || typeof json !== 'object') return null;
    return Object.fromEntries(Object.entries(json).map(([each, value]) => [each, shape(value)]));
  };

  const printed = fc.record({ json: fc.dictionary(name, tree, { maxKeys: 6 }), blanks: fc.constantFrom(0, 2) });

  it('of JSON stays JSON of the same shape, with blanks and without', () => {
    fc.assert(
      fc.property(printed, ({ json, blanks }) => {
        const { value } = redactText(JSON.stringify(json, null, blanks));
        expect(shape(JSON.parse(value) as Json)).toEqual(shape(json));
      }),
      { numRuns: sampledTimes(100_000, 3000) },
    );
  });

  it('of JSON in a string of JSON stays so, too', () => {
    fc.assert(
      fc.property(printed, ({ json, blanks }) => {
        const { value } = redactText(JSON.stringify({ stdout: JSON.stringify(json, null, blanks), after: 1 }));
        const { stdout, after } = JSON.parse(value) as { stdout: string; after: number };
        expect(after).toBe(1);
        expect(shape(JSON.parse(stdout) as Json)).toEqual(shape(json));
      }),
      { numRuns: sampledTimes(100_000, 3000) },
    );
  });

  it.each([
    ['numbers', '{"password": 12345678, "pin":-1.5e7}', '{"password": "[redacted]", "pin":"[redacted]"}'],
    ['a list of numbers', '{"tokens": [12345678, 87654321]}', '{"tokens": ["[redacted]", "[redacted]"]}'],
    [
      'a long list of numbers',
      `{"tokens": [${'12345678, '.repeat(700)}87654321]}`,
      `{"tokens": [${'"[redacted]", '.repeat(700)}"[redacted]"]}`,
    ],
    [
      'a number behind what else is in its list',
      `{"tokens": [{"x\\\\": ${'[-1.5e7, null, true, '.repeat(60)}0${']'.repeat(60)}}, 12345678]}`,
      `{"tokens": [{"x\\\\": ${'["[redacted]", null, true, '.repeat(60)}0${']'.repeat(60)}}, "[redacted]"]}`,
    ],
    ['JSON in JSON', String.raw`{"a":"{\"password\":12345678}"}`, String.raw`{"a":"{\"password\":\"[redacted]\"}"}`],
    [
      'a list over lines of JSON in JSON',
      JSON.stringify({ a: JSON.stringify({ tokens: [12345678, [87654321]] }, null, 2) }),
      JSON.stringify({ a: JSON.stringify({ tokens: ['[redacted]', ['[redacted]']] }, null, 2) }),
    ],
    [
      'the words of a prompt',
      '{"prompt":"Enter password:","x":["token: "]}',
      '{"prompt":"Enter password:","x":["token: "]}',
    ],
    ['a folder', '{"PWD":"/home/me","password":"x7y8z9"}', '{"PWD":"/home/me","password":"[redacted]"}'],
  ])('%s: the mark stands within quotes', async (_, text, expected) => {
    expect(redactText(text).value).toBe(expected);
    const stream = new RedactingStream((each) => Promise.resolve(findSecrets(each, STRUCTURE_ONLY)));
    const released = [await stream.push(text), await stream.end()];
    expect(released.map((each) => each.text).join('')).toBe(expected);
    expect(redactJson(JSON.parse('{"PWD":"/home/me","OLDPWD":"/"}') as Json).count).toBe(0);
  });

  it('of words that are nothing but variables stays', () => {
    const text = 'PGPASSWORD="$A"/"${B}" psql';
    expect(redactText(text)).toEqual({ value: text, count: 0 });
  });
});
