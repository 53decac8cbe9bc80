import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { AnswerRedactor } from './redact-messages.js';
import type { StoredBlock } from './message.js';

const redactor = openTestRedactor();
const withoutSecrets = (blocks: readonly StoredBlock[]) => new AnswerRedactor(redactor).redact(blocks);

it('leaves what a provider wants back as it is: it is no secret, whatever it looks like', () => {
  for (let tried = 0; tried < 200; tried += 1) {
    const opaque = randomBytes(400 + tried * 7).toString('base64');
    for (const kept of [
      { provider: 'anthropic', signature: opaque },
      { provider: 'anthropic', redactedData: opaque },
      { provider: 'google', thoughtSignature: opaque },
    ]) {
      const [reasoning, call] = withoutSecrets([
        { kind: 'reasoning', text: 'I look at it.', kept },
        { kind: 'call', id: 'c', name: 'read_file', arguments: { path: 'a' }, kept },
      ]);
      expect([reasoning, call]).toMatchObject([{ kept }, { kept }]);
    }
  }
});

it('cuts nothing of a long answer, and finds what stands at its end', () => {
  const long = `${'A line of prose. '.repeat(10_000)}\n`;
  const key = ['ghp', 'a1B2'.repeat(9)].join('_');
  const signed = { provider: 'anthropic', signature: 'c2lnbmVk' };
  const kept = withoutSecrets([
    { kind: 'text', text: long },
    { kind: 'reasoning', text: long, kept: signed },
    { kind: 'text', text: `${long}${key}` },
  ]);
  expect(kept.slice(0, 2)).toEqual([
    { kind: 'text', text: long },
    { kind: 'reasoning', text: long, kept: signed },
  ]);
  expect(JSON.stringify(kept[2])).not.toContain(key);
  expect(JSON.stringify(kept[2])).toContain('[redacted]');
});

it('what was prepared is not looked through again, whatever its length; what was not is', async () => {
  const key = ['ghp', 'a1B2'.repeat(9)].join('_');
  const long = `${'A line of prose. '.repeat(10_000)}\n${key}`;
  const blocks: readonly StoredBlock[] = [
    { kind: 'text', text: long },
    { kind: 'reasoning', text: 'hm', kept: { provider: 'anthropic', signature: long } },
    { kind: 'call', id: 'c', name: 'write_file', arguments: { path: 'a', content: long }, kept: null },
    { kind: 'call', id: 'd', name: 'write_file', arguments: { bad: '\ud800', content: long }, kept: null },
  ];
  const answers = new AnswerRedactor(redactor);
  const atOnce = answers.redact(blocks);
  await answers.prepare(blocks);
  const looked = vi.spyOn(redactor, 'json');
  const later = answers.redact(blocks.map((block) => (block.kind === 'call' ? { ...block, callId: 'g' } : block)));
  expect(looked).not.toHaveBeenCalled();
  expect(later).toEqual(atOnce.map((block) => (block.kind === 'call' ? { ...block, callId: 'g' } : block)));
  expect(JSON.stringify(later)).not.toContain(key);
  expect(later).toMatchObject([{}, { kept: null }, { arguments: { path: 'a' } }, { arguments: {} }]);
  answers.redact([{ kind: 'text', text: long }]);
  expect(looked).toHaveBeenCalledOnce();
});
