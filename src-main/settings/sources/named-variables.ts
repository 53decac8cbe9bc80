import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';

/**
 * Lists the variables of the app's own environment that sources are given: their values are keys, whatever they are
 * called.
 */
export function listNamedVariables(sources: Readonly<Record<string, SourceSettings>>): readonly string[] {
  const names = Object.values(sources).flatMap(({ env = {}, headers = {}, credentials = {} }) =>
    [env, headers, credentials].flatMap((table) =>
      Object.values(table).flatMap((value) => /(?:^|\s)env:(\S+)$/u.exec(value)?.[1] ?? []),
    ),
  );
  return [...new Set(names)];
}
