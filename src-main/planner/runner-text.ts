import type { RunnerText } from '../domain/gate-ports.js';
import { type Runner, runnerOf } from '../domain/policy/runners.js';
import type { Sandbox } from '../domain/ports.js';
import { redactText } from '../domain/text/redact.js';
import { ToolFailure } from '../domain/tool.js';
import { sha256 } from '../platform/digest.js';

type Found =
  | { readonly kind: 'read'; readonly text: RunnerText }
  /** It runs what a file says, and that can’t be looked at: nothing can be said of it in advance. */
  | { readonly kind: 'unreadable'; readonly why: string };

const MOST_BYTES = 2 ** 20;
const MOST_KEPT = 16 * 1024;
const ABSENT = Symbol('absent');

/** What the runners among these commands would run now; null where none of them is one. */
export async function readRunner(commands: readonly (readonly string[])[], sandbox: Sandbox): Promise<Found | null> {
  const texts: string[] = [];
  const files = new Set<string>();
  for (const words of commands) {
    const runner = runnerOf(words);
    if (runner === null) continue;
    const found = await readOne(runner, sandbox);
    if (found === null) {
      const named = runner.files.join(', ');
      return { kind: 'unreadable', why: `“${words.join(' ')}” runs what ${named} says, and that can’t be read here.` };
    }
    files.add(found.file);
    texts.push(found.text);
  }
  if (texts.length === 0) return null;
  const text = texts.join('\n');
  const kept = redactText(text).value;
  return {
    kind: 'read',
    text: { file: [...files].join(', '), digest: sha256(text), text: kept.length <= MOST_KEPT ? kept : null },
  };
}

async function readOne(
  runner: Runner,
  sandbox: Sandbox,
): Promise<{ readonly file: string; readonly text: string } | null> {
  for (const file of runner.files) {
    const text = await readText(file, sandbox);
    if (text === ABSENT) continue;
    const part = text === null ? null : runner.part(text);
    if (part === null) return null;
    // What is denied to tools can’t be looked at for them either, and can’t be changed by them.
    const beside = await Promise.all(
      runner.also.map(async (name) => {
        const also = await readText(name, sandbox);
        return also === ABSENT || also === null ? '' : `\n# ${name}\n${also}`;
      }),
    );
    return { file, text: part + beside.join('') };
  }
  return null;
}

/** Null where it is there and can’t be read whole. */
async function readText(path: string, sandbox: Sandbox): Promise<string | typeof ABSENT | null> {
  try {
    const jailed = await sandbox.validate(path);
    if ((await sandbox.facts(jailed)) === null) return ABSENT;
    await using file = await sandbox.openFile(jailed);
    if (file.facts.size > MOST_BYTES) return null;
    const buffer = Buffer.alloc(MOST_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = await file.read(buffer.subarray(length), length);
      length += read;
      if (read === 0 || length > MOST_BYTES) break;
    }
    return length > MOST_BYTES ? null : buffer.toString('utf8', 0, length);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
