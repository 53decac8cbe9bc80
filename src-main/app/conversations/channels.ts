import { dialog } from 'electron';
import type { CONVERSATION_CHANNELS } from '#contract/window/conversation/conversation-channels.js';
import type { ConversationLoops } from '../../conversation/loop/conversation-loops.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { ForeignTextParts } from '../../gate/executor/given/given-text.js';
import { readFileContent } from '../../workspace/watching/file-content.js';
import { type Journal, JournalUnavailableError } from '../../domain/ports/journal.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { done, nothing, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import { gitIgnored } from '../../platform/git/git-ignored.js';
import type { ResourceBrowser } from '../../tools/sources/catalog/resource-browser.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Models } from './models.js';
import type { Record } from '../record.js';
import type { Shell } from '../shell.js';
import { givenByAttaching } from '../trust/attached.js';
import { findFiles } from './find-files.js';
import { partsOf, typedResult } from './sending.js';
import { shelfChannels } from './shelf-channels.js';

export interface ConversationsParts {
  readonly record: ConversationRecord;
  readonly reader: Record['reader'];
  readonly loops: ConversationLoops;
  readonly gate: Pick<ComposedGate, 'desk' | 'orchestrator' | 'situation'>;
  readonly models: Models;
  readonly journal: Pick<Journal, 'append'> & { readonly given: ForeignTextParts['texts'] };
  readonly shelves: Pick<ResourceBrowser, 'find' | 'read' | 'prompt'>;
}

type ConversationChannelName = keyof typeof CONVERSATION_CHANNELS;

/** The window's channels for conversations. */
export function conversationChannels(shell: Shell, parts: ConversationsParts) {
  const { record, reader, loops, models } = parts;
  return recorded({
    'conversations.list': async ({ workspace, query }) => done(await reader.conversations(workspace, query ?? '')),
    'conversations.begin': async ({ workspace }) =>
      parts.gate.situation(workspace).isOpen ? done(record.begin(workspace, false)) : notOpen,
    'conversations.rename': async ({ id, title }) => known(parts, id, () => record.rename(id, title)),
    'conversations.delete': async ({ id }) =>
      known(parts, id, () => {
        loops.of(id).stop();
        record.remove(id);
      }),
    'conversations.undoDelete': async ({ id }) => {
      record.undoRemove(id);
      return nothing;
    },
    'conversations.read': async ({ id, limit, before }) => {
      if (record.get(id) === null) return gone;
      loops.of(id);
      const page = await reader.messages(id, limit, before ?? null);
      // Of an answer in progress, all that came by now.
      const now = page.messages.map((each) => (each.state === 'streaming' ? (record.view(each.id) ?? each) : each));
      return done({ ...page, messages: now });
    },
    'conversations.chooseModel': async ({ id, model }) => known(parts, id, () => record.chooseModel(id, model)),
    'conversations.models': async () => done(await models.offered()),
    'conversations.setAsking': async ({ id, asking }) =>
      known(parts, id, () => {
        record.setAsking(id, asking);
        void parts.gate.desk.refresh();
      }),
    'conversations.keepDraft': async ({ id, text }) => known(parts, id, () => record.keepDraft(id, text)),
    'conversations.unfold': async ({ id, callId }) => known(parts, id, () => record.unfold(id, callId)),
    'conversations.showBranch': async ({ id, messageId }) => {
      if (!loops.of(id).isIdle) return busy;
      return known(parts, id, () => {
        record.showBranch(id, messageId);
        loops.refresh(id);
      });
    },
    ...workChannels(shell, parts),
    ...shelfChannels(shell, parts),
    'conversations.export': async ({ id, format }) => {
      const found = record.get(id);
      if (found === null) return gone;
      const { canceled, filePath } = await dialog.showSaveDialog(shell.window.native, {
        title: 'Export conversation',
        defaultPath: `${nameForFile(found.title)}.${format === 'markdown' ? 'md' : 'json'}`,
      });
      if (canceled || filePath === '') return done({ file: null });
      await reader.exportConversation(id, format, filePath);
      return done({ file: filePath });
    },
    'conversations.findFiles': async ({ workspace, query }) => {
      const { sandbox, isOpen } = parts.gate.situation(workspace);
      return isOpen ? done(await findFiles(sandbox, query)) : notOpen;
    },
  } satisfies Pick<Handlers, ConversationChannelName>);
}

