import type { Config } from '#contract/vocabulary/config.js';
import type { OfferedTexts } from '#contract/window/conversation/offered-texts.js';
import type { PromptMessage, ResourceContent, OfferedResources } from '../../../domain/ports/sources/resources.js';
import type { ResourceReader } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import type { SourceCatalog } from './source-catalog.js';
import type { FollowedSource } from './followed-source.js';

/** The folder and the configuration that something is read for. */
export interface ReadingContext {
  readonly folder: string | null;
  readonly config: Config;
}

/** How long a person who opened a menu waits for one server; its list is kept when it comes after that. */
const WAIT_MS = 2000;
const LIST_MS = 20_000;
/** A list is asked for anew after this. */
const FRESH_MS = 15_000;
const MAX_FOUND = 50;
/** The most that one read may take, whatever a call may. */
const READ_MS = 30_000;

interface KeyUse {
  /** A key of the person's or their sign-in opened it. */
  readonly isOpened: boolean;
}

interface CachedListing {
  readonly at: number;
  readonly shelved: Promise<OfferedResources>;
  /** Whether somebody was told that it did not come in time. */
  isMissed: boolean;
  settled: { readonly shelved: OfferedResources } | { readonly problem: string } | null;
}

/**
 * Lists and reads the resources and prompts of the configured sources: of those that run and are accepted, and of no
 * others.
 */
export class ResourceBrowser {
  readonly #catalog: Pick<SourceCatalog, 'all' | 'find'>;
  readonly #now: () => number;
  readonly #onLate: () => void;
  readonly #listings = new WeakMap<FollowedSource, CachedListing>();

  /** `onLate`: a server answered after somebody was told that it had not. */
  constructor(catalog: Pick<SourceCatalog, 'all' | 'find'>, now: () => number, onLate: () => void) {
    this.#catalog = catalog;
    this.#now = now;
    this.#onLate = onLate;
  }

