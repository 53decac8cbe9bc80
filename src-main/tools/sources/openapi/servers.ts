import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../../domain/outside/address.js';

export type ServerRead = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly problem: string };

/** The first of a document’s servers, with its variables’ defaults, relative to where the document is. */
export function readFirstServer(servers: Json | undefined, documentUrl: string | null): ServerRead {
  const no = (problem: string): ServerRead => ({ ok: false, problem });
  const [first] = Array.isArray(servers) ? (servers as readonly Json[]) : [];
  // Where none is named it is the root of where the document is.
  const named = first === undefined ? '/' : isJsonObject(first) ? first['url'] : null;
  if (typeof named !== 'string') return no('Its first server has no url.');
  const variables = isJsonObject(first) && isJsonObject(first['variables']) ? first['variables'] : {};
  let unknown: string | null = null;
  const filled = named.replaceAll(/\{([^{}]*)\}/gu, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isJsonObject(variable) ? variable['default'] : undefined;
    if (typeof value === 'string') return value;
    unknown = whole;
    return '';
  });
  if (unknown !== null) return no(`Its first server has ${String(unknown).slice(0, 100)}, and no default for it.`);
  const url = documentUrl === null ? URL.parse(filled) : URL.parse(filled, documentUrl);
  if (url === null)
    return no(
      `Its first server is ${filled === '/' ? 'not named' : `“${filled.slice(0, 200)}”`}, which is relative to nothing.`,
    );
  url.search = '';
  url.hash = '';
  const read = parseAddress(url.href);
  return read.ok ? { ok: true, url: url.href } : no(`Its first server (${url.href.slice(0, 200)}): ${read.problem}`);
}
