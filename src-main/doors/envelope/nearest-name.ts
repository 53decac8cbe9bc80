/** Finds the name that is most like the one asked for; null where none is like it. */
export function findNearestName(asked: string, names: readonly string[]): string | null {
  const wanted = asked.toLowerCase().slice(0, LONGEST);
  const [best] = names
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase().slice(0, LONGEST)) }))
    .toSorted((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= Math.max(2, wanted.length / 2) ? best.name : null;
}

const LONGEST = 128;

/** How many letters have to come, go or change. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
