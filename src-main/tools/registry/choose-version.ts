import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import { isInRange, type VersionRange } from '../../domain/tool/version-range.js';

export type VersionChoice =
  { readonly ok: true; readonly tool: RegisteredTool } | { readonly ok: false; readonly failure: Failure };

/**
 * Chooses the highest active version in the range, else the highest deprecated one. A sunset one is chosen only where
 * it is asked for exactly.
 */
export function chooseVersion(
  name: string,
  highestFirst: readonly RegisteredTool[],
  range: VersionRange,
): VersionChoice {
  const inRange = highestFirst.filter(({ tool }) => isInRange(tool.declaration.version, range));
  const of = (...states: readonly RegisteredTool['lifecycle'][]) =>
    states.map((state) => inRange.find(({ lifecycle }) => lifecycle === state)).find((found) => found !== undefined);
  const tool = range.exact ? of('active', 'deprecated', 'sunset') : of('active', 'deprecated');
  return tool === undefined ? { ok: false, failure: explainNoVersion(name, inRange, range) } : { ok: true, tool };
}

function explainNoVersion(name: string, inRange: readonly RegisteredTool[], { text, exact }: VersionRange): Failure {
  const failure = (eCode: Failure['eCode'], message: string): Failure => ({
    code: 'UnknownTool',
    message,
    ...(eCode === undefined ? {} : { eCode }),
  });
  if (exact && inRange.length > 0)
    return failure('E3004', `Version ${text} of “${name}” was removed.${suggestReplacement(inRange)}`);
  if (exact) return failure('E3002', `There is no version ${text} of “${name}”.`);
  const sunset = inRange.filter(({ lifecycle }) => lifecycle === 'sunset').map(({ tool }) => tool.declaration.version);
  const only = sunset.length === 0 ? '' : ` ${sunset.join(', ')} can still be asked for by its exact version.`;
  return failure('E3006', `No version of “${name}” that is in use fits ${text}.${only}${suggestReplacement(inRange)}`);
}

const suggestReplacement = (versions: readonly RegisteredTool[]): string => {
  const said = versions.flatMap(({ insteadUse }) => insteadUse ?? []);
  return said.length === 0 ? '' : ` Use ${said[0]} instead.`;
};
