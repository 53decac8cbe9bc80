import type { Config } from '#contract/vocabulary/config.js';
import type { Json } from '#contract/vocabulary/json.js';
import { findSecretPaths } from '../../../domain/sensitive/named-secrets.js';
import { isControlFile } from '../../../domain/sensitive/sensitive-places.js';
import { type Preflight, ToolFailure } from '../../../domain/tool/tool.js';
import type { ToolTerms } from '../../../domain/tool/terms.js';

/** Whether the person's patterns deny it to tools, as it is written. */
export type IsDeniedPath = (path: string, config: Config) => boolean;

/** A name of a file is no longer; and what has lines is a text, in which one is only mentioned. */
const MAX_NAME_LENGTH = 4096;
const MAX_SHOWN = 3;
/** Characters around a file's name where it is a part of something else. */
const NAME_DELIMITERS = /[\s'"`;|&<>()[\]=,{}]+|^file:\/\//iu;

/**
 * Finds files that a tool's arguments name in a folder that its program sees: files of secrets, and those denied to
 * tools, ask as they do in a command's words; where it may write, so do files that other programs obey. Throws where
 * files of secrets are denied.
 */
export function askAboutNamedFiles(
  args: Json,
  sees: ToolTerms['paths'],
  config: Config,
  isDenied: IsDeniedPath,
): Pick<Preflight, 'mustAsk' | 'secrets'> {
  if (sees === 'none') return { mustAsk: null };
  const words = collectStrings(args).filter((text) => text.length <= MAX_NAME_LENGTH && !/[\n\r]/u.test(text));
  const secrets = [...new Set(words.flatMap((text) => findSecretPaths(text)).flatMap(keepCertain))];
  const [secret] = secrets;
  if (secret !== undefined) {
    if (config.tools.approval.secrets === 'deny') throw new ToolFailure(deniedSecretFailure(secret));
    return {
      mustAsk: `${quotePaths(secrets)} ${secrets.length === 1 ? 'is a file' : 'are files'} of secrets.`,
      secrets,
    };
  }
  const paths = [...new Set(words.flatMap((text) => [text, ...text.split(NAME_DELIMITERS)]))].filter(
    (path) => path !== '',
  );
  const denied = paths.filter((path) => isDenied(path, config));
  if (denied.length > 0) return { mustAsk: `${quotePaths(denied)} is denied to tools by your settings.` };
  const control = sees === 'change' ? paths.filter((path) => isControlFile(path.replace(/^\/+/u, ''))) : [];
  return control.length > 0
    ? { mustAsk: `${quotePaths(control)} can make other programs run code.` }
    : { mustAsk: null };
}

const keepCertain = ({ path, secret }: ReturnType<typeof findSecretPaths>[number]): readonly string[] =>
  secret === 'yes' ? [path] : [];

const deniedSecretFailure = (attempted: string) =>
  ({
    code: 'DeniedPatternMatched',
    attempted,
    pattern: 'tools.approval.secrets',
    message: `“${attempted}” is a file of secrets, and reading those is turned off.`,
  }) as const;

const quotePaths = (paths: readonly string[]): string =>
  paths
    .slice(0, MAX_SHOWN)
    .map((path) => `“${path}”`)
    .join(', ');

function collectStrings(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => collectStrings(each));
}
