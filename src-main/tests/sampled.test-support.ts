// How much of what is slow, and many times alike, a run of the tests tries: a part, or all of it with GATEHOUSE_THOROUGH=1.
const isThorough = process.env['GATEHOUSE_THOROUGH'] === '1';
/** `npm test` draws it and says it: with the same one, the same part is tried. */
const seed = Number(process.env['GATEHOUSE_SEED'] ?? 0);

/**
 * Of places that are numbered from 1 the first, the last and every n-th between; at which it begins goes by the run's seed, so that a
 * few runs try all. An odd n tries even and odd places alike.
 */
export function sampledPlaces(count: number, everyNth: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return isThorough ? all : all.filter((at) => at === 1 || at === count || at % everyNth === seed % everyNth);
}

/** How often something is tried that is drawn anew each time. */
export const sampledTimes = (thorough: number, usual: number): number => (isThorough ? thorough : usual);
