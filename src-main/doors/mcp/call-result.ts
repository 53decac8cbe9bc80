import type { CallToolResult } from '@modelcontextprotocol/server';
import type { SettledCall } from '../../domain/ports/gate/gate.js';
import { withText } from './structured-text.js';

/** The one table from an outcome to MCP's words. The text blocks, joined, are exactly what the caller gets. */
export function callResult({ summary, failure, result, recorded }: SettledCall): CallToolResult {
  const texts = [result.content];
  if (failure !== null && !result.content.includes(failure.message)) texts.unshift(`${failure.message}\n`);
  return {
    content: texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
    ...(result.structured === null ? {} : { structuredContent: withText(result.structured, texts.join('')) }),
    ...(failure === null ? {} : { isError: true }),
    _meta: {
      'gatehouse/callId': summary.callId,
      ...(failure === null ? {} : { 'gatehouse/code': failure.code }),
      ...(recorded ? {} : { 'gatehouse/recorded': false }),
      ...(result.outputBytesLeftOut > 0
        ? { 'gatehouse/outputBytes': result.outputBytes, 'gatehouse/outputBytesLeftOut': result.outputBytesLeftOut }
        : {}),
    },
  };
}
