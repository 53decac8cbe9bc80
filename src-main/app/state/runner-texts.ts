import type { RunnerScript, RunnerScriptStore } from '../../domain/ports/gate/standing-rules.js';
import type { StandingConfirmation } from '../../domain/policy/standing-confirmation.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { digestJson } from '../../platform/digest.js';
import { readSmallFile, replaceSmallFile } from '../../platform/files/small-file.js';

const MAX_TEXTS = 200;

/** Stores what runners ran when a rule for them was first used: in one small file, the latest last. */
export function runnerTexts(
  file: string,
  redactor: Pick<Redactor, 'text'>,
  onProblem: (message: string) => void,
): RunnerScriptStore {
  let kept: Map<string, RunnerScript> | null = null;
  const all = (): Map<string, RunnerScript> => (kept ??= read(file));
  return {
    find: (rule, folder) => all().get(keyOf(rule, folder)) ?? null,
    keep: (rule, folder, text) => {
      const texts = all();
      const key = keyOf(rule, folder);
      texts.delete(key);
      texts.set(key, { ...text, text: text.text === null ? null : redactor.text(text.text).value });
      for (const oldest of [...texts.keys()].slice(0, Math.max(0, texts.size - MAX_TEXTS))) texts.delete(oldest);
      try {
        replaceSmallFile(file, JSON.stringify([...texts]));
      } catch (error) {
        onProblem(`What a rule was given for could not be kept: ${String(error)}`);
      }
    },
  };
}

/** The rule by what it is for: that it says a digest of its own, or until when, makes it no other. */
const keyOf = ({ tool, command, prefix }: StandingConfirmation, folder: string): string =>
  digestJson({ tool, command: command ?? null, prefix: prefix ?? null, folder });

function read(file: string): Map<string, RunnerScript> {
  const text = readSmallFile(file);
  try {
    const entries: unknown = text === null ? [] : JSON.parse(text);
    return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
  } catch {
    return new Map();
  }
}

function isEntry(entry: unknown): entry is [string, RunnerScript] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const { file, digest, text } = (entry[1] ?? {}) as Partial<Record<keyof RunnerScript, unknown>>;
  return typeof file === 'string' && typeof digest === 'string' && (text === null || typeof text === 'string');
}
