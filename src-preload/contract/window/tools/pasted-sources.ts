import Type from 'typebox';
import { SOURCE_NAME, SourceSettingsSchema, type SourceSettings } from '../../vocabulary/tools/sources.js';
import { byHand, channel, closed, id, nothing, path } from '../channel.js';

/** A value that looks like a secret, or a placeholder for one. The value itself is never given to the window. */
export interface PastedSecret {
  readonly in: 'env' | 'headers';
  /** The variable, or the header. */
  readonly of: string;
  /** The name that the key store would give it: the settings hold it as `secret:<name>`. */
  readonly secret: string;
  /** The secret's beginning and its length; null for an empty placeholder, so that it has to be given. */
  readonly shown: string | null;
}

/** A server in another program’s settings. */
export interface PastedSource {
  /** The name that it would have here. */
  readonly name: string;
  /** The name that it had there. */
  readonly calledThere: string;
  /** The settings, with references in place of secrets; null where it can't be taken. */
  readonly settings: SourceSettings | null;
  readonly secrets: readonly PastedSecret[];
  /** Settings that are not taken over, and what to know, in words. */
  readonly notes: readonly string[];
}

/** The sources read from a text; main keeps the secrets in it until they are added, or other texts were read. */
export interface PastedReading {
  readonly reading: string;
  readonly sources: readonly PastedSource[];
  /** The number of further servers in the text. */
  readonly more: number;
}

/** A folder's own file of servers. Nothing in it was started. */
export interface FoundSources {
  readonly path: string;
  /** Null where it can't be read; then `problem` says why. */
  readonly read: PastedReading | null;
  readonly problem: string | null;
}

/** A source that comes with the app and needs no key. */
export interface SampleSource {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly settings: SourceSettings;
  /** The command to start for it in a terminal; null where none is needed. */
  readonly start: readonly string[] | null;
}

const name = Type.String({ pattern: SOURCE_NAME });

export const PASTED_SOURCE_CHANNELS = {
  /** Reads a text that was copied from another program’s settings, or from a server’s documentation. */
  'sources.readPasted': channel<PastedReading>()(Type.Object({ text: Type.String({ maxLength: 1_100_000 }) }, closed)),
  /** `.mcp.json` and its like in that folder. */
  'sources.found': channel<readonly FoundSources[]>()(Type.Object({ workspace: path }, closed)),
  'sources.samples': channel<readonly SampleSource[]>()(nothing),
  /** Adds sources with the secrets in the text, and those that the person gave. */
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
