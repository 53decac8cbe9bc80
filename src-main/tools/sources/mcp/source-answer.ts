import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { StoredOutput } from '../../../domain/call/outputs.js';
import type { SourceAnswer, SourceInvocation } from '../../../domain/ports/sources/source.js';
import { serverErrorFailure } from './failures.js';

type Content = CallToolResult['content'][number];

/**
 * Turns a tool’s result into an answer, in the order in which its parts came. Throws where the tool says that it
 * failed.
 */
export async function toSourceAnswer(
  result: CallToolResult,
  { keep }: Pick<SourceInvocation, 'keep'>,
  from: { readonly source: string; readonly confinement: SourceAnswer['confinement'] },
): Promise<SourceAnswer> {
  const stored: StoredOutput[] = [];
  const keepNumbered = async (base64: string, mediaType: string): Promise<KeptContent> => {
    const bytes = Buffer.from(base64, 'base64');
    const output = await keep(bytes, mediaType);
    if (output === null) return { bytes: bytes.length, number: null };
    stored.push(output);
    return { bytes: bytes.length, number: stored.length };
  };
  const parts: string[] = [];
  for (const each of result.content) parts.push(await renderContent(each, keepNumbered));
  if (result.isError === true) throw serverErrorFailure(from.source, parts.join('\n'));
  const structured = (result.structuredContent ?? null) as Json;
  const isBeside = structured === null || parts.length === 0 || parts.some((part) => saysSame(part, structured));
  return {
    content: parts.length === 0 && structured !== null ? JSON.stringify(structured) : parts.join('\n'),
    structured,
    storedOutputs: stored,
    confinement: from.confinement,
    warnings: isBeside ? [] : ['Its text and its structured result say different things; people see the text.'],
  };
}

/** Said in the place of its number. */
export const NOT_KEPT_WORDS = 'not kept, since there is no key store to seal it with';

interface KeptContent {
  readonly bytes: number;
  /** Null where it was not kept. */
  readonly number: number | null;
}

async function renderContent(
  content: Content,
  keep: (base64: string, mediaType: string) => Promise<KeptContent>,
): Promise<string> {
  const line = async (what: string, data: string, mediaType: string): Promise<string> => {
    const { bytes, number } = await keep(data, mediaType);
    return `[${what} ${mediaType}, ${bytes} bytes: ${number === null ? NOT_KEPT_WORDS : `stored output ${number}`}]`;
  };
  switch (content.type) {
    case 'text':
      return content.text;
    case 'image':
    case 'audio':
      return line(content.type, content.data, toMediaType(content.mimeType));
    case 'resource': {
      const { resource } = content;
      if ('text' in resource) return resource.text;
      return line('resource', resource.blob, toMediaType(resource.mimeType));
    }
    case 'resource_link':
      return `[link to ${content.uri}: ${content.name}]`;
  }
}

/** A word of the server’s own that stands in a line of ours. */
export const toMediaType = (said: string | undefined): string =>
  said !== undefined && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/u.test(said) ? said : 'application/octet-stream';

function saysSame(text: string, structured: Json): boolean {
  try {
    return isSameJson(JSON.parse(text) as Json, structured);
  } catch {
    return false;
  }
}

function isSameJson(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((each, at) => isSameJson(each, other[at] ?? null))
    );
  const [a, b] = [one as JsonObject, other as JsonObject];
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name] ?? null, b[name] ?? null))
  );
}
