import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { toSourceAnswer } from './source-answer.js';

const DIFFERENT = 'Its text and its structured result say different things; people see the text.';
const embedded = (text: string): CallToolResult['content'][number] => ({
  type: 'resource',
  resource: { uri: 'x://y', text },
});
const warned = async (content: CallToolResult['content'], structuredContent?: Record<string, unknown>) => {
  const result = { content, ...(structuredContent === undefined ? {} : { structuredContent }) };
  const { warnings } = await toSourceAnswer(result, { keep: async () => null }, { source: 's', confinement: null });
  return warnings;
};

it('an answer says where what people see is not what a model is given beside it, whatever kind of text it is', async () => {
  const structured = { to: 'a', list: [1, { b: null }] };
  const same = JSON.stringify({ list: structured.list, to: 'a' });
  const link: CallToolResult['content'][number] = { type: 'resource_link', uri: 'x://y', name: 'All is well' };
  for (const content of [[{ type: 'text', text: 'All is well.' }], [embedded('All is well.')], [link]] as const)
    expect(await warned([...content], structured)).toEqual([DIFFERENT]);
  for (const content of [[{ type: 'text', text: same }], [embedded(same)], [link, embedded(same)], []] as const)
    expect(await warned([...content], structured)).toEqual([]);
  expect(await warned([embedded('All is well.')])).toEqual([]);
});
