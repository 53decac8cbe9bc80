import type { IncomingMessage } from 'node:http';
import { type OutsideAnswer, OutsideProblem, type OutsideRequest } from '../domain/ports/outside.js';
import { describeRequestError } from './request-errors.js';

const MAX_ANSWER_BYTES = 64 * 2 ** 20;
const NOT_MODIFIED = 304;

export function toOutsideAnswer(
  response: IncomingMessage,
  where: string,
  request: OutsideRequest,
  signal: AbortSignal,
): OutsideAnswer {
  const { statusCode: status = 0, headers } = response;
  const header = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' ? value : null;
  };
  if (status >= 300 && status < 400 && status !== NOT_MODIFIED) {
    const to = URL.parse(header('location') ?? '')?.host ?? 'elsewhere';
    throw new OutsideProblem(
      'redirect',
      `${where} sends on to ${to} (${status}). Redirects are not followed: enter the address that answers itself.`,
    );
  }
  const packed = header('content-encoding') ?? 'identity';
  if (packed !== 'identity')
    throw new OutsideProblem(
      'not-understood',
      `${where} answered in the form “${packed.slice(0, 40)}”, which was not asked for.`,
    );
  const body = readBounded(response, where, request, signal);
  const bytes = (maxBytes: number) => readWholeBody(body, maxBytes, where);
  return {
    status,
    headers: Object.entries(response.headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value) => [name, value] as const),
    ),
    header,
    body,
    bytes,
    text: async (maxBytes) => Buffer.from(await bytes(maxBytes)).toString(),
  };
}

/**
 * Yields the response within its limits. A reader that stops reading ends the response: that is how responses read in
 * pieces behave.
 */
async function* readBounded(
  response: IncomingMessage,
  where: string,
  { endless }: OutsideRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let taken = 0;
  try {
    for await (const part of response as AsyncIterable<Uint8Array>) {
      taken += part.length;
      if (endless !== true && taken > MAX_ANSWER_BYTES)
        throw new OutsideProblem('too-large', `${where} answered with more than 64 MB.`);
      yield part;
    }
  } catch (error) {
    throw describeRequestError(error, where, signal, 'broke-off');
  }
}

async function readWholeBody(body: AsyncIterable<Uint8Array>, maxBytes: number, where: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let taken = 0;
  for await (const part of body) {
    taken += part.length;
    if (taken > maxBytes) throw new OutsideProblem('too-large', `${where} answered with more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
