import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';

/** What a key would be given to. */
export interface KeyPlace {
  /** Who asks for it, by the name that the person knows. */
  readonly asker: string;
  /** Where it goes: scheme, host and port; null where it goes to what is started here for the one who asks. */
  readonly origin: string | null;
}

/** By what a place is known again: an address is the same whoever asks. */
export const placeId = ({ asker, origin }: KeyPlace): string => origin ?? `${STARTED}${asker}`;

const STARTED = 'source:';

/** For a person. */
export const placeInWords = (id: string): string => (id.startsWith(STARTED) ? `“${id.slice(STARTED.length)}”` : id);

/** Where the keys of a source go, as the person wrote it; empty where a document says it. */
export function placesOf(asker: string, settings: SourceSettings): readonly KeyPlace[] {
  const { command, manifest, url, base_url: base } = settings;
  if (command !== undefined || manifest !== undefined) return [{ asker, origin: null }];
  const origins = [base, url].flatMap((address) => (address === undefined ? [] : (URL.parse(address)?.origin ?? [])));
  return [...new Set(origins)].map((origin) => ({ asker, origin }));
}

/** What its settings give it by reference. */
export const valuesOf = ({ env = {}, headers = {}, credentials = {} }: SourceSettings): readonly string[] =>
  [env, headers, credentials].flatMap((table) => Object.values(table));

export type FoundKey = { readonly value: string } | { readonly problem: string };

/** What `secret:<name>` or `env:<variable>` stands for, for what is started for that source. */
export type ValueOf = (reference: string, asker: string) => FoundKey;
