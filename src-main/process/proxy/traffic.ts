import type { NetworkUse } from '#contract/vocabulary/calls.js';

/** A record of the network's use: which hosts were reached, and which were refused. Bounded, whatever is asked. */
export interface Traffic {
  reached(host: string, port: number): void;
  refused(host: string, port: number): void;
  readonly use: NetworkUse;
  /** Starts a new mark, for who runs on from one call to the next. */
  mark(): number;
  since(mark: number): NetworkUse;
}

const MAX_LISTED = 100;

export function createTraffic(): Traffic {
  // Each place with the newest mark after which it was asked for.
  const lists = { reached: new Map<string, number>(), refused: new Map<string, number>() };
  let newest = 0;
  const note =
    (kind: keyof typeof lists) =>
    (host: string, port: number): void => {
      const list = lists[kind];
      const place = `${host}:${port}`.slice(0, MAX_HOST_LENGTH);
      if (list.get(place) === newest) return;
      if (list.size >= MAX_LISTED && !list.has(place)) {
        // The first stay, unless they are of a call that is over.
        const [oldest] = list;
        if (oldest === undefined || oldest[1] === newest) return;
        list.delete(oldest[0]);
      }
      // The longest ago stands first.
      if (newest > 0) list.delete(place);
      list.set(place, newest);
    };
  const since = (mark: number): NetworkUse => {
    const places = (list: ReadonlyMap<string, number>) =>
      [...list].filter(([, at]) => at >= mark).map(([place]) => place);
    return { reached: places(lists.reached), refused: places(lists.refused) };
  };
  return {
    reached: note('reached'),
    refused: note('refused'),
    get use() {
      return since(0);
    },
    mark: () => (newest += 1),
    since,
  };
}

/** A name of the domain name system is never longer. */
const MAX_HOST_LENGTH = 262;
