import Type from 'typebox';
import type { RunnerScript, RunnerScriptStore } from '../../domain/ports/gate/standing-rules.js';
import type { StandingConfirmation } from '../../domain/policy/remembered/standing-confirmation.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { digestJson } from '../../platform/digest.js';
import { keptJson, keyedEntries } from '../../platform/files/kept-json.js';

const MAX_TEXTS = 200;
const RunnerScriptSchema = Type.Object({
  file: Type.String(),
  digest: Type.String(),
  text: Type.Union([Type.String(), Type.Null()]),
});

/** Stores what runners ran when a rule for them was first used: in one small file, the latest last. */
export function runnerTexts(
  file: string,
  redactor: Pick<Redactor, 'text'>,
  onProblem: (message: string) => void,
): RunnerScriptStore {
  const stored = keptJson(file, keyedEntries(RunnerScriptSchema), {
    onProblem: (error) => onProblem(`What a rule was given for could not be kept: ${String(error)}`),
  });
  let kept: Map<string, RunnerScript> | null = null;
  const all = (): Map<string, RunnerScript> => (kept ??= new Map(stored.read()));
  return {
    find: (rule, folder) => all().get(keyOf(rule, folder)) ?? null,
    keep: (rule, folder, text) => {
      const texts = all();
      const key = keyOf(rule, folder);
      texts.delete(key);
      texts.set(key, { ...text, text: text.text === null ? null : redactor.text(text.text).value });
      for (const oldest of [...texts.keys()].slice(0, Math.max(0, texts.size - MAX_TEXTS))) texts.delete(oldest);
      stored.write([...texts]);
    },
  };
}

/** The rule by what it is for: that it says a digest of its own, or until when, makes it no other. */
const keyOf = ({ tool, command, prefix }: StandingConfirmation, folder: string): string =>
  digestJson({ tool, command: command ?? null, prefix: prefix ?? null, folder });
