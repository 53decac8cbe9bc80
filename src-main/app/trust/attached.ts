import { isAbsolute } from 'node:path';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { makeAsker } from '../../domain/call/asker.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { PersonPart } from '../../domain/conversation/message.js';
import { describeAttachment, findReceiver } from '../../domain/policy/given-texts.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { GitIgnored } from '../../domain/ports/given-text-log.js';
import { type ForeignTextParts, holdsForeignText } from '../../gate/executor/given/given-text.js';

interface AttachedDeps extends ForeignTextParts {
  readonly git: GitIgnored;
  readonly redactor: Pick<Redactor, 'textLater'>;
}

/** A file that the person attached is no text of theirs: what of a message its conversation's model is given besides their words. */
export async function givenByAttaching(
  { id, workspace }: { readonly id: string; readonly workspace: string },
  message: readonly PersonPart[],
  { git, redactor, ...parts }: AttachedDeps,
): Promise<readonly JournalEvent[]> {
  const to = findReceiver(makeAsker('conversation', id)) ?? '';
  const files = message.flatMap((part) => (part.kind === 'file' ? [part] : []));
  const resources = message.flatMap((part) => (part.kind === 'resource' ? [part] : []));
  const ofResources = resources.map((resource) => {
    const { name, isPrivate: isOpened } = describeAttachment(resource);
    return givenByReading({ id, workspace }, { name, isOpened, text: resource.text }, redactor);
  });
  const pictures = message.filter(({ kind }) => kind === 'picture').length;
  const ofPictures: readonly JournalEvent[] =
    pictures === 0
      ? []
      : [
          {
            type: 'text-given',
            to,
            workspace,
            byCall: null,
            // What stands in one nobody has looked through.
            text: { ...describeAttachment({ kind: 'picture' }), session: id },
          },
        ];
  const ofFiles = files.map(async ({ path, text }): Promise<JournalEvent> => {
    const isInside = !isAbsolute(path);
    const ofFolder =
      isInside &&
      !(await holdsForeignText(workspace, path, parts)) &&
      !(await git.isInOtherRepository(workspace, path)) &&
      !(await git.isIgnored(workspace, path));
    const isPrivate = !isInside || (await redactor.textLater(text)).count > 0;
    const name = toVisibleLine(path, 120);
    return {
      type: 'text-given',
      to,
      workspace,
      byCall: null,
      text: { name, origin: 'file', ofFolder, isPrivate, session: id },
    };
  });
  return [...(await Promise.all([...ofFiles, ...ofResources])), ...ofPictures];
}

/**
 * The event for a text that a source wrote: a resource of it, or a prompt. A text that a key or a sign-in opened is
 * private.
 */
export async function givenByReading(
  { id, workspace }: { readonly id: string; readonly workspace: string },
  { name, isOpened, text }: { readonly name: string; readonly isOpened: boolean; readonly text: string },
  redactor: AttachedDeps['redactor'],
): Promise<JournalEvent> {
  const isPrivate = isOpened || (await redactor.textLater(text)).count > 0;
  return {
    type: 'text-given',
    to: findReceiver(makeAsker('conversation', id)) ?? '',
    workspace,
    byCall: null,
    text: { name, origin: 'upstream', ofFolder: false, isPrivate, session: id },
  };
}
