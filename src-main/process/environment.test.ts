import { describe, expect, it } from 'vitest';
import { commandEnvironment } from './environment.js';

const DENYLIST = ['*_KEY', '*_TOKEN', '*_SECRET', '*_PASSWORD', 'AWS_*', 'ANTHROPIC_*', 'OPENAI_*'];
const rules = { allowlist: [], denylist: DENYLIST };

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
    expect(commandEnvironment(inherited, { allowlist, denylist: DENYLIST }, false)).toMatchObject({
      MY_FLAG: '1',
      CI: '6',
    });
    expect(
      Object.values(commandEnvironment(inherited, { allowlist, denylist: DENYLIST }, false)).filter((value) =>
        ['2', '3', '4', '5'].includes(value),
      ),
    ).toEqual([]);
  });

  it('matches as the system does: by case, or not', () => {
    const inherited = { ci_token: 'x', Path: '/x' };
    expect(commandEnvironment(inherited, { allowlist: ['ci_*'], denylist: DENYLIST }, false)).toHaveProperty(
      'ci_token',
    );
    expect(commandEnvironment(inherited, { allowlist: ['ci_*'], denylist: DENYLIST }, true)).not.toHaveProperty(
      'ci_token',
    );
  });

  it('lets no program be found in the folder the command stands in', () => {
    expect(commandEnvironment({ PATH: '.:/usr/bin::bin:/bin' }, rules, false)['PATH']).toBe('/usr/bin:/bin');
    expect(commandEnvironment({ PATH: '.' }, rules, false)['PATH']).toBe('/usr/local/bin:/usr/bin:/bin');
  });

  it('holds no function that bash would take over', () => {
    expect(commandEnvironment({ LANG: '() { :; }; echo x' }, rules, false)).not.toHaveProperty('LANG');
  });

  it('takes patterns as they are written, not as expressions', () => {
    const environment = commandEnvironment(
      { LC_A: '1', LC_B: '2' },
      { allowlist: [], denylist: ['LC_[A]', 'LC_.'] },
      false,
    );
    expect(environment).toMatchObject({ LC_A: '1', LC_B: '2' });
  });
});
