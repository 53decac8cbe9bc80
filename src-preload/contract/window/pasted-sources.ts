import Type from 'typebox';
import { SOURCE_NAME, SourceSettingsSchema, type SourceSettings } from '../vocabulary/tools/sources.js';
import { byHand, channel, closed, id, nothing, path } from './channel.js';

/** A value that looks like a secret, or a place for one. It never stands in what the window is given. */
export interface PastedSecret {
  readonly in: 'env' | 'headers';
  /** The variable, or the header. */
  readonly of: string;
  /** What the key store would call it: what stands in the settings as `secret:<name>`. */
  readonly secret: string;
  /** Its beginning and its length; null where only its place was there, and it has to be given. */
  readonly shown: string | null;
}

/** One server of another program’s settings. */
export interface PastedSource {
  /** What it would be called here. */
  readonly name: string;
  /** What it was called there. */
  readonly calledThere: string;
  /** With references where secrets stood; null where it can't be taken. */
  readonly settings: SourceSettings | null;
  readonly secrets: readonly PastedSecret[];
  /** What is not taken over, and what to know, in words. */
  readonly notes: readonly string[];
}

/** What was read of a text; main keeps the secrets that stood there until they are added, or other texts were read. */
export interface SourcesRead {
  readonly reading: string;
  readonly sources: readonly PastedSource[];
  /** How many more stood there. */
  readonly more: number;
}

/** A folder's own file of servers. Nothing in it was started. */
export interface FoundSources {
  readonly path: string;
  /** Null where it can't be read; then `problem` says why. */
  readonly read: SourcesRead | null;
  readonly problem: string | null;
}

/** A source that comes with the app and needs no key. */
export interface SampleSource {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly settings: SourceSettings;
  /** What has to be started for it in a terminal; null where nothing has. */
  readonly start: readonly string[] | null;
}

const name = Type.String({ pattern: SOURCE_NAME });

export const PASTED_SOURCE_CHANNELS = {
  /** What was copied from another program’s settings, or from a server’s documentation. */
  'sources.readPasted': channel<SourcesRead>()(Type.Object({ text: Type.String({ maxLength: 1_100_000 }) }, closed)),
  /** `.mcp.json` and its like in that folder. */
  'sources.found': channel<readonly FoundSources[]>()(Type.Object({ workspace: path }, closed)),
  'sources.samples': channel<readonly SampleSource[]>()(nothing),
  /** With the secrets that stood in what was read, and those that the person gave. */
  'sources.addRead': byHand<null>()(
    Type.Object(
      {
        reading: id,
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
} as const;
