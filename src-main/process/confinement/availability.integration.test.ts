import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configWith, openTestRunner } from '../process.test-support.js';
import { confinementState, findConfinement } from './availability.js';
import { chooseConfinement } from './confinement-choice.js';
import { buildSeccompFilter } from './seccomp/seccomp-filter.js';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bwrap-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fakeBwrap(script: string): string {
  const path = join(mkdtempSync(join(folder, 'place-')), 'bwrap');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const machine = { homes: [folder], hidden: () => [], writable: () => [] };
const request = (confinement: 'required' | 'preferred' | 'off') => ({
  config: configWith({ confinement }),
  sees: 'machine' as const,
  readable: [],
  workingDirectory: folder,
  network: [],
});

describe('whether commands can be confined is found out by confining one', () => {
  it('finds it here', async () => {
    expect(await findConfinement('linux')).toMatchObject({
      available: true,
      disableNestedNamespaces: true,
      filtersCalls: true,
      showsMounts: true,
    });
  });

  it.each([
    ['linux', [] as string[], 'bubblewrap is not installed'],
    ['darwin', undefined, 'can’t sandbox commands on macOS'],
    ['win32', undefined, 'can’t sandbox commands on Windows'],
  ] as const)('says why not on %s', async (platform, places, problem) => {
    const found = await findConfinement(platform, places);
    expect(found).toMatchObject({ available: false, problem: expect.stringContaining(problem) as string });
  });

  it('passes on what bubblewrap said, and what to do', async () => {
    const said = 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1';
    const found = await findConfinement('linux', [fakeBwrap(said)]);
    expect(found).toMatchObject({ available: false, problem: expect.stringMatching(/uid map.*AppArmor/u) as string });
  });

  it('does without what an older bubblewrap does not know', async () => {
    const older = fakeBwrap('for a; do [ "$a" = --disable-userns ] && exit 1; done; exit 0');
    expect(await findConfinement('linux', [older])).toEqual({
      available: true,
      bwrap: older,
      disableNestedNamespaces: false,
      filtersCalls: true,
      showsMounts: true,
    });
  });

  it('an older bubblewrap can’t refuse namespaces of one’s own: the filter of system calls does', async () => {
    const older = fakeBwrap('for a; do [ "$a" = --disable-userns ] && exit 1; done; exec /usr/bin/bwrap "$@"');
    await using runner = await openTestRunner(undefined, { bubblewraps: [older] });
    const command = 'echo $(cat /proc/sys/user/max_user_namespaces); unshare --user true && echo ESCAPED';
    const { stdout, stderr, confinement } = await runner.run(command, { settings: { confinement: 'required' } });
    expect({ stdout, confinement }).toEqual({
      stdout: expect.stringMatching(/^[1-9]\d*\n$/u) as string,
      confinement: 'confined',
    });
    expect(stderr).toContain('Operation not permitted');
  });

  it('where system calls can’t be filtered, it confines without and says what that means', async () => {
    const state = async (script: string | null, filter: Buffer | null) =>
      confinementState(await findConfinement('linux', script === null ? undefined : [fakeBwrap(script)], filter));
    const means = 'System calls can’t be filtered on this machine, so it may use your session’s keys and reach more';
    // A machine whose numbers are not known; and a kernel that takes no filter.
    expect(await state(null, null)).toMatchObject({
      available: true,
      problem: expect.stringContaining(means) as string,
    });
    const none = 'for a; do [ "$a" = --seccomp ] && exit 1; done; exec /usr/bin/bwrap "$@"';
    expect((await state(none, buildSeccompFilter()))?.problem).toContain(means);
    const neither = 'for a; do case $a in --seccomp|--disable-userns) exit 1 ;; esac; done; exec /usr/bin/bwrap "$@"';
    expect((await state(neither, buildSeccompFilter()))?.problem).toContain(
      'your session’s keys, make namespaces of its own',
    );
    await using runner = await openTestRunner(undefined, { bubblewraps: [fakeBwrap(none)] });
    const { stdout } = await runner.run(
      'for fd in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; grep ^Seccomp: /proc/self/status',
      {
        settings: { confinement: 'required' },
      },
    );
    expect(stdout).toBe('Seccomp:\t0\n');
  });

  it('confines also where nothing outside may see what it mounted', async () => {
    const closed = fakeBwrap(`for a; do [ "$a" = --block-fd ] && exit 1; done; exec /usr/bin/bwrap "$@"`);
    expect(await findConfinement('linux', [closed])).toMatchObject({ available: true, showsMounts: false });
    await using runner = await openTestRunner(undefined, { bubblewraps: [closed] });
    const { stdout, confinement } = await runner.run('echo confined; touch ~/out 2>/dev/null', {
      settings: { confinement: 'required' },
    });
    expect({ stdout, confinement }).toEqual({ stdout: 'confined\n', confinement: 'confined' });
    expect(existsSync(join(runner.outside, 'out'))).toBe(false);
  });
});

describe('what was not there and comes', () => {
  it('is found before a command would run unconfined: that one is asked again, and the next is confined', async () => {
    const place = join(mkdtempSync(join(folder, 'place-')), 'bwrap');
    await using runner = await openTestRunner(undefined, { bubblewraps: [place] });
    const before = await runner.run('echo ran');
    expect(before).toMatchObject({ confinement: 'unconfined', stdout: 'ran\n' });
    writeFileSync(place, '#!/bin/sh\nexec /usr/bin/bwrap "$@"\n', { mode: 0o755 });
    // An answer of this moment is not asked for anew.
    await expect
      .poll(async () => (await runner.run('echo ran; touch made')).ending, { timeout: 20_000 })
      .toMatchObject({
        kind: 'unstartable',
        reason: expect.stringContaining('ask again, and it runs confined') as string,
      });
    rmSync(join(runner.workspace, 'made'), { force: true });
    expect(await runner.run('echo ran')).toMatchObject({ confinement: 'confined', stdout: 'ran\n' });
    expect(runner.confinements.map(({ available }) => available)).toEqual(
      expect.arrayContaining([false, true]) as boolean[],
    );
    expect(runner.confinements.at(-1)).toEqual({ available: true, problem: null });
    // What was there and is gone is no reason to do without: the command fails.
    rmSync(place);
    expect(await runner.run('touch made')).toMatchObject({ confinement: null });
    expect(existsSync(join(runner.workspace, 'made'))).toBe(false);
  });
});

describe('where it can’t be had', () => {
  const none = { available: false, problem: 'no bubblewrap' } as const;

  it('a required confinement refuses, with the reason', () => {
    expect(chooseConfinement(none, request('required'), machine)).toMatchObject({
      possible: false,
      reason: expect.stringContaining('no bubblewrap') as string,
    });
  });

  it('a preferred one runs unconfined and says so', () => {
    expect(chooseConfinement(none, request('preferred'), machine)).toMatchObject({
      possible: true,
      confinement: 'unconfined',
      reach: null,
    });
  });

  it('a network that was allowed for the call changes nothing of that', () => {
    expect(chooseConfinement(none, { ...request('required'), network: 'any' }, machine).possible).toBe(false);
    expect(chooseConfinement(none, { ...request('preferred'), network: 'any' }, machine)).toMatchObject({
      confinement: 'unconfined',
    });
  });

  it('off is off, even where it could be had', async () => {
    expect(chooseConfinement(await findConfinement('linux'), request('off'), machine)).toMatchObject({
      confinement: 'unconfined',
    });
  });
});
