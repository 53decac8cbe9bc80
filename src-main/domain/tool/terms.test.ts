import { expect, it } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { heldBy, heldBySettings, processTerms, sameTerms, termsInFull, termsInWords, type ToolTerms } from './terms.js';

interface Machine {
  readonly available?: boolean;
  readonly problem?: string | null;
  readonly network?: boolean;
  readonly hosts?: string[];
}

const termsOf = (
  mode: 'required' | 'preferred' | 'off',
  { available = true, problem = available ? null : 'no bubblewrap', network = false, hosts = [] }: Machine = {},
  forThisCall = false,
): ToolTerms => ({
  nature: 'command',
  paths: 'change',
  secrets: [],
  limits: { timeMs: 1, outputBytes: 1 },
  ...processTerms({
    config: defaultConfig({ run_command: { confinement: mode, network, allowed_hosts: hosts } }),
    confinement: { available, problem },
    network: forThisCall,
  }),
});

const shown = (...[mode, machine]: Parameters<typeof termsOf>) => {
  const opened = termsOf(mode, machine, true);
  return {
    words: termsInWords(termsOf(mode, machine)),
    withNetwork: opened.network.by === 'person' ? termsInWords(opened) : null,
  };
};

it.each(['required', 'preferred'] as const)(
  'confined without network (%s), the network is offered for one call',
  (mode) => {
    const { words, withNetwork } = shown(mode);
    expect(words).toMatch(/^Confined\. .*It has no network\.$/u);
    expect(withNetwork).toBe(
      words?.replace(
        'It has no network.',
        'For this call it can reach any host on the internet and in your networks, through a proxy. Programs that use no proxy have no network.',
      ),
    );
  },
);

it('what this machine lacks of a confinement is said', () => {
  expect(termsInWords(termsOf('preferred', { problem: 'Its calls are not filtered.' }))).toMatch(
    /^Confined\. .*Its calls are not filtered\.$/u,
  );
});

it('is not offered where it means nothing', () => {
  expect(shown('preferred', { network: true }).withNetwork, 'open for all').toBeNull();
  expect(shown('off').withNetwork, 'unconfined by choice').toBeNull();
  expect(shown('preferred', { available: false }).withNetwork, 'unconfined for want of bubblewrap').toBeNull();
  expect(shown('required', { available: false }).withNetwork, 'it will fail').toBeNull();
});

it.each([
  ['the machine confines no more', termsOf('preferred'), termsOf('preferred', { available: false })],
  ['it is refused and not unconfined', termsOf('required', { available: false }), termsOf('off')],
  ['it confines less', termsOf('preferred'), termsOf('preferred', { problem: 'Its calls are not filtered.' })],
  ['the settings open the network', termsOf('preferred'), termsOf('preferred', { network: true })],
  ['the person opens it', termsOf('preferred'), termsOf('preferred', {}, true)],
  ['one host more', termsOf('preferred', { hosts: ['a'] }), termsOf('preferred', { hosts: ['a', 'b'] })],
  ['another limit', termsOf('preferred'), { ...termsOf('preferred'), limits: { timeMs: 2, outputBytes: 1 } }],
  ['a secret', termsOf('preferred'), { ...termsOf('preferred'), secrets: ['TOKEN'] }],
  ['other paths', termsOf('preferred'), { ...termsOf('preferred'), paths: 'read' as const }],
  ['another nature', termsOf('preferred'), { ...termsOf('preferred'), nature: 'remote' as const }],
])('is not the same where %s', (_what, one, other) => {
  expect(sameTerms(one, other)).toBe(false);
  expect(sameTerms(other, structuredClone(other))).toBe(true);
});

it('is the same whyever it can’t be confined: that is for the words', () => {
  const [one, other] = ['no bubblewrap', 'no namespaces'].map((problem) =>
    termsOf('preferred', { available: false, problem }),
  ) as [ToolTerms, ToolTerms];
  expect(sameTerms(one, other)).toBe(true);
  expect(termsInWords(one)).not.toBe(termsInWords(other));
});

it('names every host where two are compared, and only the first on a sheet', () => {
  const hosts = ['a', 'b', 'c', 'd', 'e', 'f'];
  const terms = termsOf('preferred', { hosts });
  expect(termsInWords(terms)).toContain('a, b, c, d, e and 1 more, through a proxy');
  expect(termsInFull(terms)).toContain('(a, b, c, d, e, f)');
});

it('tells how closely it is held now, and how by the settings alone', () => {
  const held = (...args: Parameters<typeof termsOf>) => heldBy(termsOf(...args));
  expect(held('preferred')).toBe('confined');
  expect(held('preferred', { hosts: ['a'] })).toBe('network');
  expect(held('preferred', { available: false })).toBe('unconfined');
  expect(held('required', { available: false }), 'nothing runs').toBe('confined');
  expect(held('off')).toBe('unconfined');
  const bySettings = (run_command: object) => heldBySettings(defaultConfig({ run_command }));
  expect(bySettings({})).toBe('confined');
  expect(bySettings({ allowed_hosts: ['a'] })).toBe('confined');
  expect(bySettings({ network: true })).toBe('network');
  expect(bySettings({ confinement: 'off', network: true })).toBe('unconfined');
});
