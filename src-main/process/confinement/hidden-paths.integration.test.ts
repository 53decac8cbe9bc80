import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestRunner } from '../process.test-support.js';

const KEPT_IN_HOME: readonly string[] = [
  '.ssh/id_rsa',
  'snap/firefox/common/.mozilla/firefox/p/logins.json',
  'snap/chromium/common/chromium/Default/Cookies',
  '.var/app/org.mozilla.firefox/.mozilla/firefox/p/logins.json',
  '.mozilla/firefox/p/logins.json',
  '.config/mozilla/firefox/p/logins.json',
  '.librewolf/p/logins.json',
  '.config/google-chrome/Default/Cookies',
  '.config/google-chrome-beta/Default/Cookies',
  '.config/google-chrome-unstable/Default/Cookies',
  '.config/chromium/Default/Cookies',
  '.config/BraveSoftware/Brave-Browser-Nightly/Default/Cookies',
  '.config/microsoft-edge-beta/Default/Cookies',
  '.config/microsoft-edge-dev/Default/Cookies',
  '.config/vivaldi/Default/Cookies',
  '.config/opera/Cookies',
  '.config/containers/auth.json',
  '.config/helm/registry/config.json',
  '.local/share/fish/fish_history',
  '.local/share/keyrings/login.keyring',
  '.local/state/python_history',
];

/** Places that the app's environment names. */
const KEPT_ELSEWHERE: readonly (readonly [variable: string, value: string, file: string])[] = [
  ['XDG_CONFIG_HOME', 'settings', 'settings/gh/hosts.yml'],
  ['XDG_CONFIG_HOME', 'settings/', 'settings/containers/auth.json'],
  ['XDG_DATA_HOME', 'data', 'data/fish/fish_history'],
  ['XDG_STATE_HOME', 'state', 'state/python_history'],
  ['CARGO_HOME', 'cargo', 'cargo/credentials.toml'],
  ['GNUPGHOME', 'gnupg', 'gnupg/private-keys-v1.d/key'],
  ['KUBECONFIG', 'kube.yml', 'kube.yml'],
  ['HISTFILE', 'history', 'history'],
];

async function readConfined(file: string, variables: (home: string) => Record<string, string>): Promise<string> {
  const environment: Record<string, string> = { PATH: process.env['PATH'] ?? '' };
  await using runner = await openTestRunner(environment);
  const home = runner.outside;
  Object.assign(environment, { HOME: home, ...variables(home) });
  for (const path of [file, 'plain.txt']) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), path === file ? 'secret' : 'plain ');
  }
  // Of a home folder that a person shows as a whole: what is known to be secret stays covered.
  const settings = { confinement: 'required' as const, home_allowlist: ['.'] };
  const { stdout } = await runner.run(`cat ~/plain.txt "$HOME/${file}"`, { settings });
  return stdout;
}

describe('what opens other doors is not there for a confined command', () => {
  it.each(KEPT_IN_HOME)('~/%s', async (file) => {
    expect(await readConfined(file, () => ({}))).toBe('plain ');
  });

  it.each(KEPT_ELSEWHERE)('where %s is ~/%s: %s', async (variable, value, file) => {
    expect(await readConfined(file, (home) => ({ [variable]: `${home}/${value}` }))).toBe('plain ');
  });

  it('a variable that names the home folder, or one that holds it, hides nothing else there', async () => {
    expect(await readConfined('.ssh/id_rsa', (home) => ({ DOCKER_CONFIG: home, KUBECONFIG: `/:${home}/` }))).toBe(
      'plain ',
    );
    expect(await readConfined('.ssh/id_rsa', (home) => ({ GNUPGHOME: dirname(home) }))).toBe('plain ');
  });
});

it('a socket that somebody listens on in a folder that is hidden is hidden with it, and in nobody’s way', async () => {
  const environment: Record<string, string> = { PATH: process.env['PATH'] ?? '' };
  await using runner = await openTestRunner(environment);
  const keys = join(runner.outside, 'gnupg');
  Object.assign(environment, { HOME: runner.outside, GNUPGHOME: keys });
  mkdirSync(keys);
  const agent = createServer().listen(join(keys, 'S.gpg-agent'));
  await once(agent, 'listening');
  onTestFinished(() => void agent.close());
  const settings = { confinement: 'required' as const, home_allowlist: ['.'] };
  const { stdout } = await runner.run('ls -A ~/gnupg; echo ran', { settings });
  expect(stdout).toBe('ran\n');
});

it('a workspace in a folder that is hidden can be worked in', async () => {
  const environment: Record<string, string> = { PATH: process.env['PATH'] ?? '' };
  await using runner = await openTestRunner(environment);
  const home = runner.outside;
  environment['HOME'] = home;
  const workspace = join(home, 'snap/code/ws');
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(home, 'snap/code/key'), 'secret');
  const options = { settings: { confinement: 'required' }, workingDirectory: workspace } as const;
  const { stdout } = await runner.run('echo mine >f; cat f ../key', options);
  expect(stdout).toBe('mine\n');
  rmSync(workspace, { recursive: true });
});
