import { expect, it } from 'vitest';
import type { AppStatus } from '#contract/window/app-events.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { commandConfinement } from './status-line.js';

const shown = (
  mode: 'required' | 'preferred' | 'off',
  { available = true, network = false }: { readonly available?: boolean; readonly network?: boolean } = {},
) =>
  commandConfinement(
    { confinement: { mode, available, problem: available ? null : 'no bubblewrap' } } as AppStatus,
    defaultConfig({ run_command: { confinement: mode, network } }),
  );

it.each(['required', 'preferred'] as const)(
  'confined without network (%s), the network is offered for one call',
  (mode) => {
    const { words, withNetwork } = shown(mode);
    expect(words).toMatch(/^Confined\. .*It has no network\.$/u);
    expect(withNetwork).toBe(
      words.replace(
        'It has no network.',
        'For this call it can reach any host on the internet and in your networks, through a proxy. Programs that use no proxy have no network.',
      ),
    );
  },
);

it('what this machine lacks of a confinement is said', () => {
  const status = { confinement: { mode: 'preferred', available: true, problem: 'Its calls are not filtered.' } };
  expect(commandConfinement(status as AppStatus, defaultConfig()).words).toMatch(
    /^Confined\. .*Its calls are not filtered\.$/u,
  );
});

it('is not offered where it means nothing', () => {
  expect(shown('preferred', { network: true }).withNetwork, 'open for all').toBeNull();
  expect(shown('off').withNetwork, 'unconfined by choice').toBeNull();
  expect(shown('preferred', { available: false }).withNetwork, 'unconfined for want of bubblewrap').toBeNull();
  expect(shown('required', { available: false }).withNetwork, 'it will fail').toBeNull();
});
