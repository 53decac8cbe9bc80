import { readSmallFile, replaceSmallFile } from '../platform/files/small-file.js';
import type { UnacceptedSettings } from './folder-settings.js';

/**
 * Opens the file of the data folder that says which folders' settings wait for a yes, and what counts there instead.
 */
export function openUnacceptedSettings(file: string, onProblem: (error: unknown) => void): UnacceptedSettings {
  const kept = new Map<string, string | null>(readEntries(file));
  const write = (): void => {
    try {
      replaceSmallFile(file, JSON.stringify(Object.fromEntries(kept)));
    } catch (error) {
      onProblem(error);
    }
  };
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

function readEntries(file: string): readonly (readonly [string, string | null])[] {
  const text = readSmallFile(file);
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).filter(
      (each): each is [string, string | null] => each[1] === null || typeof each[1] === 'string',
    );
  } catch {
    return [];
  }
}
