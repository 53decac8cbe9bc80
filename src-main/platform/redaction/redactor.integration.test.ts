import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '#contract/vocabulary/json.js';
import { AppRedactor } from './redactor.js';

const entry = new URL('./redaction-thread.test-support.ts', import.meta.url);
const faults: unknown[] = [];
const redactor = (): AppRedactor => new AppRedactor({ entry, onFault: (error) => void faults.push(error) });
const filler = 'Nothing to see here.\n'.repeat(4000);
const glue = (...parts: string[]): string => parts.join('');

test('What is long is looked at on a thread, with the same means, and comes to the same', async () => {
  const own = redactor();
  const value = randomBytes(18).toString('hex');
  own.know([value]);
  const secrets = [
    'password=hunter2',
    value,
    glue('ops_', 'ey', 'J0'.repeat(60), 'fQ=='),
    glue('tskey', '-auth-', 'kABCDEF1CNTRL', '-', 'a1B2c3D4'.repeat(3)),
  ];
  const long = `${filler}${secrets.join('\n')}\n${filler}`;
  const { value: text, count } = await own.textLater(long);
  expect(count).toBe(secrets.length);
  for (const secret of secrets.slice(1)) expect(text).not.toContain(secret);
  expect(text).toBe(`${filler}password=[redacted]\n[redacted]\n[redacted]\n[redacted]\n${filler}`);
  expect(own.text(secrets.join('\n')).count).toBe(secrets.length);
  const json: Json = { filler, env: { MY_TOKEN: 'x', other: [secrets[3] ?? ''] }, args: ['--password', 'hunter2'] };
  const redacted = await own.jsonLater(json);
  expect(redacted).toEqual({
    value: { filler, env: { MY_TOKEN: '[redacted]', other: ['[redacted]'] }, args: ['--password', '[redacted]'] },
    count: 3,
  });
  expect(own.json(json)).toEqual(redacted);
  expect(faults).toEqual([]);
});

test('A secret that the preset alone knows is found', () => {
  const text = glue('vc', 'p_', 'a1B2c3D4e5'.repeat(3));
  expect(redactor().text(`it is ${text}!`)).toEqual({ value: 'it is [redacted]!', count: 1 });
});

test('Comments in a text that would switch the preset’s rules off do nothing', () => {
  const token = glue('vc', 'p_', 'a1B2c3D4e5'.repeat(3));
  const { value } = redactor().text(`/* secretlint-disable */\n${token}\n`);
  expect(value).not.toContain(token);
});

test('A thread that dies costs the text, not its secrets, and the next one is there', async () => {
  let broken = new AppRedactor({
    entry: new URL('data:text/javascript,process.exit(1)'),
    onFault: (error) => void faults.push(error),
  });
  onTestFinished(() => void faults.splice(0));
  expect(await broken.textLater(`${filler}password=hunter2`)).toEqual({ value: '[redacted]', count: 1 });
  const json = await broken.jsonLater({ filler, deep: ['x', 1] });
  expect(json.value).toEqual({ filler: '[redacted]', deep: ['[redacted]', 1] });
  expect(faults.length).toBe(2);
  broken = redactor();
  expect((await broken.textLater(`${filler}password=hunter2`)).value).toBe(`${filler}password=[redacted]`);
});

test('Secrets in files are found, in text and in binary data', async () => {
  const own = redactor();
  expect(await own.finds(Buffer.from('a=1\n'))).toBe(false);
  expect(await own.finds(Buffer.from('DB_PASSWORD=hunter2\n'))).toBe(true);
  expect(await own.finds(Buffer.from('\0\x01DB_PASSWORD=hunter2\0\xff', 'latin1'))).toBe(true);
  expect(await own.finds(Buffer.from('DB_PASSWORD=hunter2\n', 'utf16le'))).toBe(true);
});

test('A text that was clean is looked at again when more is known to be secret', () => {
  const own = redactor();
  expect(own.text('Read horse-battery')).toEqual({ value: 'Read horse-battery', count: 0 });
  own.know(['horse-battery']);
  expect(own.text('Read horse-battery')).toEqual({ value: 'Read [redacted]', count: 1 });
  expect(own.text('Read horse-battery')).toEqual({ value: 'Read [redacted]', count: 1 });
});
