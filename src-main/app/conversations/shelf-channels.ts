import {
  hasInvisible,
  toVisibleLine,
  splitVisibleText,
  toVisibleText,
} from '#contract/vocabulary/text/visible-text.js';
import type { PromptText } from '#contract/window/conversation/conversation.js';
import type { PromptMessage } from '../../domain/ports/sources/resources.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { Journal } from '../../domain/ports/journal.js';
import type { ResourceBrowser } from '../../tools/sources/catalog/resource-browser.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Models } from './models.js';
import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Shell } from '../shell.js';
import { givenByReading } from '../trust/attached.js';
import { isPicture, pictureType } from './pictures.js';

interface ShelfParts {
  readonly record: Pick<ConversationRecord, 'get'>;
  readonly gate: Pick<ComposedGate, 'situation'>;
  readonly journal: Pick<Journal, 'append'>;
  readonly shelves: Pick<ResourceBrowser, 'find' | 'prompt'>;
  readonly models: Pick<Models, 'takesPictures'>;
}

/** Longer than anybody reads before sending it. */
const MAX_PROMPT = 200_000;
const MAX_PICTURES_BYTES = 7_000_000;

/**
 * The channels for resources and prompts that sources offer to a conversation: the person chooses them, sees them, and
 * sends them.
 */
export function shelfChannels(
  { redactor }: Pick<Shell, 'redactor'>,
  { record, gate, journal, shelves, models }: ShelfParts,
) {
  return {
    'conversations.findOnShelves': async ({ workspace, query }) => {
      const { config, isOpen } = gate.situation(workspace);
      if (!isOpen) return refuse('refused', 'The folder of this conversation isn’t open. Open it first.');
      return done(await shelves.find(query, { folder: workspace, config }));
    },
    'conversations.usePrompt': async ({ id, source, name, args }) => {
      const found = record.get(id);
      if (found === null) return refuse('not-found', 'There is no such conversation. It may have been deleted.');
      const { config, workspace, isOpen } = gate.situation(found.workspace);
      if (!isOpen) return refuse('refused', 'The folder of this conversation isn’t open. Open it first.');
      const { messages, isOpened } = await shelves.prompt(source, name, args, { folder: workspace, config });
      const written = writtenOut(messages, models.takesPictures(found.model) !== false);
      if (written.text.length > MAX_PROMPT)
        return refuse('refused', `This prompt of “${source}” is longer than 200,000 characters, so it isn’t taken.`);
      // Before the page has it: whatever becomes of it there, what the source wrote may be sent.
      const about = `the prompt ${toVisibleLine(name, 80)} of ${source}`;
      journal.append([await givenByReading(found, { name: about, isOpened, text: written.text }, redactor)]);
      return done(written);
    },
  } satisfies Partial<Handlers>;
}

/** Writes a prompt out as one message of the person's, with nothing in it that they can't see. */
export function writtenOut(messages: readonly PromptMessage[], takesPictures: boolean): PromptText {
  const texts: string[] = [];
  const pictures: PromptText['pictures'][number][] = [];
  const left: string[] = [];
  let hidden = 0;
  for (const { role, content } of messages) {
    if (content.kind === 'text') {
      if (hasInvisible(content.text)) hidden += splitVisibleText(content.text).filter(({ escape }) => escape).length;
      const text = toVisibleText(content.text).trim();
      // A message of ours has one voice: what it lets the other say is told as such.
      if (text !== '') texts.push(role === 'user' ? text : `The assistant said:\n${text}`);
      continue;
    }
    const { mediaType, base64 } = content;
    const type = pictureType(mediaType);
    const size = pictures.reduce((sum, each) => sum + each.base64.length, base64.length);
    if (type !== null && takesPictures && isPicture(type, base64) && size <= MAX_PICTURES_BYTES)
      pictures.push({ mediaType: type, base64 });
    else left.push(`A part of it (${mediaType}) can’t stand in a message, and was left out.`);
  }
  return { text: texts.join('\n\n'), pictures, hidden, left: [...new Set(left)] };
}
