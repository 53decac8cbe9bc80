import type { NetworkUse } from '#contract/vocabulary/calls.js';

/** What a command asked of the network: which hosts it reached, and which it was refused. Bounded, whatever it asks. */
export interface Traffic {
  reached(host: string, port: number): void;
  refused(host: string, port: number): void;
  readonly use: NetworkUse;
}

const MOST_LISTED = 100;

export function createTraffic(): Traffic {
  const lists = { reached: new Set<string>(), refused: new Set<string>() };
  const note =
    (kind: keyof typeof lists) =>
    (host: string, port: number): void => {
      if (lists[kind].size < MOST_LISTED) lists[kind].add(`${host}:${port}`.slice(0, MOST_SHOWN));
    };
  return {
    reached: note('reached'),
    refused: note('refused'),
    get use() {
      return { reached: [...lists.reached], refused: [...lists.refused] };
    },
  };
}

/** A name of the domain name system is never longer. */
const MOST_SHOWN = 262;
