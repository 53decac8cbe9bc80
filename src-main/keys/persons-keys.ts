import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import {
  type KeyDestination,
  buildDestinationId,
  formatDestination,
  listKeyDestinations,
  listSettingValues,
} from '../domain/outside/key-destination.js';
import { isReservedKeyName, parseSettingValue } from '../domain/outside/references.js';
import type { KeyDestinations } from './key-destinations.js';
import type { Secrets } from './secrets.js';

/** A request for a key that was entered for others. */
export interface KeyRequest {
  readonly reference: string;
  readonly place: KeyDestination;
  /** The places it was entered for, for a person to read. */
  readonly enteredFor: string;
}

interface PersonsKeysDeps {
  readonly secrets: Pick<Secrets, 'referred'>;
  readonly places: KeyDestinations;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly onAsked: (asked: KeyRequest) => void;
}

/**
 * The keys that settings name as `secret:<name>` and `env:<variable>`: each goes where it was entered for, and
 * elsewhere once the person allows it.
 */
export class PersonsKeys {
  readonly #parts: PersonsKeysDeps;

  constructor(parts: PersonsKeysDeps) {
    this.#parts = parts;
  }

  readonly secret = (name: string): string | null => this.#parts.secrets.referred(name);
  readonly variable = (name: string): string | null => this.#parts.variables[name] ?? null;

  /** Why that place doesn't get it, in words; null where it does. */
  readonly refusal = (reference: string, place: KeyDestination): string | null => {
    const name = parseReferenceName(reference);
    if (isReservedKeyName(name)) return `“${name}” is a key of Gatehouse’s own, and nothing is given it`;
    const key = buildEntryKey(reference, place.asker);
    const there = this.#parts.places.of(key);
    if (there.length === 0) {
      this.#parts.places.enter(key, [buildDestinationId(place)]);
      return null;
    }
    if (there.includes(buildDestinationId(place))) return null;
    const enteredFor = there.map(formatDestination).join(', ');
    this.#parts.onAsked({ reference, place, enteredFor });
    return `The key “${name}” was entered for ${enteredFor}, and ${formatAsker(place)} asks for it`;
  };

  /**
   * Reads the person's own settings, in their order: a key that a source names is for it from now on, or asked about at
   * once.
   */
  read(sources: Readonly<Record<string, SourceSettings>>): void {
    for (const [asker, settings] of Object.entries(sources)) {
      const places = listKeyDestinations(asker, settings);
      for (const reference of listReferences(settings)) {
        const key = buildEntryKey(reference, asker);
        if (isReservedKeyName(parseReferenceName(reference)) || places.length === 0) continue;
        if (this.#parts.places.of(key).length === 0) this.#parts.places.enter(key, places.map(buildDestinationId));
        else for (const place of places) this.refusal(reference, place);
      }
    }
  }

  /** The person put in the values of these for that source: they are for it, and for nobody else. */
  entered(asker: string, settings: SourceSettings, secrets: readonly string[]): void {
    const places = listKeyDestinations(asker, settings).map(buildDestinationId);
    for (const reference of listReferences(settings))
      if (secrets.some((name) => reference === `secret:${name}`)) this.#parts.places.enter(reference, places);
  }

  allow({ reference, place }: KeyRequest): void {
    this.#parts.places.add(buildEntryKey(reference, place.asker), buildDestinationId(place));
  }

  /** Forgets the places of a removed secret: a later one of its name is another. */
  removed(secret: string): void {
    this.#parts.places.enter(`secret:${secret}`, []);
  }
}

/** A variable is nobody's but of whose settings name it: another source that names it was written so by the person, too. */
const buildEntryKey = (reference: string, asker: string): string =>
  reference.startsWith('env:') ? `${reference} of ${asker}` : reference;

const parseReferenceName = (reference: string): string => reference.slice(reference.indexOf(':') + 1);

const formatAsker = ({ asker, origin }: KeyDestination): string =>
  origin === null ? `“${asker}”` : `“${asker}” (${origin})`;

function listReferences(settings: SourceSettings): readonly string[] {
  return listSettingValues(settings).flatMap((value) => {
    const read = parseSettingValue(value);
    return read?.kind === 'reference' ? [read.from] : [];
  });
}
