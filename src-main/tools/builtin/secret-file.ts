import { homedir } from 'node:os';
import type { Config } from '#contract/vocabulary/config.js';
import type { JailedPath, Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { secretColumn } from '../../domain/sensitive/sensitive-places.js';
import { type FindsSecrets, ToolFailure } from '../../domain/tool/tool.js';

interface SecretCheckDeps {
  readonly sandbox: Sandbox;
  readonly findsSecrets: FindsSecrets;
}

/** Size up to which a sample of a file of secrets is looked at; a larger file is taken for one. */
const MAX_SAMPLE_BYTES = 4 * 1024 * 1024;

/**
 * A file of secrets, by the table: its own name and the one that it was asked by. A sample is one where something is found
 * in it, or in what it is to hold.
 */
export async function isSecretFile(path: JailedPath, looking: SecretCheckDeps, becomes?: Uint8Array): Promise<boolean> {
  const below = { isHome: path.root === homedir() };
  const [own, asked] = [secretColumn(path.relative, below), secretColumn(path.asked, below)];
  if (own === 'yes' || asked === 'yes') return true;
  if (own === 'no' && asked === 'no') return false;
  return (becomes !== undefined && (await looking.findsSecrets(becomes))) || (await holdsSome(path, looking));
}

async function holdsSome(path: JailedPath, { sandbox, findsSecrets }: SecretCheckDeps): Promise<boolean> {
  const facts = await sandbox.facts(path);
  if (facts?.kind !== 'file') return false;
  if (facts.size > MAX_SAMPLE_BYTES) return true;
  await using file = await sandbox.openFile(path);
  const bytes = Buffer.alloc(facts.size);
  return findsSecrets(bytes.subarray(0, await file.read(bytes, 0)));
}

/** Why it must be asked whatever the mode and the lists say, and for which files. */
export interface SecretQuestion {
  readonly mustAsk: string | null;
  /** The secret files, by the paths that were asked for. */
  readonly secrets: readonly string[];
}

export const NO_SECRETS: SecretQuestion = { mustAsk: null, secrets: [] };

/** Throws where files of secrets are denied. `becomes`: what each path is to hold, where that is known. */
export async function askAboutSecrets(
  paths: readonly JailedPath[],
  { config, ...looking }: SecretCheckDeps & { readonly config: Config },
  becomes?: Uint8Array,
): Promise<SecretQuestion> {
  const secret: JailedPath[] = [];
  for (const path of paths) if (await isSecretFile(path, looking, becomes)) secret.push(path);
  const secrets = [...new Set(secret.map(({ asked }) => asked))];
  const [first] = secrets;
  if (first === undefined) return NO_SECRETS;
  if (config.tools.approval.secrets === 'deny') throw new ToolFailure(deniedSecretFailure(first));
  return { mustAsk: secretWords(secrets), secrets };
}

export const deniedSecretFailure = (asked: string) =>
  ({
    code: 'DeniedPatternMatched',
    attempted: asked,
    pattern: 'tools.approval.secrets',
    message: `“${asked}” is a file of secrets, and reading those is turned off.`,
  }) as const;

export const secretWords = (secrets: readonly string[]): string =>
  secrets.length === 1
    ? `“${secrets[0] ?? ''}” is a file of secrets.`
    : `${secrets.map((path) => `“${path}”`).join(', ')} are files of secrets.`;
