import type { KeyLookupResult } from '../domain/outside/key-destination.js';
import { type Address, parseAddress } from '../domain/outside/address.js';
import { type OutsideKey, OutsideProblem, type OutsideRequest } from '../domain/ports/outside.js';
import { resolveKey, type KeySources } from './resolve-key.js';

/** The headers of the request with the values of its keys, each only for the address that it was entered for. */
export function buildRequestHeaders(
  { headers, body, keys }: OutsideRequest,
  address: Address,
  sources: KeySources,
): Readonly<Record<string, string | number>> {
  for (const [name, value] of Object.entries(headers))
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value))
      throw new OutsideProblem(
        'unsendable',
        `The header ${JSON.stringify(name.slice(0, 100))} has characters that no header can hold: nothing was sent.`,
        false,
      );
  return {
    ...headers,
    'accept-encoding': 'identity',
    ...Object.fromEntries(keys.map((key) => buildKeyHeader(key, address, sources))),
    ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;

function buildKeyHeader(
  key: OutsideKey,
  address: Address,
  sources: KeySources,
): readonly [name: string, value: string] {
  const bound = parseAddress(key.boundTo);
  if (!bound.ok || bound.address.origin !== address.origin)
    throw new OutsideProblem(
      'key',
      `The key was entered for another address than ${address.url.host}: it was not sent.`,
      false,
    );
  if (!address.isPrivate)
    throw new OutsideProblem(
      'address',
      `${address.url.host} is neither https nor this computer, so a key would travel in the clear: nothing was sent. Use an https:// address.`,
      false,
    );
  const place = { asker: key.asker, origin: address.origin };
  return [key.header, `${key.prefix}${readPrintableKey(resolveKey(key.from, place, sources), key)}`];
}

/** Node's own error would quote the header. */
function readPrintableKey(found: KeyLookupResult, key: OutsideKey): string {
  if ('problem' in found) throw new OutsideProblem('key', `${found.problem}: nothing was sent.`, false);
  if (!/^[\u0021-\u007e]+$/u.test(found.value))
    throw new OutsideProblem(
      'key',
      `The key for ${key.boundTo} has characters that no key has. Enter it again.`,
      false,
    );
  return found.value;
}
