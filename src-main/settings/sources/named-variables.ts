import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';

/** The variables of the app's own environment that sources are given: what stands in them is a key, whatever they are called. */
export function namedVariables(sources: Readonly<Record<string, SourceSettings>>): readonly string[] {
  const names = Object.values(sources).flatMap(({ env = {}, headers = {}, credentials = {} }) =>
    [env, headers, credentials].flatMap((table) =>
      Object.values(table).flatMap((value) => /(?:^|\s)env:(\S+)$/u.exec(value)?.[1] ?? []),
    ),
  );
  return [...new Set(names)];
}
