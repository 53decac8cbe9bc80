import { textOf } from '../system-files.js';

/** Where people and tools keep what opens other doors, relative to the home folder. */
const HOME_SECRETS: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.pki',
  '.aws',
  '.azure',
  '.oci',
  '.config/gcloud',
  '.config/doctl',
  '.config/gh',
  '.config/hub',
  '.config/glab-cli',
  '.config/op',
  '.config/rclone',
  '.config/sops',
  '.config/age',
  '.config/git/credentials',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  '.config/1Password',
  '.config/Bitwarden',
  '.config/Signal',
  '.mozilla',
  '.thunderbird',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.password-store',
  '.kube',
  '.docker',
  '.terraform.d',
  '.vault-token',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.git-credentials',
  '.gem/credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.pgpass',
  '.my.cnf',
  '.databricks',
  '.s3cfg',
  '.boto',
  '.claude',
  '.claude.json',
  '.codex',
  '.config/Gatehouse',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.lesshst',
  '.viminfo',
];

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

/** Inside the workspace: files that make other programs run something. Readable there, not writable. */
export const CONTROL_FILES: readonly string[] = [
  '.git/hooks',
  '.git/config',
  '.git/config.worktree',
  '.git/info/attributes',
  '.gatehouse',
  '.gitmodules',
  '.gitconfig',
  '.husky',
  '.vscode',
  '.idea',
  '.mcp.json',
  '.claude',
  '.cursor',
  '.envrc',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
];

export const secretPaths = (home: string | undefined): readonly string[] => [
  ...(home === undefined || !home.startsWith('/')
    ? []
    : HOME_SECRETS.map((path) => `${home.replace(/\/+$/u, '')}/${path}`)),
  ...SYSTEM_SECRETS,
];

/**
 * Every socket that somebody listens on at a path now. A read-only mount does not stop a connection, so each is
 * covered; those under /run and /tmp are gone with these folders.
 */
export function listeningSockets(): readonly string[] {
  const paths = (textOf('/proc/net/unix') ?? '')
    .split('\n')
    .slice(1)
    .map((line) => /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/u.exec(line)?.[1])
    .filter((path) => path !== undefined);
  return [...new Set(paths)];
}
