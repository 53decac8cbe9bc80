import { createHash } from 'node:crypto';
import { drawFrameLetters, frameResult } from '../../domain/conversation/framing.js';
import type { PersonPart } from '../../domain/conversation/message.js';
import type { UserPart } from '../../domain/ports/conversation/model.js';

/** A file that the person attached is data, as a result is. */
export function partsGiven(messageId: string, parts: readonly PersonPart[]): readonly UserPart[] {
  const given = parts.flatMap((part, index): readonly UserPart[] => {
    if (part.kind === 'picture') return [part];
    if (part.kind === 'text') return part.text.trim() === '' ? [] : [part];
    const letters = lettersOf(messageId, index);
    if (part.kind === 'file')
      return [{ kind: 'text', text: frameResult({ letters, tool: 'file', about: part.path, text: part.text }) }];
    const { source, uri, pictures } = part;
    const text = part.text === '' && pictures.length > 0 ? `(${pictures.length} pictures follow)` : part.text;
    return [
      { kind: 'text', text: frameResult({ letters, tool: 'resource', about: `${uri} of ${source}`, text }) },
      ...pictures.map((picture) => ({ kind: 'picture', ...picture }) as const),
    ];
  });
  return given.length > 0 ? given : [{ kind: 'text', text: '(empty message)' }];
}

/** The same each time. Whoever wrote the file could not know them: the message came later, and its id by chance. */
function lettersOf(messageId: string, index: number): string {
  let bytes: readonly number[] = [];
  let round = 0;
  return drawFrameLetters(() => {
    if (bytes.length === 0) {
      bytes = [...createHash('sha256').update(`${messageId} ${index} ${round}`).digest()];
      round += 1;
    }
    const [first = 0, ...rest] = bytes;
    bytes = rest;
    return first;
  });
}
