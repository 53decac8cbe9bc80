import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { parseAddress } from './address.js';

/** A place that a key would be given to. */
export interface KeyDestination {
  /** The source that asks for it, by the name that the person knows. */
  readonly asker: string;
  /**
   * The scheme, host and port that the key goes to; null where it goes to a program that is started here for the asker.
   */
  readonly origin: string | null;
}

/** The id of a place: an address is the same whoever asks. */
export const buildDestinationId = ({ asker, origin }: KeyDestination): string => origin ?? `${SOURCE_PREFIX}${asker}`;

const SOURCE_PREFIX = 'source:';

/** The place in words, for a person. */
export const formatDestination = (id: string): string =>
  id.startsWith(SOURCE_PREFIX) ? `“${id.slice(SOURCE_PREFIX.length)}”` : id;

/** The places that the keys of a source go to, as the person wrote it; none where a document says it. */
export function listKeyDestinations(asker: string, settings: SourceSettings): readonly KeyDestination[] {
  const { command, manifest, url, base_url: base } = settings;
  if (command !== undefined || manifest !== undefined) return [{ asker, origin: null }];
  const origins = [base, url].flatMap((address) => (address === undefined ? [] : readOrigin(address)));
  return [...new Set(origins)].map((origin) => ({ asker, origin }));
}

/** As requests name it: with its port, also where that is the usual one. An address may have a query, and an origin has none. */
function readOrigin(address: string): readonly string[] {
  const read = parseAddress(URL.parse(address)?.origin ?? '');
  return read.ok ? [read.address.origin] : [];
}

/** The values that a source's settings may give by reference. */
export const listSettingValues = ({ env = {}, headers = {}, credentials = {} }: SourceSettings): readonly string[] =>
  [env, headers, credentials].flatMap((table) => Object.values(table));

export type KeyLookupResult = { readonly value: string } | { readonly problem: string };

/** Looks up `secret:<name>` or `env:<variable>`, for a program that is started for that source. */
export type LookUpKey = (reference: string, asker: string) => KeyLookupResult;
