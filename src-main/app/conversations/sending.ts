import type { PictureType, Unsent } from '#contract/window/conversation/conversation.js';
import type { PersonPart } from '../../domain/conversation/message.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { type FindsSecrets, ToolFailure } from '../../domain/tool/tool.js';
import { readAttached } from './attached-files.js';

/** A message as it goes on record, with its files as they are read now; or why it can't be sent, in words. */
export async function partsOf(
  { text, files, pictures }: Unsent,
  situation: PlanningSituation,
  findsSecrets: FindsSecrets,
): Promise<readonly PersonPart[] | string> {
  const said: readonly PersonPart[] = text.trim() === '' ? [] : [{ kind: 'text', text }];
  const shown = pictures.map((picture): PersonPart => ({ kind: 'picture', ...picture }));
  const damaged = pictures.findIndex(({ mediaType, base64 }) => !isPicture(mediaType, base64));
  if (damaged !== -1) return `Picture ${damaged + 1} can’t be read. Paste it again.`;
  try {
    const attached = await readAttached(files, situation, findsSecrets);
    const parts = [...attached, ...shown, ...said];
    return parts.length === 0 ? 'Write a message first.' : parts;
  } catch (error) {
    if (error instanceof ToolFailure) return error.failure.message;
    throw error;
  }
}

/** How a file of each kind begins. */
const BEGINNINGS: Readonly<Record<PictureType, RegExp>> = {
  'image/png': /^\x89PNG\r\n/u,
  'image/jpeg': /^\xff\xd8\xff/u,
  'image/gif': /^GIF8[79]a/u,
  'image/webp': /^RIFF.{4}WEBP/su,
};

const isPicture = (mediaType: PictureType, base64: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/u.test(base64) &&
  base64.length % 4 === 0 &&
  BEGINNINGS[mediaType].test(Buffer.from(base64.slice(0, 64), 'base64').toString('latin1'));

/** `/tool <callId> <result>`: a result that is waited for, typed where messages are; null where it is none. */
export function typedResult(text: string): { readonly callId: string; readonly result: string } | null {
  const typed = /^\/tool\s+(?<callId>\S+)(?:\s(?<result>[\s\S]*))?$/u.exec(text.trimStart());
  const { callId, result = '' } = typed?.groups ?? {};
  return callId === undefined ? null : { callId, result };
}
