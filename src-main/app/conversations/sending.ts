import type { UnsentMessage } from '#contract/window/conversation/conversation.js';
import type { PersonPart } from '../../domain/conversation/message.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { type FindsSecrets, ToolFailure } from '../../domain/tool/tool.js';
import { readAttached } from './attached-files.js';
import { isPicture } from './pictures.js';
import { readResources, type ResourcesFrom } from './attached-resources.js';

/** A message as it goes on record, with its files as they are read now; or why it can't be sent, in words. */
export async function partsOf(
  { text, files, pictures, resources = [] }: UnsentMessage,
  situation: PlanningSituation,
  { findsSecrets, ...from }: ResourcesFrom & { readonly findsSecrets: FindsSecrets },
): Promise<readonly PersonPart[] | string> {
  const said: readonly PersonPart[] = text.trim() === '' ? [] : [{ kind: 'text', text }];
  const shown = pictures.map((picture): PersonPart => ({ kind: 'picture', ...picture }));
  const damaged = pictures.findIndex(({ mediaType, base64 }) => !isPicture(mediaType, base64));
  if (damaged !== -1) return `Picture ${damaged + 1} can’t be read. Paste it again.`;
  try {
    const attached = await readAttached(files, situation, findsSecrets);
    const read = await readResources(resources, situation, from);
    const parts = [...attached, ...read, ...shown, ...said];
    return parts.length === 0 ? 'Write a message first.' : parts;
  } catch (error) {
    if (error instanceof ToolFailure) return error.failure.message;
    throw error;
  }
}

/** `/tool <callId> <result>`: a result that is waited for, typed where messages are; null where it is none. */
export function typedResult(text: string): { readonly callId: string; readonly result: string } | null {
  const typed = /^\/tool\s+(?<callId>\S+)(?:\s(?<result>[\s\S]*))?$/u.exec(text.trimStart());
  const { callId, result = '' } = typed?.groups ?? {};
  return callId === undefined ? null : { callId, result };
}
