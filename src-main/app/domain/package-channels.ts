import { systemClock } from '../../platform/clock.js';
import { answerProblem, done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import { ReviewsShown } from '../sources/reviews-shown.js';
import { domainView } from './domain-view.js';
import type { FollowedPackage } from './followed-package.js';
import { isLocalUrl } from '../../outside/origin-lookup.js';
import type { AddressResolutions } from '../../platform/data-folder/address-resolutions.js';
import { addressesOf, reviewOf } from './package-review.js';

/** The channels by which a person sees the package, and approves what waits. */
export function packageReviewChannels(followed: FollowedPackage, led: AddressResolutions) {
  const shown = new ReviewsShown(systemClock);
  /** Where the addresses of what was shown led as it was. */
  let leads: ReadonlyMap<string, boolean> = new Map();
  return {
    'domain.get': async () =>
      done(followed.host === null ? null : domainView(followed.host, { folder: followed.folder })),
    'domain.review': async () => {
      const waiting = followed.host?.waiting ?? null;
      if (waiting === null) return refuse('not-found', 'Nothing of the domain waits for a review any more.');
      const addresses = [...addressesOf(waiting.offered.package.tools)];
      leads = new Map(
        await Promise.all(addresses.map(async ([origin, url]) => [origin, await isLocalUrl(url)] as const)),
      );
      shown.show(followed.folder, waiting.digest);
      return done(reviewOf(waiting, new Set([...leads.keys()].filter((origin) => leads.get(origin)))));
    },
    'domain.accept': async ({ digest }) => {
      const { host, folder } = followed;
      if (host === null) return refuse('not-found', 'There is no domain package any more.');
      const notYet = shown.notYet(folder, digest);
      if (notYet !== null) return refuse('stale', notYet === 'too-new' ? TOO_NEW : STALE);
      const why = await host.accept(digest);
      if (why === 'stale') return refuse('stale', STALE);
      if (why === null) for (const [origin, here] of leads) led.learn(origin, here);
      return answerProblem(why === null ? null : why.join('\n'));
    },
  } satisfies Partial<Handlers>;
}

const STALE = 'The package is another one by now. Look at the change once more.';
const TOO_NEW = 'It has only just been shown. Read it, then accept it.';
