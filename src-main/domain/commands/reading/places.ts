import { isControlFile, secretColumn } from '../../sensitive/sensitive-places.js';
import { type Folder, listBelow, compileGlob } from './folder.js';

/** The place of a path, as a command sees it that runs in a folder. */
export type PathPlace =
  | { readonly kind: 'inside'; readonly path: string; readonly secret: boolean; readonly control: boolean }
  /** The command’s own temporary folder, `/dev/null` and its like. */
  | { readonly kind: 'own' }
  | { readonly kind: 'device'; readonly path: string }
  | { readonly kind: 'outside'; readonly path: string; readonly secret: boolean; readonly control: boolean };

const HARMLESS = /^\/dev\/(?:null|zero|full|u?random|stdin|stdout|stderr|tty|fd(?:\/\d+)?)$/u;
const OWN_TEMPORARY = /^\/(?:var\/)?tmp(?:\/|$)/u;
const SYSTEM_SECRET =
  /^\/etc\/(?:shadow|gshadow|sudoers|ssl\/private|ssh)|docker\.sock$|^\/proc\/[^/]+\/(?:environ|mem|cmdline)|^\/root(?:\/|$)/iu;

/** Resolves a path. `from`: the folder that relative paths begin at, from the first root. */
export function resolvePlace(written: string, from: string, folder: Folder): PathPlace {
  const path = written.replace(/^\$\{?HOME\}?(?=\/|$)/u, '~');
  if (HARMLESS.test(path)) return { kind: 'own' };
  if (path.startsWith('/dev/')) return { kind: 'device', path };
  if (path.startsWith('~')) return outside(path, path.replace(/^~[^/]*\/?/u, ''), /^~(?:\/|$)/u.test(path));
  if (path.startsWith('/')) {
    const plain = normal(path) ?? '';
    const root = folder.roots.find((each) => `/${plain}` === each || `/${plain}`.startsWith(`${each}/`));
    if (root !== undefined) return inside(`/${plain}`.slice(root.length + 1));
    if (OWN_TEMPORARY.test(`/${plain}`) && !SYSTEM_SECRET.test(path))
      return secretName(plain) ? outside(path, plain, false) : { kind: 'own' };
    return outside(path, plain, false);
  }
  const joined = normal(from === '' ? path : `${from}/${path}`);
  return joined === null
    ? outside(path, path.replaceAll(/(?:^|\/)\.\.(?=\/|$)/gu, '').replace(/^\/+/u, ''), false)
    : inside(joined);
}

function inside(path: string): PathPlace {
  return { kind: 'inside', path, secret: secretName(path), control: isControlFile(path) };
}

function outside(path: string, names: string, isHome: boolean): PathPlace {
  const secret = SYSTEM_SECRET.test(path) || (names !== '' && secretColumn(names, { isHome }) === 'yes');
  return { kind: 'outside', path, secret, control: names !== '' && isControlFile(names) };
}

const secretName = (path: string): boolean => path !== '' && secretColumn(path) === 'yes';

/** Null where it goes above where it begins, at any point. */
function normal(path: string): string | null {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') {
      if (names.pop() === undefined) return null;
    } else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

/** Names that stand for all of their kind, where nobody knows what is there. */
const SAMPLES = [
  '.env',
  '.env.local',
  '.env.production',
  '.npmrc',
  '.netrc',
  '.pypirc',
  '.git-credentials',
  '.pgpass',
  'id_rsa',
  'id_ed25519',
  'server.pem',
  'server.key',
  'cert.pem',
  'cert.key',
  'private.key',
  'key.pem',
  'credentials.json',
  'client_secret.json',
  'service-account.json',
  'secrets.json',
  'secrets.yml',
  'secrets.yaml',
  'secrets.toml',
  'terraform.tfstate',
  'prod.tfvars',
  'terraform.tfvars',
  '.htpasswd',
  'kubeconfig',
  'app.keystore',
  'app.jks',
  'cert.p12',
  'cert.pfx',
  'db.kdbx',
  '.vault_pass',
];

const SECRETS_OF_LISTING = new WeakMap<readonly string[], readonly string[]>();

/** Finds the secret files of a listing, which is looked through once however often it is asked. */
export function filterSecrets(files: readonly string[]): readonly string[] {
  const known = SECRETS_OF_LISTING.get(files);
  if (known !== undefined) return known;
  const secrets = files.filter(secretName);
  SECRETS_OF_LISTING.set(files, secrets);
  return secrets;
}

/** Files of secrets below a folder that a pattern of names stands for; null pattern: all. */
export function listSecretsBelow(folder: Folder, path: string, pattern: string | null): readonly string[] {
  const test = pattern === null ? () => true : compileGlob(pattern, true);
  const name = (file: string): string => file.split('/').at(-1) ?? file;
  const files = listBelow(folder, path);
  if (files === null) {
    if (pattern === null) return [path === '' ? '.' : path];
    return SAMPLES.filter((sample) => test(sample))
      .slice(0, 1)
      .map(() => pattern);
  }
  return filterSecrets(files).filter((file) => test(name(file)) || test(file));
}

/** Pieces of a text that may be places or addresses, in whatever language it is written. */
export function splitPieces(text: string): readonly string[] {
  const plain = decoded(text);
  return [...new Set([...split(text), ...(plain === text ? [] : split(plain))])];
}

const split = (text: string): readonly string[] =>
  text.split(/[\s"'`,;()[\]{}<>|&=\\]+|\$(?=[({])/u).filter((piece) => piece !== '' && piece.length < 4096);

/** Letters written by their numbers, and words put together from pieces: `'.e' + 'nv'`, `'\x2eenv'`. */
function decoded(text: string): string {
  return text
    .replaceAll(
      /\\x([0-9a-fA-F]{2})|\\u\{?([0-9a-fA-F]{2,6})\}?|\\([0-7]{3})/gu,
      (_, hex?: string, wide?: string, octal?: string) => {
        const code = parseInt(hex ?? wide ?? octal ?? '0', octal === undefined ? 16 : 8);
        return code <= 0x10ffff ? String.fromCodePoint(code) : '';
      },
    )
    .replaceAll(/["'`]\s*(?:\+|\.\.?|~|<>|\s)\s*["'`]/gu, '');
}
