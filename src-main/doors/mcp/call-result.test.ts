import { NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import { expect, it } from 'vitest';
import type { SettledCall } from '../../domain/ports/gate/gate.js';
import { callResult } from './call-result.js';

/** A settled call of a source. */
const settled = (more: object): SettledCall =>
  ({
    summary: { callId: 'c1', nature: 'remote', outcome: 'success' },
    failure: null,
    recorded: true,
    edited: [],
    ...more,
    result: {
      content: 'text',
      structured: { n: 1 },
      outputBytes: 4,
      outputBytesLeftOut: 0,
      aftermath: NO_AFTERMATH,
      ...('result' in more ? (more.result as object) : {}),
    },
  }) as unknown as SettledCall;

it('a result names the code that others give its end, and joins the warnings for its caller', () => {
  const failure = { code: 'SourceUnavailable', message: 'It ended.', eCode: 'E3306' };
  const { _meta: badly } = callResult(settled({ failure }));
  expect(badly).toEqual({
    'gatehouse/callId': 'c1',
    'gatehouse/code': 'SourceUnavailable',
    'gatehouse/e_code': 'E3306',
  });
  const nothing = { code: 'UnknownTool', message: 'There is none.' };
  const { _meta: unknown } = callResult(settled({ failure: nothing }));
  expect(unknown).toMatchObject({ 'gatehouse/code': 'UnknownTool', 'gatehouse/e_code': 'E3001' });
  const { _meta: warned } = callResult(
    settled({ result: { aftermath: { ...NO_AFTERMATH, warnings: ['one', 'two'] } } }),
  );
  expect(warned).toEqual({ 'gatehouse/callId': 'c1', 'gatehouse/warning': 'one; two' });
});

it('structured content of a source is given as it came, with nothing added', () => {
  expect(callResult(settled({})).structuredContent).toEqual({ n: 1 });
  const ours = settled({ summary: { callId: 'c1', nature: 'reads', outcome: 'success' } });
  expect(callResult(ours).structuredContent).toEqual({ n: 1, text: 'text' });
});
