import type { IndexEntry } from '../../../../platform/git/git-index.js';
import type { Refs } from '../../../../platform/git/refs.js';

/** The control files that a repository holds besides its working tree: in its index and its commits. */
export interface Holding {
  readonly refs: Refs;
  /** Absolute: its working tree. */
  readonly top: string;
  /** The whole index, the same value as long as it is the same file; null where it can't be read. */
  readonly entries: readonly IndexEntry[] | null;
  /** The entries of the index that may steer other programs, by stage and path. */
  readonly steering: ReadonlyMap<string, IndexEntry>;
}

/** The holding of each working tree, by where its repository is: from the root, or absolute. */
export type Holdings = ReadonlyMap<string, Holding>;

export const stagedKey = ({ path, stage }: Pick<IndexEntry, 'path' | 'stage'>): string => `${stage} ${path}`;

/** The form in which holdings are stored for the start after a crash. */
export type StoredHoldings = ReadonlyArray<{
  readonly own: string;
  readonly top: string;
  readonly refs: { readonly ids: ReadonlyArray<readonly [string, string]> } & Omit<Refs, 'ids'>;
  readonly hasIndex: boolean;
  readonly steering: ReadonlyArray<
    Omit<IndexEntry, 'head' | 'name'> & { readonly head: string; readonly name: string }
  >;
}>;

export const serializeHoldings = (holdings: Holdings | null): StoredHoldings | null =>
  holdings === null
    ? null
    : [...holdings].map(([own, { top, refs, entries, steering }]) => ({
        own,
        top,
        refs: { ...refs, ids: [...refs.ids] },
        hasIndex: entries !== null,
        steering: [...steering.values()].map((entry) => ({
          ...entry,
          head: entry.head.toString('base64'),
          name: entry.name.toString('base64'),
        })),
      }));

/** Reads holdings back. Of the index only entries that may steer other programs were stored: no other is asked for. */
export const parseHoldings = (kept: StoredHoldings | null): Holdings | null =>
  kept === null
    ? null
    : new Map(
        kept.map(({ own, top, refs, hasIndex, steering }) => {
          const entries = steering.map((entry) => ({
            ...entry,
            head: Buffer.from(entry.head, 'base64'),
            name: Buffer.from(entry.name, 'base64'),
          }));
          const holding: Holding = {
            top,
            refs: { ...refs, ids: new Map(refs.ids) },
            entries: hasIndex ? entries : null,
            steering: new Map(entries.map((each) => [stagedKey(each), each])),
          };
          return [own, holding];
        }),
      );
