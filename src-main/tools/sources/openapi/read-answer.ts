import type { Json } from '#contract/vocabulary/json.js';
import { statusFailure } from '../../../domain/outside/request-failures.js';
import type { OutsideAnswer } from '../../../domain/ports/outside.js';
import type { SourceAnswer, SourceInvocation } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';

const MAX_ANSWER_BYTES = 8 * 2 ** 20;
const MAX_FAILURE_BYTES = 64 * 1024;
const TEXT_TYPE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:xml|yaml|javascript|graphql|x-www-form-urlencoded|x-ndjson|jsonl)\b)/iu;
const JSON_TYPE = /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/iu;

/** Turns a response into the call's answer. A status of 400 or more is a failure. */
export async function readOpenApiAnswer(
  what: string,
  answer: OutsideAnswer,
  keep: SourceInvocation['keep'],
): Promise<SourceAnswer> {
  const { status } = answer;
  if (status >= 400) {
    const said = await answer.text(MAX_FAILURE_BYTES).catch(() => 'more than 64 KB, which is not shown');
    throw new ToolFailure(statusFailure(what, status, said));
  }
  const bytes = await answer.bytes(MAX_ANSWER_BYTES);
  if (bytes.length === 0 || status === 204) return toAnswer(null);
  const type = answer.header('content-type') ?? '';
  if (type !== '' && !JSON_TYPE.test(type) && !TEXT_TYPE.test(type)) return keepBinary(bytes, type, keep);
  const text = decodeText(bytes, type);
  const isJson = type === '' || JSON_TYPE.test(type);
  const json = isJson ? parseJson(text) : undefined;
  // As it came: numbers that no computer holds stay what they are in the text.
  return json === undefined ? toAnswer({ text }) : toAnswer(json, text);
}

const toAnswer = (structured: Json, content = JSON.stringify(structured)): SourceAnswer => ({
  content,
  structured,
  storedOutputs: [],
  confinement: null,
  warnings: [],
});

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function decodeText(bytes: Uint8Array, type: string): string {
  const charset = /;\s*charset="?([\w:.-]+)/iu.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Keeps an answer that is no text beside the call, and tells of it in one line. */
async function keepBinary(bytes: Uint8Array, type: string, keep: SourceInvocation['keep']): Promise<SourceAnswer> {
  const mediaType = (/^[\w.+-]+\/[\w.+-]+/u.exec(type)?.[0] ?? 'application/octet-stream').toLowerCase();
  const kind = /^(?:image|audio)(?=\/)/u.exec(mediaType)?.[0] ?? 'file';
  const stored = await keep(bytes, mediaType);
  const where = stored === null ? 'not kept, since there is no key store to seal it with' : 'stored output 1';
  const text = `[${kind} ${mediaType}, ${bytes.length} bytes: ${where}]`;
  return { ...toAnswer({ text }), storedOutputs: stored === null ? [] : [stored] };
}
