import Type from 'typebox';
import type { Confinement } from '../vocabulary/calls.js';
import type { JsonObject } from '../vocabulary/json.js';
import {
  SOURCE_NAME,
  SourceSettingsSchema,
  type SourceKind,
  type SourceSettings,
  type SourceStateName,
  type ToolLifecycle,
} from '../vocabulary/tools/sources.js';
import { byHand, channel, closed, id, nothing } from './channel.js';

/** A source as the list of them shows it. */
export interface SourceView {
  readonly name: string;
  /** Null where its settings name none that there is. */
  readonly kind: SourceKind | null;
  readonly enabled: boolean;
  readonly state: SourceStateName;
  /** What is wrong and what to do; null where nothing is. */
  readonly problem: string | null;
  /** Its process or connection is there now. */
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
  /** As they stand in the person's file; null where they can't be read as such. */
  readonly settings: SourceSettings | null;
  /** What else is worth knowing of it, a sentence each. */
  readonly remarks: readonly string[];
}

export type SourceToolState = 'accepted' | 'new' | 'changed' | 'refused';

export interface SourceToolView {
  /** As it calls itself. */
  readonly operation: string;
  /** Null where it was refused before it got one. */
  readonly toolId: string | null;
  /** What models call it. */
  readonly name: string | null;
  readonly version: string | null;
  readonly title: string;
  /** As it came, hidden characters and all. */
  readonly description: string;
  readonly inputSchema: JsonObject | null;
  readonly state: SourceToolState;
  /** Why it is refused; else null. */
  readonly reason: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly lifecycle: ToolLifecycle;
  /** Such as an output schema that can't be used. */
  readonly remarks: readonly string[];
}

export interface SourceDetail extends SourceView {
  readonly tools: readonly SourceToolView[];
  /** The end of what it said on stderr. */
  readonly stderr: string;
}

/** What the person is asked to accept: all that differs from what was accepted last. */
export interface SourceReview {
  readonly name: string;
  /** Of what is shown here: given back with the yes. */
  readonly digest: string;
  /** What the server is; `accepted` null where it never was. Equal where only tools differ. */
  readonly server: { readonly accepted: JsonObject | null; readonly offered: JsonObject };
  /** Those that are new, changed or gone; nothing of those that are as accepted. */
  readonly tools: readonly SourceToolChange[];
}

export interface SourceToolChange {
  readonly operation: string;
  readonly toolId: string;
  readonly version: string;
  readonly name: string | null;
  readonly change: 'new' | 'changed' | 'gone';
  /** All that is accepted with it: name, description, schemas, annotations; of a program its whole manifest. As it came. */
  readonly accepted: JsonObject | null;
  readonly offered: JsonObject | null;
}

const name = Type.String({ pattern: SOURCE_NAME });
const ofSource = Type.Object({ name }, closed);

export const SOURCE_CHANNELS = {
  'sources.list': channel<readonly SourceView[]>()(nothing),
  'sources.get': channel<SourceDetail>()(ofSource),
  /** Asks it what it offers now, starting it where that takes it. */
  'sources.review': byHand<SourceReview>()(ofSource),
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
  /** Key by key, where they stand in the person's file; `was` is what they were when the person saw them. */
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
  'sources.remove': byHand<null>()(ofSource),
  'sources.undoRemove': byHand<null>()(ofSource),
  /** Also “Retry”. */
  'sources.start': byHand<null>()(ofSource),
  'sources.stop': byHand<null>()(ofSource),
} as const;
