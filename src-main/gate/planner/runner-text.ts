import { posix } from 'node:path';
import type { RunnerScript } from '../../domain/ports/gate/standing-rules.js';
import { type Runner, findRunner } from '../../domain/commands/programs/runners.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { redactText } from '../../domain/text/redact.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { sha256 } from '../../platform/digest.js';

type RunnerReading =
  | { readonly kind: 'read'; readonly text: RunnerScript }
  /** The command runs what a file says, and that file can’t be read: nothing can be known of it in advance. */
  | { readonly kind: 'unreadable'; readonly why: string };

const MAX_RUNNER_BYTES = 2 ** 20;
const MAX_SHOWN = 16 * 1024;
const ABSENT = Symbol('absent');

/**
 * Reads what the runners among these commands would run now in this folder (from the root); null where none of them is
 * a runner.
 */
export async function readRunner(
  commands: readonly (readonly string[])[],
  sandbox: Sandbox,
  folder: string,
): Promise<RunnerReading | null> {
  const texts: string[] = [];
  const files = new Set<string>();
  for (const words of commands) {
    const runner = findRunner(words);
    if (runner === null) continue;
    const found = await readRunnerFiles(runner, sandbox, folder);
    if (found === null) {
      const named = [...runner.files, ...runner.named].join(', ');
      return { kind: 'unreadable', why: `“${words.join(' ')}” runs what ${named} contains, which can’t be read here.` };
    }
    for (const file of found.files) files.add(file);
    if (found.files.length > 0) texts.push(found.text);
  }
  if (texts.length === 0) return null;
  const text = texts.join('\n');
  const kept = redactText(text).value;
  return {
    kind: 'read',
    text: { file: [...files].join(', '), digest: sha256(text), text: kept.length <= MAX_SHOWN ? kept : null },
  };
}

interface RunnerFiles {
  readonly files: readonly string[];
  readonly text: string;
}

async function readRunnerFiles(runner: Runner, sandbox: Sandbox, folder: string): Promise<RunnerFiles | null> {
  if (runner.isElsewhere) return null;
  if (runner.files.length === 0) return readNamed(runner.named, sandbox, folder);
  for (const each of runner.files) {
    const file = posix.join(folder, each);
    const text = await readText(file, sandbox);
    if (text === ABSENT) continue;
    const part = text === null ? null : runner.part(text);
    const taken = text === null ? null : await readIncluded(runner, text, sandbox, folder);
    if (part === null || taken === null) return null;
    // What is denied to tools can’t be looked at for them either, and can’t be changed by them.
    const beside = await Promise.all(
      listSettingsFiles(runner, folder).map(async (name) => {
        const also = await readText(name, sandbox);
        return also === ABSENT || also === null ? '' : section(name, also);
      }),
    );
    return { files: [file, ...taken.files], text: part + taken.text + beside.join('') };
  }
  return null;
}

/** Programs take such settings from the folders above, too. */
function listSettingsFiles({ also }: Runner, folder: string): readonly string[] {
  const parts = folder === '' ? [] : folder.split('/');
  return [...parts.keys(), parts.length].flatMap((depth) => {
    const above = parts.slice(0, depth).join('/');
    return also.map((name) => posix.join(above, name));
  });
}

/**
 * Reads each named word that is a file of the folder. Null where one exists and can’t be read: then it is open what is
 * run.
 */
async function readNamed(named: readonly string[], sandbox: Sandbox, folder: string): Promise<RunnerFiles | null> {
  const there = new Map<string, string>();
  for (const word of named) {
    const inside = sandbox.roots.find((root) => word.startsWith(`${root}/`));
    const path = inside === undefined ? below(folder, word) : word.slice(inside.length + 1);
    const isFolder = await isNoFile(path, sandbox);
    const text = isFolder ? ABSENT : await readText(path, sandbox);
    if (text === null) return null;
    if (text !== ABSENT) there.set(path, text);
  }
  return { files: [...there.keys()], text: [...there].map(([path, text]) => section(path, text)).join('') };
}

/** Reads the files that a runner’s file includes, and those that these include in turn. */
async function readIncluded(
  runner: Runner,
  text: string,
  sandbox: Sandbox,
  folder: string,
): Promise<RunnerFiles | null> {
  const there = new Map<string, string>();
  const left = [...(runner.includes(text) ?? [UNKNOWN_INCLUDE])];
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    if (there.has(path)) continue;
    const found =
      path === UNKNOWN_INCLUDE || there.size >= MAX_INCLUDED ? null : await readText(below(folder, path), sandbox);
    // An include that is not there may be made later: its absence is part of what was read.
    if (found === null) return null;
    there.set(path, found === ABSENT ? '' : found);
    if (found !== ABSENT) left.push(...(runner.includes(found) ?? [UNKNOWN_INCLUDE]));
  }
  return { files: [...there.keys()], text: [...there].map(([path, each]) => section(path, each)).join('') };
}

const below = (folder: string, path: string): string =>
  folder === '' || path.startsWith('/') ? path : `${folder}/${path}`;

const MAX_INCLUDED = 64;
/** The name of an include that can’t be told; no file has this name. */
const UNKNOWN_INCLUDE = '\0';

const section = (name: string, text: string): string => `\n# ${name}\n${text}`;

/** Words that are no path of the folder at all (a pattern, a number, an address, a folder) are no file that is run. */
async function isNoFile(path: string, sandbox: Sandbox): Promise<boolean> {
  try {
    const facts = await sandbox.facts(await sandbox.validate(path));
    return facts === null || facts.kind === 'dir';
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return error.failure.code !== 'DeniedPatternMatched';
  }
}

/** Null where it is there and can’t be read whole. */
async function readText(path: string, sandbox: Sandbox): Promise<string | typeof ABSENT | null> {
  try {
    const jailed = await sandbox.validate(path);
    if ((await sandbox.facts(jailed)) === null) return ABSENT;
    await using file = await sandbox.openFile(jailed);
    if (file.facts.size > MAX_RUNNER_BYTES) return null;
    const buffer = Buffer.alloc(MAX_RUNNER_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = await file.read(buffer.subarray(length), length);
      length += read;
      if (read === 0 || length > MAX_RUNNER_BYTES) break;
    }
    return length > MAX_RUNNER_BYTES ? null : buffer.toString('utf8', 0, length);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
