import { hiddenInHome } from '../../domain/sensitive/sensitive-places.js';
import { readTextOrNull } from '../environment/system-files.js';

/** Relative to the home folder; names that stand for any are none that can be covered where they lie. */
const HOME_SECRETS: readonly string[] = hiddenInHome().filter((path) => !path.includes('*'));

const SYSTEM_SECRETS: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/kubernetes',
  '/etc/docker',
  '/var/lib/docker',
  '/var/spool/cron',
  '/boot',
];

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Where programs look instead, if the environment says so. */
const NAMED_BY_ENVIRONMENT: readonly string[] = [
  'GNUPGHOME',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_CONFIG_FILE',
  'AZURE_CONFIG_DIR',
  'CLOUDSDK_CONFIG',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'KUBECONFIG',
  'DOCKER_CONFIG',
  'REGISTRY_AUTH_FILE',
  'NPM_CONFIG_USERCONFIG',
  'NETRC',
  'PGPASSFILE',
  'PASSWORD_STORE_DIR',
  'HISTFILE',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XAUTHORITY',
  'ICEAUTHORITY',
];

export function listSecretPaths(homes: readonly string[], environment: EnvironmentVariables = {}): readonly string[] {
  // The home folder itself, or what holds it, is more than anybody's keys.
  const named = NAMED_BY_ENVIRONMENT.flatMap((name) => (environment[name] ?? '').split(':')).filter(
    (path) => !homes.some((home) => `${home}/`.startsWith(`${path.replace(/\/+$/u, '')}/`)),
  );
  return [
    ...absolute(homes).flatMap((home) => secretsInHome(home, environment)),
    ...absolute(named),
    ...SYSTEM_SECRETS,
  ];
}

/**
 * The secrets of a home folder, at the usual places and where the environment has moved them: what was there before a
 * move is still a key.
 */
function secretsInHome(home: string, environment: EnvironmentVariables): readonly string[] {
  const folder = home.replace(/\/+$/u, '');
  const movedTo = (prefix: string, places: readonly (string | undefined)[]): string[] => {
    const names = HOME_SECRETS.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    return absolute(places).flatMap((place) => names.map((name) => `${place.replace(/\/+$/u, '')}/${name}`));
  };
  return [
    ...HOME_SECRETS.map((path) => `${folder}/${path}`),
    // Chrome and its like have a name of their own for it.
    ...movedTo('.config/', [environment['XDG_CONFIG_HOME'], environment['CHROME_CONFIG_HOME']]),
    ...movedTo('.local/share/', [environment['XDG_DATA_HOME']]),
    ...movedTo('.local/state/', [environment['XDG_STATE_HOME']]),
    ...movedTo('.cargo/', [environment['CARGO_HOME']]),
    ...movedTo('.gradle/', [environment['GRADLE_USER_HOME']]),
  ];
}

const absolute = (paths: readonly (string | undefined)[]): readonly string[] =>
  paths.filter((path) => path?.startsWith('/') === true).filter((path) => path !== undefined);

/**
 * Every socket that somebody listens on at a path now. A read-only mount does not stop a connection, so each is
 * covered; those under /run and /tmp are gone with these folders.
 */
export function findListeningSockets(): readonly string[] {
  const paths = (readTextOrNull('/proc/net/unix') ?? '')
    .split('\n')
    .slice(1)
    .map((line) => /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/u.exec(line)?.[1])
    .filter((path) => path !== undefined);
  return [...new Set(paths)];
}
