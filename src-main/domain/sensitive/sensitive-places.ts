import { foldPath } from './name-folding.js';
import type { PlaceColumns, SensitivePlace } from './sensitive-place.js';
import { SECRET_PLACES } from './secret-places.js';
import { STEERING_PLACES } from './steering-places.js';

/** The one table. Its readers are below; nobody keeps a list beside it. */
export const SENSITIVE_PLACES: readonly SensitivePlace[] = [...STEERING_PLACES, ...SECRET_PLACES];

/** Thousands of files that tools made and nobody reads through: nothing in them is quarantined or marked but repositories. */
const MADE_BY_TOOLS: ReadonlySet<string> = new Set([
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
  '.nox',
  '.cache',
]);

export const isMadeByTools = (name: string): boolean => MADE_BY_TOOLS.has(name);

/** A run of names of the table, ready to be looked for. */
interface NameRun {
  readonly names: readonly ((name: string) => boolean)[];
  readonly plain: readonly string[];
  /** The run of names as it is usually written. */
  readonly written: readonly string[];
  readonly place: SensitivePlace;
}

const runs: readonly NameRun[] = SENSITIVE_PLACES.flatMap((place) =>
  place.at.map((text) => {
    const plain = foldPath(text).split('/');
    const but = new Set(place.but?.map(foldPath));
    const names = plain.map(nameTest).map((test) => (name: string) => test(name) && !but.has(name));
    return { names, plain, written: text.split('/'), place };
  }),
);
/** Runs by their first name where that is plain: few names of a path begin any run. */
const plainRuns = Map.groupBy(
  runs.filter(({ plain }) => plain[0]?.includes('*') !== true),
  ({ plain }) => plain[0] ?? '',
);
const wildRuns = runs.filter(({ plain }) => plain[0]?.includes('*') === true);

function nameTest(pattern: string): (name: string) => boolean {
  if (!pattern.includes('*')) return (name) => name === pattern;
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.at(-1) ?? '';
  const middle = rest.slice(0, -1).join('');
  return (name) =>
    name.length >= head.length + tail.length &&
    name.startsWith(head) &&
    name.endsWith(tail) &&
    (middle === '' || name.slice(head.length, name.length - tail.length).includes(middle));
}

/** Where a path is looked for from: `isHome` where the root is the person's home folder. */
export interface LookupBase {
  readonly isHome?: boolean;
}

/** Every place that `relative` is, or is in; existing or not. `relative` is from a root, forward slashes. */
export function findPlaces(relative: string, { isHome = false }: LookupBase = {}): readonly SensitivePlace[] {
  const names = foldPath(relative).split('/');
  const found: SensitivePlace[] = [];
  for (let at = 0; at < names.length; at += 1) {
    for (const { place, names: tests } of runsFrom(names[at] ?? '')) {
      if (place.below === 'home' && !(isHome && at === 0)) continue;
      if (!found.includes(place) && tests.every((test, offset) => test(names[at + offset] ?? ''))) found.push(place);
    }
  }
  return found;
}

function runsFrom(name: string): readonly NameRun[] {
  const wild = wildRuns.filter(({ names }) => names[0]?.(name) === true);
  const plain = plainRuns.get(name);
  return plain === undefined ? wild : [...plain, ...wild];
}

const hasColumn =
  (column: Exclude<keyof PlaceColumns, 'secret'>) =>
  (relative: string, below: LookupBase = {}): boolean =>
    findPlaces(relative, below).some(({ columns }) => columns[column]);

/**
 * Whether naming it to change it always asks. `above` are the names that lead to the root, of which the last may be the
 * first of a run, or all of which may lie in such a place.
 */
export const isControlFile = (relative: string, above = ''): boolean =>
  hasColumn('alwaysAsks')(joined(above, relative));

/**
 * Explains why a folder's own settings can't make a place a root of tools, which only the person may. Null for the
 * rest.
 */
export function explainRefusedRoot(way: string): string | null {
  const place = findPlaces(way).find(
    ({ columns: { deniedToTools, putAside, alwaysAsks, secret } }) =>
      deniedToTools || putAside || alwaysAsks || secret === 'yes',
  );
  return place?.what ?? null;
}

const joined = (above: string, relative: string): string =>
  above === '' || relative === '' ? above + relative : `${above}/${relative}`;

export const isReadOnlyForCommands = hasColumn('readOnlyForCommands');
export const isMarked = (relative: string): boolean => !isBelowMadeByTools(relative) && hasColumn('marked')(relative);
export const isQuarantined = (relative: string, above = ''): boolean =>
  !isBelowMadeByTools(relative) && hasColumn('putAside')(joined(above, relative));

const isBelowMadeByTools = (relative: string): boolean =>
  foldPath(relative).split('/').slice(0, -1).some(isMadeByTools);

/** Whether reading it asks: `if-found` only where a detector finds something in it. */
export function secretColumn(relative: string, below: LookupBase = {}): PlaceColumns['secret'] {
  const found = findPlaces(relative, below).map(({ columns }) => columns.secret);
  return found.includes('yes') ? 'yes' : found.includes('if-found') ? 'if-found' : 'no';
}

/** Whether it is a file of secrets, and none that tools made. */
export const isSecretFile = (relative: string): boolean =>
  !isBelowMadeByTools(relative) && secretColumn(relative) === 'yes';

/** Says which program obeys or keeps what is at this path, and when, in words that go on after it. */
export function explainSteering(relative: string): string | null {
  const place = findPlaces(relative).find(({ columns }) => columns.putAside || columns.alwaysAsks);
  return place?.what ?? null;
}

/** Lists the denied globs for the jail, which takes a glob for what it matches and all that is in it. */
export const deniedGlobs = (): readonly string[] => runsWithColumn('deniedToTools').map((run) => `**/${run}`);

/**
 * Lists the places hidden in the home folder, as they are usually written. Where a name has a `*`, it means any
 * characters.
 */
export const hiddenInHome = (): readonly string[] => runsWithColumn('hiddenFromCommands');

const runsWithColumn = (column: Exclude<keyof PlaceColumns, 'secret'>): readonly string[] =>
  SENSITIVE_PLACES.filter(({ columns }) => columns[column]).flatMap(({ at }) => at);

/**
 * Whether a link of this name could lead a program to such a place somewhere else: the path begins a run without being
 * the whole of it (`.config` of `.config/systemd`).
 */
export const beginsQuarantinedPlace = (relative: string): boolean => listRemainders(relative).length > 0;

/** The names that go on with the places that a path begins (`systemd` for `.config`). */
export function listRemainders(relative: string): readonly string[] {
  const names = foldPath(relative).split('/');
  return names.flatMap((_, at) => {
    const rest = names.slice(at);
    return beginnings
      .filter(({ names: tests }) => tests.length > rest.length && rest.every((name, offset) => tests[offset]?.(name)))
      .map(({ written }) => written.slice(rest.length).join('/'));
  });
}

const beginnings = runs.filter(({ place }) => place.columns.putAside);
const firstNames = new Set(beginnings.map(({ plain }) => plain[0] ?? '').filter((name) => !name.includes('*')));
const wildBeginnings = beginnings.filter(({ plain }) => plain[0]?.includes('*') === true);

/** Whether a name could be the first of a place that is quarantined: for a walk of a whole workspace by names. */
export function mayBeginQuarantinedPlace(name: string): boolean {
  const folded = foldPath(name);
  return firstNames.has(folded) || wildBeginnings.some(({ names }) => names[0]?.(folded) === true);
}
