import Type from 'typebox';
import type { Confinement } from '../../vocabulary/calls.js';
import type { JsonObject } from '../../vocabulary/json.js';
import {
  SOURCE_NAME,
  SourceSettingsSchema,
  type SignInState,
  type SourceKind,
  type SourceSettings,
  type SourceStage,
  type SourceStateName,
  type ToolLifecycle,
} from '../../vocabulary/tools/sources.js';
import { byHand, channel, closed, id, nothing } from '../channel.js';

/** A source as the list of them shows it. */
export interface SourceView {
  readonly name: string;
  /** Null where its settings name none that there is. */
  readonly kind: SourceKind | null;
  readonly enabled: boolean;
  readonly state: SourceStateName;
  /** Where it is starting; else null. */
  readonly stage: SourceStage | null;
  /** A problem and what to do; null where there is none. */
  readonly problem: string | null;
  /** Whether its process or connection is there now. */
  readonly isRunning: boolean;
  /** `tools`: those that can be called. `waiting`: new ones that the person has not accepted; `changed`: no longer as accepted. */
  readonly counts: {
    readonly tools: number;
    readonly waiting: number;
    readonly changed: number;
    readonly refused: number;
  };
  readonly callsToday: number;
  readonly failuresToday: number;
  /** Where what a call is given goes: hosts; empty for a program on this computer. */
  readonly sendsTo: readonly string[];
  /** How it is held; null where it runs elsewhere or was not started yet. */
  readonly confinement: Confinement | null;
  /** The keys that it is given, by name. */
  readonly secrets: readonly string[];
  /** The settings as the person's file has them; null where they can't be read as such. */
  readonly settings: SourceSettings | null;
  /** Further remarks, a sentence each. */
  readonly remarks: readonly string[];
  /**
   * The package that it is started from, and the newest that its registry has where that is another; null where it is
   * none.
   */
  readonly package: { readonly name: string; readonly version: string; readonly newer: string | null } | null;
  /** Null where there is nothing to sign in at. */
  readonly signIn: SignInState | null;
  /** Its address, where that led elsewhere when it was accepted, and was refused since: it leads to this computer now. */
  readonly movedAddress: string | null;
}

export type SourceToolState = 'accepted' | 'new' | 'changed' | 'refused';

export interface SourceToolView {
  /** The operation's own name. */
  readonly operation: string;
  /** Null where it was refused before it got one. */
  readonly toolId: string | null;
  /** The name that models call it by. */
  readonly name: string | null;
  readonly version: string | null;
  readonly title: string;
  /** The description as it came, hidden characters and all. */
  readonly description: string;
  readonly inputSchema: JsonObject | null;
  readonly state: SourceToolState;
  /** Why it is refused; else null. */
  readonly reason: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly lifecycle: ToolLifecycle;
  /** Remarks, such as an output schema that can't be used. */
  readonly remarks: readonly string[];
}

export interface SourceDetail extends SourceView {
  readonly tools: readonly SourceToolView[];
  /** The end of what it said on stderr. */
  readonly stderr: string;
  /** Usage of the folder that it has to itself; null where it has none yet, or runs elsewhere. */
  readonly home: { readonly bytes: number; readonly complete: boolean } | null;
}

/** The review of a source that the person is asked for: all that differs from what was accepted last. */
export interface SourceReview {
  readonly name: string;
  /** The digest of what is shown here: the yes gives it back. */
  readonly digest: string;
  /** False: its package was fetched, and nothing of that was started: what it offers is known when the person saw what it is. */
  readonly isStarted: boolean;
  /** The server's own description; `accepted` null where it never was. Equal where only tools differ. */
  readonly server: { readonly accepted: JsonObject | null; readonly offered: JsonObject };
  /** Tools that are new, changed or gone; none that are as accepted. */
  readonly tools: readonly SourceToolChange[];
}

export interface SourceToolChange {
  readonly operation: string;
  readonly toolId: string;
  readonly version: string;
  readonly name: string | null;
  readonly change: 'new' | 'changed' | 'gone';
  /** The whole definition, as it came: name, description, schemas, annotations; of a program its whole manifest. */
  readonly accepted: JsonObject | null;
  readonly offered: JsonObject | null;
}

