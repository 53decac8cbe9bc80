import Type from 'typebox';
import { byHand, channel, closed, id, nothing, path } from '../channel.js';
import { SOURCE_NAME } from '../../vocabulary/tools/sources.js';
import {
  type MessagePage,
  type ModelOffers,
  PICTURE_TYPES,
  type PromptText,
  type UnsentMessage,
} from './conversation.js';
import type { OfferedTexts } from './offered-texts.js';
import type { ConversationSummary } from '../../vocabulary/conversation/conversation.js';
import { ASKING_PRESETS } from '../../vocabulary/conversation/asking-preset.js';

const ofConversation = Type.Object({ id }, closed);
const ofMessage = Type.Object({ id, messageId: id }, closed);
const workspace = Type.String({ maxLength: 4096 });
const source = Type.String({ pattern: SOURCE_NAME });
const uri = Type.String({ minLength: 1, maxLength: 2000 });
const title = Type.String({ minLength: 1, maxLength: 200 });

/** The window's requests on conversations. */
export const CONVERSATION_CHANNELS = {
  /**
   * Lists a folder's conversations, the one that changed last first; only those with the query's words where there is a
   * query.
   */
  'conversations.list': channel<readonly ConversationSummary[]>()(
    Type.Object({ workspace, query: Type.Optional(Type.String({ maxLength: 1000 })) }, closed),
  ),
  'conversations.begin': byHand<ConversationSummary>()(Type.Object({ workspace }, closed)),
  'conversations.rename': byHand<null>()(Type.Object({ id, title }, closed)),
  'conversations.delete': byHand<null>()(ofConversation),
  'conversations.undoDelete': byHand<null>()(ofConversation),
  /** The newest messages of the branch that is shown, or those before one. */
  'conversations.read': channel<MessagePage>()(
    Type.Object({ id, before: Type.Optional(id), limit: Type.Integer({ minimum: 1, maximum: 500 }) }, closed),
  ),
  /** While it works, the message waits as the next one. `/tool <callId> <result>` gives a result that is waited for. */
  'conversations.send': byHand<null>()(
    Type.Object(
      {
        id,
        text: Type.String({ maxLength: 1_000_000 }),
        /** Paths in the folder; their text goes with it, as it is read now. */
        files: Type.Array(path, { maxItems: 100 }),
        pictures: Type.Array(
          Type.Object(
            {
              mediaType: Type.Enum([...PICTURE_TYPES]),
              base64: Type.String({ minLength: 4, maxLength: 5_000_000 }),
            },
            closed,
          ),
          { maxItems: 10 },
        ),
        /** Resources of running sources; their text goes with the message, as it is read now. */
        resources: Type.Optional(
          Type.Array(Type.Object({ source, uri, name: Type.String({ maxLength: 200 }) }, closed), { maxItems: 20 }),
        ),
        /** The message that it edits: it becomes a branch beside that one. */
        insteadOf: Type.Optional(id),
      },
      closed,
    ),
  ),
  /** Asks for that answer again, as a branch. */
  'conversations.retry': byHand<null>()(ofMessage),
  /** The branch that this message is of is shown, and goes on from now on. */
  'conversations.showBranch': byHand<null>()(ofMessage),
  'conversations.continue': byHand<null>()(ofConversation),
  /** Ends what it works on; gives back the unsent message, null where there was none. */
  'conversations.stop': channel<{ readonly unsent: UnsentMessage | null }>()(ofConversation),
  /** Takes the unsent message back; null where it has gone by now. */
  'conversations.takeBack': byHand<{ readonly unsent: UnsentMessage | null }>()(ofConversation),
  'conversations.keepDraft': channel<null>()(Type.Object({ id, text: Type.String({ maxLength: 1_000_000 }) }, closed)),
  /**
   * Lists the models that can be chosen for a conversation: of the providers that there is a key or a local server for.
   */
  'conversations.models': channel<ModelOffers>()(nothing),
  /** Chooses a model for it; null: as the settings say. */
  'conversations.chooseModel': byHand<null>()(
    Type.Object(
      {
        id,
        model: Type.Union([
          Type.Object(
            {
              provider: Type.String({ maxLength: 40 }),
              baseUrl: Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]),
              model: Type.String({ maxLength: 200 }),
            },
            closed,
          ),
          Type.Null(),
        ]),
      },
      closed,
    ),
  ),
  'conversations.setAsking': byHand<null>()(
    Type.Object({ id, asking: Type.Union([Type.Enum([...ASKING_PRESETS]), Type.Null()]) }, closed),
  ),
  /** The model gets this result whole again. */
  'conversations.unfold': byHand<null>()(Type.Object({ id, callId: id }, closed)),
  /** Null where the person chose no file. */
  'conversations.export': channel<{ readonly file: string | null }>()(
    Type.Object({ id, format: Type.Enum(['markdown', 'json']) }, closed),
  ),
  /** Finds resources and prompts of running, accepted sources by the words. */
  'conversations.findOnShelves': channel<OfferedTexts>()(
    Type.Object({ workspace, query: Type.String({ maxLength: 1000 }) }, closed),
  ),
  /** Gets a prompt's text, which its source writes now; the conversation counts as having read it. */
  'conversations.usePrompt': byHand<PromptText>()(
    Type.Object(
      {
        id,
        source,
        name: Type.String({ minLength: 1, maxLength: 200 }),
        args: Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 100_000 }), { maxProperties: 20 }),
      },
      closed,
    ),
  ),
  /** Files of the folder whose path has the words, through the jail. */
  'conversations.findFiles': channel<readonly string[]>()(
    Type.Object({ workspace, query: Type.String({ maxLength: 1000 }) }, closed),
  ),
} as const;