  /** Finds entries whose names have all the words. A server that hangs keeps nobody waiting twice. */
  async find(query: string, reading: ReadingContext): Promise<OfferedTexts> {
    const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
    const isMeant = (...texts: readonly string[]): boolean => {
      const text = texts.join('\n').toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const followed = this.#catalog.all.flatMap(({ followed: each }) => (each?.hasResources === true ? [each] : []));
    const asked = followed.map((source) => ({ source, listing: this.#ensureListing(source, reading) }));
    await this.#waitFor(asked.map(({ listing }) => listing));
    const problems: string[] = [];
    const resources: OfferedTexts['resources'][number][] = [];
    const prompts: OfferedTexts['prompts'][number][] = [];
    for (const { source, listing } of asked) {
      const { name } = source;
      const settled = listing.settled;
      if (settled === null) {
        listing.isMissed = true;
        problems.push(`“${name}” has not answered yet.`);
      } else if ('problem' in settled) problems.push(settled.problem);
      else {
        const { shelved } = settled;
        resources.push(
          ...shelved.resources
            .filter((each) => isMeant(name, each.name, each.uri))
            .map((each) => ({ source: name, ...each })),
        );
        prompts.push(
          ...shelved.prompts
            .filter((each) => isMeant(name, each.name, each.title))
            .map((each) => ({ source: name, ...each })),
        );
      }
    }
    return { resources: resources.slice(0, MAX_FOUND), prompts: prompts.slice(0, MAX_FOUND), problems };
  }

  /** Reads a resource that its server lists. Throws a `ToolFailure`. */
  async read(
    source: string,
    uri: string,
    reading: ReadingContext,
  ): Promise<KeyUse & { readonly name: string; readonly contents: readonly ResourceContent[] }> {
    const followed = this.#requireRunning(source);
    const { resources } = await this.#list(followed, reading);
    const listed = resources.find((each) => each.uri === uri);
    if (listed === undefined)
      throw goneFailure(`“${source}” has no resource of this address any more. Choose another.`);
    const asked = { ...reading, signal: AbortSignal.timeout(2 * READ_MS), timeoutMs: resolveReadTimeout(followed) };
    const { given: contents, isOpened } = await followed.askForResources(asked, (shelf, bounds) =>
      trackKeyUse(shelf, () => shelf.read(uri, bounds)),
    );
    return { name: listed.name, contents, isOpened };
  }

  /** Written by its server for these arguments. Throws a `ToolFailure`. */
  async prompt(
    source: string,
    name: string,
    args: Readonly<Record<string, string>>,
    reading: ReadingContext,
  ): Promise<KeyUse & { readonly messages: readonly PromptMessage[] }> {
    const followed = this.#requireRunning(source);
    const { prompts } = await this.#list(followed, reading);
    const listed = prompts.find((each) => each.name === name);
    if (listed === undefined) throw goneFailure(`“${source}” has no such prompt any more. Choose another.`);
    const missing = listed.args.find(({ name: each, required }) => required && (args[each] ?? '') === '');
    if (missing !== undefined) throw goneFailure(`This prompt needs “${missing.name}”. Fill it in.`);
    const known = Object.entries(args).filter(
      ([each, value]) => value !== '' && listed.args.some(({ name: argument }) => argument === each),
    );
    const asked = { ...reading, signal: AbortSignal.timeout(2 * READ_MS), timeoutMs: resolveReadTimeout(followed) };
    const { given: messages, isOpened } = await followed.askForResources(asked, (shelf, bounds) =>
      trackKeyUse(shelf, () => shelf.prompt(name, Object.fromEntries(known), bounds)),
    );
    return { messages, isOpened };
  }

  #requireRunning(source: string): FollowedSource {
    const followed = this.#catalog.find(source)?.followed ?? null;
    if (followed === null) throw goneFailure(`There is no source “${source}” in your settings that is on.`);
    if (!followed.hasResources)
      throw goneFailure(`“${source}” isn’t running, or isn’t accepted as it is now. Look at it under Tools.`);
    return followed;
  }

  async #list(followed: FollowedSource, reading: ReadingContext): Promise<OfferedResources> {
    return await this.#ensureListing(followed, reading).shelved;
  }

  /** The list of a source, fetched one at a time, and cached for a while. */
  #ensureListing(followed: FollowedSource, { folder, config }: ReadingContext): CachedListing {
    const known = this.#listings.get(followed);
    if (known !== undefined && (known.settled === null || this.#now() - known.at < FRESH_MS)) return known;
    const asked = { folder, config, signal: AbortSignal.timeout(2 * LIST_MS), timeoutMs: LIST_MS };
    const shelved = followed.askForResources(asked, (shelf, bounds) => shelf.list(bounds));
    const listing: CachedListing = { at: this.#now(), shelved, isMissed: false, settled: null };
    const settle = (settled: CachedListing['settled']): void => {
      listing.settled = settled;
      if (listing.isMissed) this.#onLate();
    };
    shelved.then(
      (all) => settle({ shelved: all }),
      (error: unknown) => settle({ problem: describeListError(error, followed.name) }),
    );
    this.#listings.set(followed, listing);
    return listing;
  }

  /** Waits until all have answered, or the slowest has had its time. */
  async #waitFor(listings: readonly CachedListing[]): Promise<void> {
    const pending = listings.filter(({ settled }) => settled === null);
    const rest = Math.max(0, ...pending.map(({ at }) => at + WAIT_MS - this.#now()));
    if (pending.length === 0) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, rest);
    await Promise.race([late, Promise.allSettled(pending.map(({ shelved }) => shelved))]);
    clearTimeout(timer);
  }
}

/** The person may sign in or out while it is asked. */
async function trackKeyUse<T>(shelf: ResourceReader, ask: () => Promise<T>): Promise<KeyUse & { readonly given: T }> {
  const wasOpened = shelf.isOpened;
  const given = await ask();
  return { given, isOpened: wasOpened || shelf.isOpened };
}

const resolveReadTimeout = ({ settings }: FollowedSource): number => Math.min(settings.timeout_seconds * 1000, READ_MS);

const describeListError = (error: unknown, source: string): string =>
  error instanceof ToolFailure ? error.failure.message : `“${source}” can’t be asked what it has to read.`;

const goneFailure = (message: string): ToolFailure => new ToolFailure({ code: 'ExecutionFailed', message });
