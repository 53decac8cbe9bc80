import Type from 'typebox';
import { keptJson } from '../platform/files/kept-json.js';
import type { UnacceptedSettings } from './folder-settings.js';

/**
 * Opens the file of the data folder that says which folders' settings wait for a yes, and what counts there instead.
 */
export function openUnacceptedSettings(file: string, onProblem: (error: unknown) => void): UnacceptedSettings {
  const stored = keptJson(file, Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])), { onProblem });
  const kept = new Map(Object.entries(stored.read() ?? {}));
  const write = (): void => stored.write(Object.fromEntries(kept));
  return {
    find: (path) => kept.get(path),
    keep: (path, counts) => {
      if (kept.has(path) && kept.get(path) === counts) return;
      kept.set(path, counts);
      write();
    },
    forget: (path) => {
      if (kept.delete(path)) write();
    },
  };
}
