/** How many line comparisons may pass before the search pauses, so that a huge file never holds up the app. */
export const COMPARISONS_PER_PAUSE = 200_000;

/**
 * Finds where the lines of `find` are in `lines`, every start counted, overlapping ones too (Knuth-Morris-Pratt, so
 * that repetitive files cost no more than others). Stops after `enough` matches. Pauses (yields) now and then.
 */
export function* findMatches(
  lines: readonly string[],
  find: readonly string[],
  enough: number,
): Generator<void, readonly number[]> {
  const borders = borderTable(find);
  const starts: number[] = [];
  let matched = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    while (matched > 0 && line !== find[matched]) matched = borders[matched - 1] ?? 0;
    if (line === find[matched]) matched += 1;
    if (matched === find.length) {
      starts.push(index - find.length + 1);
      if (starts.length >= enough) return starts;
      matched = borders[matched - 1] ?? 0;
    }
    if (index % COMPARISONS_PER_PAUSE === COMPARISONS_PER_PAUSE - 1) yield;
  }
  return starts;
}

/** The border table of `find`: for each prefix the length of its longest proper prefix that is also its suffix. */
function borderTable(find: readonly string[]): readonly number[] {
  const borders = [0];
  let border = 0;
  for (let index = 1; index < find.length; index += 1) {
    while (border > 0 && find[index] !== find[border]) border = borders[border - 1] ?? 0;
    if (find[index] === find[border]) border += 1;
    borders.push(border);
  }
  return borders;
}
