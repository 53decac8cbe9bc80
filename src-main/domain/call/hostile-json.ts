const MAX_DEPTH = 64;

/**
 * Finds JSON that no tool should ever see: nesting that overflows a stack, numbers that are none, text that is not
 * Unicode, keys that reach into prototypes. Walks with its own stack, so that depth can't hurt it. Gives the first
 * problem in words, or null.
 */
export function findHostileJson(json: unknown): string | null {
  const pending: Array<{ value: unknown; depth: number; where: string }> = [
    { value: json, depth: 1, where: 'arguments' },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth, where } = next;
    const problem = describeHostility(value, depth, where);
    if (problem !== null) return problem;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (key === '__proto__') return `${where} has a key “__proto__”, which is not allowed.`;
      if (!key.isWellFormed()) return `${where} has a key that is not valid Unicode.`;
      pending.push({
        value: child,
        depth: depth + 1,
        where: Array.isArray(value) ? `${where}[${key}]` : `${where}.${key.slice(0, 60)}`,
      });
    }
  }
  return null;
}

function describeHostility(value: unknown, depth: number, where: string): string | null {
  if (depth > MAX_DEPTH) return `The arguments are nested more than ${MAX_DEPTH} deep.`;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${where} is a number too large to hold.`;
  if (typeof value === 'string') {
    return value.isWellFormed() ? null : `${where} is not valid Unicode (it has half a surrogate pair).`;
  }
  return typeof value === 'boolean' || typeof value === 'object' ? null : `${where} is not JSON.`;
}
