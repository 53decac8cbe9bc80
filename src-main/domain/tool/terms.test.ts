import { expect, it } from 'vitest';
import { type AllowedNetwork, buildNetworkTerm, NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { buildTermChips, formatTerms } from './term-words.js';
import {
  getConfinement,
  getConfinementBySettings,
  resolveProcessTerms,
  areSameTerms,
  type ToolTerms,
} from './terms.js';

interface Machine {
  readonly available?: boolean;
  readonly problem?: string | null;
  readonly network?: boolean;
  readonly hosts?: string[];
}

const termsOf = (
  mode: 'required' | 'preferred' | 'off',
  { available = true, problem = available ? null : 'no bubblewrap', network = false, hosts = [] }: Machine = {},
  forThisCall: AllowedNetwork = NOTHING_ALLOWED,
): ToolTerms => ({
  nature: 'command',
  paths: 'change',
  secrets: [],
  limits: { timeMs: 1, outputBytes: 1 },
  ...resolveProcessTerms({
    config: defaultConfig({ run_command: { confinement: mode, network, allowed_hosts: hosts } }),
    confinement: { available, problem },
    network: forThisCall,
  }),
});

const wordsOf = (...args: Parameters<typeof termsOf>) => buildTermChips(termsOf(...args)).map(({ words }) => words);
const offered = (...[mode, machine]: Parameters<typeof termsOf>) => {
  const { network } = termsOf(mode, machine, 'any');
  return network.by === 'person' ? buildNetworkTerm(network) : null;
};

it.each(['required', 'preferred'] as const)(
  'sandboxed without network (%s), the network is offered for one call',
  (mode) => {
    expect(wordsOf(mode)).toEqual(['Sandboxed', 'No network']);
    expect(offered(mode)).toMatchObject({ about: 'network', words: 'Any host' });
    expect(offered(mode)?.detail).toContain('no server on this computer');
  },
);

it('what this machine lacks of a sandbox warns', () => {
  expect(buildTermChips(termsOf('preferred', { problem: 'Its calls are not filtered.' }))[0]).toEqual({
    about: 'sandbox',
    words: 'Sandboxed in part',
    detail: 'Its calls are not filtered.',
    warns: true,
  });
});

it('warns where nothing holds it, and where it will fail: why, and what to do about it', () => {
  const problem = 'bubblewrap is not installed. Install the package “bubblewrap”.';
  const [unconfined, ...more] = buildTermChips(termsOf('preferred', { available: false, problem }));
  expect(more, 'nothing is said of a network that nothing closes').toEqual([]);
  expect(unconfined).toMatchObject({
    words: 'Unconfined: bubblewrap is not installed',
    detail: 'Install the package “bubblewrap”. It can do whatever you can.',
    warns: true,
  });
  expect(buildTermChips(termsOf('required', { available: false, problem }))).toMatchObject([
    { words: 'Will fail: the sandbox is required, and bubblewrap is not installed', warns: true },
  ]);
  expect(buildTermChips(termsOf('off'))).toMatchObject([
    { words: 'Unconfined: the sandbox is off', detail: 'It can do whatever you can.', warns: true },
  ]);
});

it('where it can reach only some hosts, it names them', () => {
  expect(wordsOf('preferred', { hosts: ['a', 'b'] })).toEqual(['Sandboxed', 'Network: a, b']);
});

it('is not offered where it means nothing', () => {
  expect(offered('preferred', { network: true }), 'open for all').toBeNull();
  expect(offered('off'), 'unconfined by choice').toBeNull();
  expect(offered('preferred', { available: false }), 'unconfined for want of bubblewrap').toBeNull();
  expect(offered('required', { available: false }), 'it will fail').toBeNull();
});

it.each([
  ['the machine confines no more', termsOf('preferred'), termsOf('preferred', { available: false })],
  ['it is refused and not unconfined', termsOf('required', { available: false }), termsOf('off')],
  ['it confines less', termsOf('preferred'), termsOf('preferred', { problem: 'Its calls are not filtered.' })],
  ['the settings open the network', termsOf('preferred'), termsOf('preferred', { network: true })],
  ['the person opens it', termsOf('preferred'), termsOf('preferred', {}, 'any')],
  ['one host more', termsOf('preferred', { hosts: ['a'] }), termsOf('preferred', { hosts: ['a', 'b'] })],
  ['another limit', termsOf('preferred'), { ...termsOf('preferred'), limits: { timeMs: 2, outputBytes: 1 } }],
  ['a secret', termsOf('preferred'), { ...termsOf('preferred'), secrets: ['TOKEN'] }],
  ['other paths', termsOf('preferred'), { ...termsOf('preferred'), paths: 'read' as const }],
  ['another nature', termsOf('preferred'), { ...termsOf('preferred'), nature: 'remote' as const }],
])('is not the same where %s', (_what, one, other) => {
  expect(areSameTerms(one, other)).toBe(false);
  expect(areSameTerms(other, structuredClone(other))).toBe(true);
});

it('is the same whyever it can’t be confined: that is for the words', () => {
  const [one, other] = ['no bubblewrap', 'no namespaces'].map((problem) =>
    termsOf('preferred', { available: false, problem }),
  ) as [ToolTerms, ToolTerms];
  expect(areSameTerms(one, other)).toBe(true);
  expect(buildTermChips(one)).not.toEqual(buildTermChips(other));
});

it('names every host where two are compared, and only the first on a sheet', () => {
  const hosts = ['a', 'b', 'c', 'd', 'e', 'f'];
  const terms = termsOf('preferred', { hosts });
  expect(buildTermChips(terms)[1]?.words).toBe('Network: a, b, c, d, e and 1 more');
  expect(formatTerms(terms)).toContain('a, b, c, d, e, f');
});

it('tells how closely it is held now, and how by the settings alone', () => {
  const held = (...args: Parameters<typeof termsOf>) => getConfinement(termsOf(...args));
  expect(held('preferred')).toBe('confined');
  expect(held('preferred', { hosts: ['a'] })).toBe('network');
  expect(held('preferred', { available: false })).toBe('unconfined');
  expect(held('required', { available: false }), 'nothing runs').toBe('confined');
  expect(held('off')).toBe('unconfined');
  const bySettings = (run_command: object) => getConfinementBySettings(defaultConfig({ run_command }));
  expect(bySettings({})).toBe('confined');
  expect(bySettings({ allowed_hosts: ['a'] })).toBe('confined');
  expect(bySettings({ network: true })).toBe('network');
  expect(bySettings({ confinement: 'off', network: true })).toBe('unconfined');
});
