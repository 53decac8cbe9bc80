import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandEnvironment } from './environment.js';

const DENYLIST = ['*_KEY', '*_TOKEN', '*_SECRET', '*_PASSWORD', 'AWS_*', 'ANTHROPIC_*', 'OPENAI_*'];
const rules = { allowlist: [], denylist: DENYLIST, writable: ['/w'] };

/** Names under which people keep secrets, and names by which programs are led astray. */
const PLANTED: readonly string[] = [
  'GITHUB_PAT',
  'GH_TOKEN',
  'NPM_AUTH',
  'DATABASE_URL',
  'PGPASSWORD',
  'MYSQL_PWD',
  'REDIS_URL',
  'SENTRY_DSN',
  'STRIPE_SK',
  'SLACK_WEBHOOK',
  'JWT',
  'SESSION',
  'COOKIE',
  'MASTER',
  'VAULT_ADDR_AND_KEY',
  'AZURE_CLIENT',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'HF_HUB',
  'CI_JOB_JWT',
  'DEPLOY_PASSPHRASE',
  'SECRETKEY',
  'APIKEY',
  'api_key',
  'my_private_thing',
  'AWS_ACCESS_KEY_ID',
  'ANTHROPIC_API_KEY',
  'OPENAI_ORG',
  'BASH_ENV',
  'ENV',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'NODE_OPTIONS',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'GIT_SSH_COMMAND',
  'GIT_CONFIG_COUNT',
  'BASH_FUNC_ls%%',
  'SSH_AUTH_SOCK',
  'ELECTRON_RUN_AS_NODE',
  'PATH_TOKEN',
  'LC_SECRET',
  'LANG_KEY',
  'HOMEPAGE_LOGIN',
  'TERMINAL_PASSWORD',
];

describe('what a command sees of the environment', () => {
  it('is none of the planted secrets', () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(40);
    const inherited = { PATH: '/bin', ...Object.fromEntries(PLANTED.map((name) => [name, 'planted'])) };
    expect(
      Object.entries(commandEnvironment(inherited, rules, false)).filter(([, value]) => value === 'planted'),
    ).toEqual([]);
  });

  it('is what programs need', () => {
    const needed = {
      PATH: '/usr/bin:/bin',
      HOME: '/h',
      LANG: 'C',
      LC_ALL: 'C',
      USER: 'u',
      SHELL: '/bin/sh',
      TZ: 'UTC',
    };
    expect(commandEnvironment({ ...needed, TMPDIR: '/t' }, rules, false)).toMatchObject({ ...needed, TMPDIR: '/t' });
  });

  it('takes the person’s additions, but neither what they deny nor what leads programs astray', () => {
    const allowlist = ['MY_*', 'GH_TOKEN', 'LD_PRELOAD', 'ELECTRON_RUN_AS_NODE', 'CI'];
    const inherited = {
      MY_FLAG: '1',
      MY_TOKEN: '2',
      GH_TOKEN: '3',
      LD_PRELOAD: '4',
      ELECTRON_RUN_AS_NODE: '5',
      CI: '6',
    };
    expect(commandEnvironment(inherited, { allowlist, denylist: DENYLIST, writable: ['/w'] }, false)).toMatchObject({
      MY_FLAG: '1',
      CI: '6',
    });
    expect(
      Object.values(commandEnvironment(inherited, { allowlist, denylist: DENYLIST, writable: ['/w'] }, false)).filter(
        (value) => ['2', '3', '4', '5'].includes(value),
      ),
    ).toEqual([]);
  });

  it('matches as the system does: by case, or not', () => {
    const inherited = { ci_token: 'x', Path: '/x' };
    expect(
      commandEnvironment(inherited, { allowlist: ['ci_*'], denylist: DENYLIST, writable: ['/w'] }, false),
    ).toHaveProperty('ci_token');
    expect(
      commandEnvironment(inherited, { allowlist: ['ci_*'], denylist: DENYLIST, writable: ['/w'] }, true),
    ).not.toHaveProperty('ci_token');
  });

  it('lets no program be found in the folder the command stands in', () => {
    expect(commandEnvironment({ PATH: '.:/usr/bin::bin:/bin' }, rules, false)['PATH']).toBe('/usr/bin:/bin');
    expect(commandEnvironment({ PATH: '.' }, rules, false)['PATH']).toBe('/usr/local/bin:/usr/bin:/bin');
  });

  it('lets no program be found in the workspace, by whatever way it leads there: an earlier command may have left it', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-path-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const writable = join(folder, 'ws');
    mkdirSync(join(writable, '.venv/bin'), { recursive: true });
    mkdirSync(join(folder, 'ws-other'));
    symlinkSync(join(writable, '.venv'), join(folder, 'env'));
    const entries = [
      `${writable}/.venv/bin`,
      `${writable}/node_modules/.bin`,
      writable,
      `${folder}/x/../ws/bin`,
      `${folder}/env/bin`,
      `${folder}/ws-other`,
      '/usr/bin',
    ];
    const seen = commandEnvironment({ PATH: entries.join(':') }, { ...rules, writable: [writable] }, false)['PATH'];
    expect(seen).toBe(`${folder}/ws-other:/usr/bin`);
  });

  it('holds no function that bash would take over', () => {
    expect(commandEnvironment({ LANG: '() { :; }; echo x' }, rules, false)).not.toHaveProperty('LANG');
  });

  it('takes patterns as they are written, not as expressions', () => {
    const environment = commandEnvironment(
      { LC_A: '1', LC_B: '2' },
      { allowlist: [], denylist: ['LC_[A]', 'LC_.'], writable: ['/w'] },
      false,
    );
    expect(environment).toMatchObject({ LC_A: '1', LC_B: '2' });
  });

  it('takes any character in a pattern for itself', () => {
    const signs = ['-', '/', '(', '[', '{', '|', '+', '?', '^', '$', '.', '\\', ')', ']', '}', '#', ' ', '💥'];
    const environment = commandEnvironment(
      { ...Object.fromEntries(signs.map((sign) => [`MY${sign}APP`, '1'])), LC_A: '1' },
      { allowlist: ['MY*'], denylist: signs.map((sign) => `MY${sign}*`), writable: ['/w'] },
      false,
    );
    expect(Object.keys(environment).filter((name) => name.startsWith('MY'))).toEqual([]);
    expect(environment).toMatchObject({ LC_A: '1' });
  });
});