/** A server's question in the midst of a call. One after the other is shown, in the order of asking. */
export interface ServerQuestionView {
  readonly id: string;
  /** The step of one question, in order: an answer is for the step that was shown. */
  readonly step: number;
  readonly source: string;
  /** Calls of that server that are under way: it does not say which of them it asks for. */
  readonly calls: readonly { readonly callId: string; readonly operation: string }[];
  readonly asks: ServerAsks;
  /** How many wait behind it. */
  readonly behind: number;
}

export type ServerAsks =
  | {
      readonly kind: 'form';
      readonly message: string;
      readonly schema: JsonObject;
      readonly secretFields: readonly string[];
    }
  | { readonly kind: 'page'; readonly message: string; readonly url: string; readonly host: string }
  | {
      readonly kind: 'model';
      readonly model: string;
      readonly provider: string;
      readonly system: string | null;
      readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
      readonly maxTokens: number;
    }
  | { readonly kind: 'model-writes'; readonly model: string }
  | { readonly kind: 'model-answer'; readonly model: string; readonly text: string; readonly wasCut: boolean };

const name = Type.String({ pattern: SOURCE_NAME });
const ofSource = Type.Object({ name }, closed);

export const SOURCE_CHANNELS = {
  /** Null where none does. */
  'sources.question': channel<ServerQuestionView | null>()(nothing),
  /** `content` is what was filled in, as JSON. */
  'sources.answer': byHand<null>()(
    Type.Object(
      {
        id,
        step: Type.Integer({ minimum: 0 }),
        action: Type.Enum(['accept', 'decline', 'cancel']),
        content: Type.Optional(Type.String({ maxLength: 100_000 })),
      },
      closed,
    ),
  ),
  'sources.list': channel<readonly SourceView[]>()(nothing),
  'sources.get': channel<SourceDetail>()(ofSource),
  /** Asks it what it offers now, starting it where that takes it. */
  'sources.review': byHand<SourceReview>()(ofSource),
  /** The person saw what its package is: it may be started to be asked what it offers. */
  'sources.startSeen': byHand<null>()(Type.Object({ name, digest: id }, closed)),
  /** Left out: all of them. */
  'sources.accept': byHand<null>()(
    Type.Object({ name, digest: id, tools: Type.Optional(Type.Array(id, { maxItems: 1000 })) }, closed),
  ),
  'sources.setEnabled': byHand<null>()(Type.Object({ name, enabled: Type.Boolean() }, closed)),
  /** Keys first, into the key store; then what names them, into the person's file. What is there under that name is replaced. */
  'sources.add': byHand<null>()(
    Type.Object(
      {
        sources: Type.Array(Type.Object({ name, settings: SourceSettingsSchema }, closed), {
          minItems: 1,
          maxItems: 100,
        }),
        secrets: Type.Array(Type.Object({ name: id, value: Type.String({ maxLength: 10_000 }) }, closed), {
          maxItems: 200,
        }),
      },
      closed,
    ),
  ),
  /**
   * Changes the settings key by key, where they are in the person's file; `was` is their state when the person saw
   * them.
   */
  'sources.edit': byHand<null>()(
    Type.Object(
      {
        name,
        was: SourceSettingsSchema,
        settings: SourceSettingsSchema,
        secrets: Type.Array(Type.Object({ name: id, value: Type.String({ maxLength: 10_000 }) }, closed), {
          maxItems: 200,
        }),
      },
      closed,
    ),
  ),
  /** Its address is meant to lead to this computer from now on. */
  'sources.acceptAddress': byHand<null>()(Type.Object({ name, address: Type.String({ maxLength: 2000 }) }, closed)),
  'sources.remove': byHand<null>()(ofSource),
  'sources.undoRemove': byHand<null>()(ofSource),
  /** Finds out where that is done, and waits for the browser to come back; opens nothing itself. */
  'sources.signIn': byHand<null>()(ofSource),
  'sources.cancelSignIn': byHand<null>()(ofSource),
  /** A sentence where who signed the person in could not be told. */
  'sources.signOut': byHand<string | null>()(ofSource),
  /** Fetches the newest version of its package: what is then offered waits for the person’s yes. */
  'sources.fetchNewer': byHand<null>()(ofSource),
  /** Also “Retry”. */
  'sources.start': byHand<null>()(ofSource),
  'sources.stop': byHand<null>()(ofSource),
  /** Ends it, and empties the folder that it has to itself. */
  'sources.clearHome': byHand<null>()(ofSource),
} as const;
