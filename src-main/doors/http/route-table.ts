import type { Route } from './route.js';

interface RoutePattern {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly byMethod: ReadonlyMap<string, Route>;
}

export type FoundRoute =
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong-method'; readonly allow: string }
  | { readonly kind: 'found'; readonly route: Route; readonly parameters: Readonly<Record<string, string>> };

const MAX_PATH_PARAMETER = 600;

/** Finds routes by method and path. Of several that fit, the one with more literal text is meant: `{id}:run` before `{id}`. */
export function routeTable(routes: readonly Route[]): (method: string, pathname: string) => FoundRoute {
  const places = [...Map.groupBy(routes, ({ facts }) => facts.path)]
    .toSorted(([a], [b]) => literalLength(b) - literalLength(a))
    .map(([path, there]) => placeOf(path, there));
  return (method, pathname) => {
    for (const { pattern, names, byMethod } of places) {
      const match = pattern.exec(pathname);
      if (match === null) continue;
      const values = match.slice(1).map(decode);
      if (!values.every((value) => value !== null)) continue;
      const route = byMethod.get(method);
      if (route === undefined) return { kind: 'wrong-method', allow: [...byMethod.keys()].join(', ') };
      return {
        kind: 'found',
        route,
        parameters: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])),
      };
    }
    return { kind: 'none' };
  };
}

const NAME = /\{([A-Za-z_]+)\}/gu;

const literalLength = (path: string): number => path.replaceAll(NAME, '').length;

function placeOf(path: string, routes: readonly Route[]): RoutePattern {
  const byMethod = new Map(routes.map((each) => [each.facts.method as string, each]));
  if (byMethod.size < routes.length) throw new Error(`Two routes have the same method at ${path}.`);
  const source = path
    .split(NAME)
    .map((part, at) => (at % 2 === 0 ? RegExp.escape(part) : `([^/]{1,${MAX_PATH_PARAMETER}})`))
    .join('');
  return {
    pattern: new RegExp(`^${source}$`, 'u'),
    names: [...path.matchAll(NAME)].map(([, name]) => name ?? ''),
    byMethod,
  };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
