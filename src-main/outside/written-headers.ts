import { type Address, readAddress } from '../domain/outside/address.js';
import { type OutsideKey, OutsideProblem, type OutsideRequest } from '../domain/ports/outside.js';
import { keyValue, type KeySources } from './key-value.js';

/** Those of the request, and what its keys stand for, each only for the address that it was entered for. */
export function writtenHeaders(
  { headers, body, keys }: OutsideRequest,
  address: Address,
  sources: KeySources,
): Readonly<Record<string, string | number>> {
  for (const [name, value] of Object.entries(headers))
    if (!NAME.test(name) || !VALUE.test(value))
      throw new OutsideProblem(
        'unsendable',
        `The header ${JSON.stringify(name.slice(0, 100))} has characters that no header can hold: nothing was sent.`,
        false,
      );
  return {
    ...headers,
    'accept-encoding': 'identity',
    ...Object.fromEntries(keys.map((key) => keyHeader(key, address, sources))),
    ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;

function keyHeader(key: OutsideKey, address: Address, sources: KeySources): readonly [name: string, value: string] {
  const bound = readAddress(key.boundTo);
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
  return [key.header, `${key.prefix}${printable(keyValue(key.from, sources), key)}`];
}

/** Node's own error would quote the header. */
function printable(value: string | null, key: OutsideKey): string {
  if (value === null) throw new OutsideProblem('key', missing(key.from), false);
  if (!/^[\u0021-\u007e]+$/u.test(value))
    throw new OutsideProblem(
      'key',
      `The key for ${key.boundTo} has characters that no key has. Enter it again.`,
      false,
    );
  return value;
}

function missing(from: string): string {
  const [, kind, name = ''] = /^(secret|env):(.+)$/su.exec(from) ?? [];
  if (kind === 'env') return `The variable ${name} is not set for Gatehouse, or is empty: nothing was sent.`;
  return kind === 'secret' ? `There is no key “${name}”: nothing was sent.` : 'There is no key: nothing was sent.';
}
