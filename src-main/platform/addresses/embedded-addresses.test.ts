import { expect, it } from 'vitest';
import { findEmbeddedAddresses } from './embedded-addresses.js';

it.each([
  ['::ffff:192.0.2.1', ['192.0.2.1']],
  ['::ffff:c000:201%eth0', ['192.0.2.1']],
  ['::ffff:0:192.0.2.1', ['192.0.2.1']],
  ['::192.0.2.1', ['192.0.2.1']],
  ['64:ff9b::192.0.2.1', ['192.0.2.1']],
  ['64:ff9b:1::192.0.2.1', ['192.0.2.1']],
  ['2002:c000:201::5', ['192.0.2.1']],
  ['2001:0:c000:201::3fff:fdfe', ['192.0.2.1', '192.0.2.1']],
  ['2001:db8::c000:201', []],
  ['192.0.2.1', []],
  ['nonsense', []],
])('%s leads to %j', (address, leadsTo) => {
  expect(findEmbeddedAddresses(address)).toEqual(leadsTo);
});
