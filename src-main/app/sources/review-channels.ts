import type { Clock } from '../../domain/ports/clock.js';
import { SourceProblem } from '../../domain/ports/sources/source.js';
import type { AcceptedTool } from '../../tools/sources/catalog/source-acceptance.js';
import type { SourceCatalog } from '../../tools/sources/catalog/source-catalog.js';
import type { FollowedSource } from '../../tools/sources/catalog/followed-source.js';
import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { parseAddress } from '../../domain/outside/address.js';
import type { AddressResolutions } from '../../platform/data-folder/address-resolutions.js';
import { ReviewsShown } from './reviews-shown.js';

interface ReviewDeps {
  readonly catalog: SourceCatalog;
  /** Ends the rules that were for one of these tools alone, since what it was accepted as is over. */
  readonly endRules: (tools: readonly AcceptedTool[]) => Promise<unknown>;
  readonly clock: Clock;
  /** Where names of addresses led that were accepted. */
  readonly led: AddressResolutions;
}

/** Finds the address of a source that led elsewhere when it was accepted, and was refused since, as it leads here. */
export function findMovedAddress({ url, base_url: base }: SourceSettings, led: AddressResolutions): string | null {
  const origins = [url, base].map((address) => (address === undefined ? null : parseAddress(address)));
  return (
    origins.flatMap((read) => (read?.ok === true ? [read.address.origin] : [])).find((each) => led.hasMoved(each)) ??
    null
  );
}

export const gone = (name: string) => refuse('not-found', `There is no source “${name}” in your settings.`);
export const notNow = (name: string, why: string) => refuse('unavailable', `“${name}” can’t be had now: ${why}`);
export const OFF = 'it is turned off.';
const STALE = 'It offers something else by now. Look at the change once more.';
const TOO_NEW = 'It has only just been shown. Read it, then accept it.';

/** The channels for what differs from what was accepted, and for the person's approval of that. */
export function reviewChannels({ catalog, endRules, clock, led }: ReviewDeps) {
  const shown = new ReviewsShown(clock);
  return {
    'sources.review': async ({ name }) => {
      const source = catalog.find(name);
      if (source === null) return gone(name);
      const { followed, refused } = source;
      if (followed === null) return notNow(name, refused ?? OFF);
      await followed.refresh();
      const review = followed.review(catalog.nameOf);
      if (review === null) return notNow(name, followed.problem ?? 'it said nothing.');
      shown.show(name, review.digest);
      return done(review);
    },
    'sources.startSeen': async ({ name, digest }) => {
      const followed = catalog.find(name)?.followed;
      if (followed === undefined || followed === null) return gone(name);
      const notYet = shown.notYet(name, digest);
      if (notYet !== null) return refuse('stale', notYet === 'too-new' ? TOO_NEW : STALE);
      return (await followed.startReviewed(digest, catalog.nameOf)) ? done(null) : refuse('stale', STALE);
    },
    'sources.acceptAddress': async ({ name, address }) => {
      const source = catalog.find(name);
      if (source === null) return gone(name);
      if (findMovedAddress(source.settings, led) !== address) return refuse('stale', STALE);
      led.learn(address, true);
      await source.followed?.refresh();
      return done(null);
    },
    'sources.accept': async ({ name, digest, tools }) => {
      const followed = catalog.find(name)?.followed;
      if (followed === undefined || followed === null) return gone(name);
      const notYet = shown.notYet(name, digest);
      if (notYet !== null) return refuse('stale', notYet === 'too-new' ? TOO_NEW : STALE);
      const otherwise = acceptedOrWhyNot(followed, digest, tools, catalog.nameOf);
      if (typeof otherwise === 'string') return notNow(name, otherwise);
      if (otherwise === null) return refuse('stale', STALE);
      await endRules(otherwise);
      return done(null);
    },
  } satisfies Partial<Handlers>;
}

/** The tools that were accepted otherwise before; null where something else was seen; or why what is accepted can't be had. */
function acceptedOrWhyNot(
  followed: FollowedSource,
  digest: string,
  tools: readonly string[] | undefined,
  nameOf: (toolId: string) => string | null,
): ReturnType<FollowedSource['accept']> | string {
  try {
    return followed.accept(digest, tools === undefined ? null : new Set(tools), nameOf);
  } catch (error) {
    if (error instanceof SourceProblem) return error.message;
    throw error;
  }
}
