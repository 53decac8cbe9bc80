import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SettledCall } from '../../domain/ports/gate/gate.js';
import { eCodeOf } from '../e-codes.js';
import { withText } from '../structured-text.js';

/** The one table from an outcome to MCP's words. The text blocks, joined, are exactly what the caller gets. */
export function callResult(settled: SettledCall): CallToolResult {
  const { summary, failure, result, recorded } = settled;
  const { warnings } = result.aftermath;
  const eCode = failure === null ? null : eCodeOf(failure);
  const texts = [result.content];
  if (failure !== null && !result.content.includes(failure.message)) texts.unshift(`${failure.message}\n`);
  return {
    content: [
      ...texts.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text })),
      ...whatWasEdited(settled),
    ],
    ...(result.structured === null
      ? {}
      : { structuredContent: structuredOf(settled, result.structured, texts.join('')) }),
    ...(failure === null ? {} : { isError: true }),
    _meta: {
      'gatehouse/callId': summary.callId,
      ...(failure === null ? {} : { 'gatehouse/code': failure.code }),
      ...(eCode === null ? {} : { 'gatehouse/e_code': eCode }),
      ...(warnings.length === 0 ? {} : { 'gatehouse/warning': warnings.join('; ') }),
      ...(recorded ? {} : { 'gatehouse/recorded': false }),
      ...(result.outputBytesLeftOut > 0
        ? { 'gatehouse/outputBytes': result.outputBytes, 'gatehouse/outputBytesLeftOut': result.outputBytesLeftOut }
        : {}),
    },
  };
}

/** The structured content. A tool that runs elsewhere has a schema of its own, which nothing is added to. */
const structuredOf = ({ summary }: SettledCall, structured: JsonObject, text: string): JsonObject =>
  summary.nature === 'remote' ? structured : withText(structured, text);

/**
 * Tells that the person changed the arguments. It is a block beside the text, which is exactly the output: clients show
 * their model both. Nothing is said of a call that did not run.
 */
function whatWasEdited({ summary, edited }: SettledCall): CallToolResult['content'] {
  if (edited.length === 0 || summary.outcome === 'denied' || summary.outcome === 'cancelled') return [];
  const text = `The user edited this call before it ran (${edited.join(', ')}). What ran: ${summary.summary}`;
  return [
    { type: 'resource', resource: { uri: `gatehouse://calls/${summary.callId}/edited`, mimeType: 'text/plain', text } },
  ];
}
