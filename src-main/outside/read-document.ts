import { type Outside, OutsideProblem } from '../domain/ports/outside.js';

const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/** A document of somebody's, as JSON, without a key. Rejects where it is none. */
export async function readDocument(
  outside: Outside,
  url: string,
  accept: string,
  signal: AbortSignal,
): Promise<unknown> {
  const within = `${new URL(url).origin}/`;
  const answer = await outside.send({ method: 'GET', url, within, headers: { accept }, body: null, keys: [] }, signal);
  const text = await answer.text(MAX_DOCUMENT_BYTES);
  if (answer.status !== 200) throw new OutsideProblem('not-understood', `${url} was answered with ${answer.status}.`);
  return JSON.parse(text) as unknown;
}