/** The channels that make a conversation go on, or stop. */
function workChannels({ redactor }: Shell, { record, loops, gate, journal, shelves, models }: ConversationsParts) {
  const finds = (bytes: Uint8Array): Promise<boolean> => redactor.finds(bytes);
  return {
    'conversations.send': async ({ id, insteadOf = null, ...unsent }) => {
      const found = record.get(id);
      if (found === null) return gone;
      const typed = typedResult(unsent.text);
      if (typed !== null)
        return gate.orchestrator.submitResult(typed.callId, typed.result, false) ? nothing : noSuchCall;
      const situation = gate.situation(found.workspace);
      if (!situation.isOpen) return notOpen;
      const loop = loops.of(id);
      if (insteadOf !== null && (!loop.isIdle || record.message(insteadOf)?.conversationId !== id))
        return loop.isIdle ? gone : busy;
      if (loop.hasNext) return refuse('refused', 'A message waits to be sent already. Take it back to change it.');
      const parts = await partsOf(unsent, situation, {
        findsSecrets: finds,
        shelves,
        takesPictures: models.takesPictures(found.model) !== false,
      });
      if (typeof parts === 'string') return refuse('bad-request', parts);
      const given = await givenByAttaching(found, parts, {
        git: gitIgnored,
        texts: journal.given,
        contents: readFileContent,
        redactor,
      });
      // Another may have been sent while files were read.
      if (loop.hasNext || (insteadOf !== null && !loop.isIdle)) return busy;
      // On record before it is said: a call of the answer is judged with it.
      if (given.length > 0) journal.append(given);
      loop.say({ parts, insteadOf, unsent });
      return nothing;
    },
    'conversations.retry': async ({ id, messageId }) => {
      const message = record.message(messageId);
      const found = record.get(id);
      if (found === null || message?.conversationId !== id || message.said.by !== 'assistant') return gone;
      if (!gate.situation(found.workspace).isOpen) return notOpen;
      const loop = loops.of(id);
      if (!loop.isIdle) return busy;
      loop.goOn(messageId);
      return nothing;
    },
    'conversations.continue': async ({ id }) => {
      const found = record.get(id);
      if (found === null) return gone;
      if (!gate.situation(found.workspace).isOpen) return notOpen;
      const loop = loops.of(id);
      if (!loop.working.canContinue) return refuse('refused', 'There is nothing to go on with. Write a message.');
      loop.goOn(null);
      return nothing;
    },
    'conversations.stop': async ({ id }) => done({ unsent: record.get(id) === null ? null : loops.of(id).stop() }),
    'conversations.takeBack': async ({ id }) =>
      done({ unsent: record.get(id) === null ? null : loops.of(id).takeBack() }),
  } satisfies Partial<Handlers>;
}

async function known({ record }: ConversationsParts, id: string, act: () => void | Promise<void>) {
  if (record.get(id) === null) return gone;
  await act();
  return nothing;
}

/** Wraps handlers so that what can't be recorded does not happen, and is reported so. */
function recorded<T extends object>(handlers: T): T {
  const guarded = Object.entries(handlers as globalThis.Record<string, (request: never) => Promise<unknown>>).map(
    ([name, handle]) => [
      name,
      async (request: never) => {
        try {
          return await handle(request);
        } catch (error) {
          if (error instanceof JournalUnavailableError)
            return refuse('unavailable', `The journal can’t be written, so nothing was changed. ${error.message}`);
          if (error instanceof ToolFailure) return refuse('refused', error.failure.message);
          throw error;
        }
      },
    ],
  );
  return Object.fromEntries(guarded) as T;
}

/** The title without what file names can't have. */
const nameForFile = (title: string): string =>
  title
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '')
    .trim()
    .slice(0, 80) || 'conversation';

const gone = refuse('not-found', 'There is no such conversation or message. It may have been deleted.');
const notOpen = refuse('refused', 'The folder of this conversation isn’t open. Open it first.');
const busy = refuse('refused', 'It is at work. Stop it, or wait until it is done.');
const noSuchCall = refuse(
  'not-found',
  'No call with this id waits for a result. It may have been answered or cancelled.',
);
