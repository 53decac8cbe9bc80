import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type Address, isLoopbackAddress, isWithin, parseAddress } from '../domain/outside/address.js';
import { OutsideProblem, type OutsideRequest } from '../domain/ports/outside.js';
import {
  isElsewhere,
  isNextToThisMachine,
  lookupAllowed,
  RefusedAddress,
} from '../platform/addresses/reachable-addresses.js';

/** Reads the address that the person chose. The request is judged against it after parsing. */
export function readRequestAddress({ url, within }: OutsideRequest): Address {
  const read = parseAddress(within);
  if (!read.ok) throw new OutsideProblem('address', `The address ${within} can’t be used. ${read.problem}`, false);
  const target = URL.parse(url);
  if (target === null || !isWithin(target, read.address))
    throw new OutsideProblem(
      'address',
      `A request to another place than ${read.address.url.host} was not sent.`,
      false,
    );
  return read.address;
}

/**
 * Refuses hosts that are written as addresses and lead to this machine: those are never looked up, so they are judged
 * here; a name is judged where it is looked up.
 */
export function refuseLiteralHost(address: Address, chosenBy: OutsideRequest['chosenBy']): void {
  const { hostname } = address.url;
  const literal = hostname.replace(/^\[|\]$/gu, '');
  if (isIP(literal) === 0) return;
  const isMeant =
    chosenBy === 'document' ? isElsewhere(literal, readOriginPort(address)) : !isNextToThisMachine(literal);
  if (!isMeant) throw refusedHostProblem(hostname);
}

/**
 * A lookup that resolves once, and connects to what passed alone: a second answer of the name server changes nothing.
 */
export function createLookup(
  address: Address,
  chosenBy: OutsideRequest['chosenBy'],
  resolveName: typeof lookup,
  led: OriginRecord = NO_RECORD,
): LookupFunction {
  if (chosenBy === 'document') return lookupAllowed([], readOriginPort(address), resolveName);
  return address.isLoopback
    ? createFilteredLookup(resolveName, isLoopbackAddress, 'does not lead to this computer')
    : createPinnedLookup(address, resolveName, led);
}

/** Records where a name led when something was accepted with it. */
export interface OriginRecord {
  /** Null: not known yet. */
  wasLocal(origin: string): boolean | null;
  learn(origin: string, here: boolean): void;
  /** Notes that it was refused: it led elsewhere, and leads here now. */
  noteMoved(origin: string): void;
}

const NO_RECORD: OriginRecord = { wasLocal: () => null, learn: () => undefined, noteMoved: () => undefined };

/**
 * Whether an address leads to this computer now: by its name, or by all that the name resolves to. A name that resolves
 * to nothing leads elsewhere.
 */
export async function isLocalUrl(url: string, resolveName: typeof lookup = lookup): Promise<boolean> {
  const read = parseAddress(url);
  if (!read.ok) return false;
  const { address } = read;
  if (address.isLoopback) return true;
  const host = address.url.hostname.replace(/^\[|\]$/gu, '');
  const found = await new Promise<readonly LookupAddress[]>((resolve) =>
    resolveName(host, { all: true }, (error, all) => resolve(error === null ? all : [])),
  );
  return found.length > 0 && found.every(({ address: each }) => !isElsewhere(each, readOriginPort(address)));
}

/**
 * Looks a host up, and refuses where it leads to another kind of place than when it was accepted. The owner of a name
 * decides where it leads, and must not turn it to the services of this computer once it was taken for another place.
 */
function createPinnedLookup(address: Address, resolveName: typeof lookup, led: OriginRecord): LookupFunction {
  const { origin } = address;
  const port = readOriginPort(address);
  if (led.wasLocal(origin) === false)
    return createFilteredLookup(
      resolveName,
      (found) => isElsewhere(found, port),
      'led elsewhere when it was accepted, and leads to this computer or next to it now',
      { refused: () => led.noteMoved(origin) },
    );
  return createFilteredLookup(
    resolveName,
    (found) => !isNextToThisMachine(found),
    'leads next to this computer, where nothing is meant to be',
    {
      passed: (found) => {
        if (led.wasLocal(origin) === null)
          led.learn(
            origin,
            found.every(({ address: each }) => !isElsewhere(each, port)),
          );
      },
    },
  );
}

const refusedHostProblem = (host: string): OutsideProblem =>
  new OutsideProblem(
    'address',
    `${host} is this computer or next to it (as a cloud’s metadata is): nothing was sent.`,
    false,
  );

const readOriginPort = ({ origin }: Address): number => Number(/\d+$/u.exec(origin)?.[0]);

const createFilteredLookup =
  (
    resolveName: typeof lookup,
    passes: (address: string) => boolean,
    otherwise: string,
    told: {
      readonly passed?: (found: readonly LookupAddress[]) => void;
      readonly refused?: () => void;
    } = {},
  ): LookupFunction =>
  (host, options, done) =>
    resolveName(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const passing = (found ?? []).filter(({ address }) => passes(address));
      const [first] = passing;
      if (error !== null) done(error, []);
      else if (first === undefined) {
        if (found.length > 0) told.refused?.();
        done(new RefusedAddress(`${host} ${otherwise}`), []);
      } else {
        told.passed?.(passing);
        if (options.all === true) done(null, passing);
        else done(null, first.address, first.family);
      }
    });
