import type { PlaceColumns } from './sensitive-place.js';
import { secretColumn } from './sensitive-places.js';

/** A file of secrets that a text names, as it names it. `if-found`: only where something is found in it. */
export interface NamedSecret {
  readonly path: string;
  readonly secret: Exclude<PlaceColumns['secret'], 'no'>;
}

/** `~/x`, `$HOME/x`: the person's home folder has places of its own. */
const HOME = /^(?:~|\$HOME|\$\{HOME\})\//u;
/**
 * Characters between names of files in words, options and code: `--env-file=.env`, `@.env`, `HEAD:.env`,
 * `open('.env')`.
 */
const SEPARATORS = /[\s'"`;|&<>()[\]=:,@{}!#]+/u;
const MAX_NAME_LENGTH = 4096;

/**
 * Finds the secret places in a command, or in a word of one, whatever else it may be: each run of characters that could
 * be a path, with quotes and backslashes and without. It finds what is only mentioned as well.
 */
export function findSecretPaths(command: string): readonly NamedSecret[] {
  // `secrets.token_hex(8)` is a call of a program’s own.
  const text = command.replace(/(?<![\w.])[\w.]{1,128}\(/gu, ' ( ');
  const pieces = new Set([text, text.replace(/['"\\]/gu, '')].flatMap((each) => each.split(SEPARATORS)));
  const named = [...pieces].flatMap(toNamedSecret);
  return [...new Map(named.map((each) => [each.path, each])).values()];
}

function toNamedSecret(piece: string): readonly NamedSecret[] {
  if (piece === '' || piece.length > MAX_NAME_LENGTH) return [];
  // `-f.env`
  return [piece, piece.replace(/^-\w/u, '')].flatMap((path) => {
    const fromHome = path.replace(HOME, '');
    const secret = secretColumn(fromHome, { isHome: fromHome !== path });
    return secret === 'no' ? [] : [{ path, secret }];
  });
}
