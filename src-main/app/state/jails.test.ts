import { expect, it, vi } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { testFolder } from '../../tests/gate/gate.test-support.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { PathJail } from '../../workspace/sandbox/path-jail.js';
import { Jails, noSandbox } from './jails.js';

function jailsOf() {
  let config = defaultConfig();
  let situation: PlanningSituation = { config, sandbox: noSandbox('none'), workspace: '' };
  const jails = new Jails({
    config: () => config,
    bounds: () => ({}),
    now: () => situation,
    change: (next) => void (situation = next),
    onRoots: () => undefined,
  });
  const allow = (...roots: readonly string[]) =>
    void (config = defaultConfig({ sandbox: { ...defaultConfig().tools.sandbox, allowed_roots: [...roots] } }));
  return { jails, allow, now: () => situation };
}

it('a storm of settings builds the jail twice: while the first is built, the rest wait for one more', async () => {
  const { jails, now } = jailsOf();
  await jails.open(testFolder('storm'));
  const create = vi.spyOn(PathJail, 'create');
  await Promise.all(Array.from({ length: 1000 }, () => jails.rebuild()));
  expect(create.mock.calls.length).toBeLessThanOrEqual(2);
  expect(now().sandbox.roots).toHaveLength(1);
  create.mockRestore();
});

it('the jail of one workspace is never put in the place of another’s', async () => {
  const { jails, now } = jailsOf();
  const [one, other] = [testFolder('one'), testFolder('other')];
  await jails.open(one);
  await Promise.all([jails.rebuild(), jails.open(other), jails.rebuild()]);
  expect(now()).toMatchObject({ workspace: other, sandbox: { roots: [other] } });
});

it('where no root can be used any more nothing is reached, and a change that mends it helps', async () => {
  const { jails, allow, now } = jailsOf();
  await jails.open(testFolder('gone'));
  allow('nowhere');
  await expect(jails.rebuild()).rejects.toThrow('there is no such folder');
  await expect(now().sandbox.validate('a.txt')).rejects.toThrow('there is no such folder');
  allow('.');
  await jails.rebuild();
  expect(now().sandbox.roots).toEqual([now().workspace]);
});
