import type { JailedPath, Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import { findSecretPaths } from '../../../domain/sensitive/named-secrets.js';
import { createValueFinder } from '../../../domain/text/secrets/file-values.js';
import type { Span } from '../../../domain/text/secrets/spans.js';
import { type PreflightContext, ToolFailure } from '../../../domain/tool/tool.js';
import { type SecretQuestion, deniedSecretFailure, isSecretFile, NO_SECRETS, secretWords } from '../secret-file.js';

/** So many files of secrets are looked into, as far as this: what a person keeps there is small. */
const MAX_FILES = 32;
const MAX_SEARCHED_BYTES = 256 * 1024;

/** A command that names a file of secrets asks as reading one does, or is denied as that is. `read`: those that its words name. */
export async function askAboutNamedSecrets(
  command: string,
  read: readonly string[],
  context: PreflightContext<'command'>,
): Promise<SecretQuestion> {
  const secrets: string[] = [];
  for (const { path, secret } of findSecretPaths(command).slice(0, MAX_FILES)) {
    // What it leads to is judged here, so that its values can be known when the command runs.
    const jailed = await jailedOrNull(path, context.sandbox);
    if (secret === 'yes' || (jailed !== null && (await isSecretFile(jailed, context)))) secrets.push(path);
  }
  const others = read.filter((path) => !secrets.includes(path));
  for (const path of others.slice(0, MAX_FILES)) await jailedOrNull(path, context.sandbox);
  secrets.push(...others);
  const [first] = secrets;
  if (first === undefined) return NO_SECRETS;
  if (context.config.tools.approval.secrets === 'deny') throw new ToolFailure(deniedSecretFailure(first));
  return { mustAsk: secretWords(secrets), secrets };
}

/**
 * Builds the search for the values of named secret files in the command's output, by what they hold right before it
 * runs. `read`: those that it was found to read.
 */
export async function createNamedSecretFinder(
  command: string,
  read: readonly string[],
  sandbox: Sandbox,
): Promise<((text: string) => readonly Span[]) | null> {
  const texts: string[] = [];
  const named = findSecretPaths(command).flatMap(({ path, secret }) => (secret === 'yes' ? [path] : []));
  for (const path of [...new Set([...named, ...read])].slice(0, MAX_FILES)) {
    const jailed = await jailedOrNull(path, sandbox);
    const text = jailed === null ? null : await textOrNull(jailed, sandbox);
    if (text !== null) texts.push(text);
  }
  return texts.length === 0 ? null : createValueFinder(texts);
}

/** Null where tools may not reach it: then it is outside, or denied to them, and the sheet says so. */
async function jailedOrNull(path: string, sandbox: Sandbox): Promise<JailedPath | null> {
  try {
    return await sandbox.validate(path);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

async function textOrNull(path: JailedPath, sandbox: Sandbox): Promise<string | null> {
  try {
    const facts = await sandbox.facts(path);
    if (facts?.kind !== 'file') return null;
    await using file = await sandbox.openFile(path);
    const bytes = Buffer.alloc(Math.min(facts.size, MAX_SEARCHED_BYTES));
    const text = bytes.toString('utf8', 0, await file.read(bytes, 0));
    return text.includes('\0') ? null : text;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
