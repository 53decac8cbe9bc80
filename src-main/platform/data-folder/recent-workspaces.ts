import type { WorkspaceInfo } from '#contract/window/app-events.js';
import { checkWorkspace, workspaceName } from './paths.js';
import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

const KEPT = 10;

/** The folders opened lately, newest first. Those that are gone are not shown, but kept: a disk may come back. */
export class RecentWorkspaces {
  readonly #file: string;
  #paths: readonly string[];

  constructor(file: string) {
    this.#file = file;
    this.#paths = parse(readSmallFile(file));
  }

  list(): readonly WorkspaceInfo[] {
    return this.#paths.filter((path) => checkWorkspace(path).ok).map((path) => ({ path, name: workspaceName(path) }));
  }

  add(path: string): void {
    this.#replace([path, ...this.#paths.filter((known) => known !== path)].slice(0, KEPT));
  }

  forget(path: string): void {
    this.#replace(this.#paths.filter((known) => known !== path));
  }

  #replace(paths: readonly string[]): void {
    this.#paths = paths;
    replaceSmallFile(this.#file, `${JSON.stringify(paths)}\n`);
  }
}

function parse(text: string | null): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string').slice(0, KEPT) : [];
  } catch {
    return [];
  }
}
