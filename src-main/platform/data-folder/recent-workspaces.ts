import Type from 'typebox';
import type { WorkspaceInfo } from '#contract/window/app-events.js';
import { checkWorkspace, workspaceName } from './paths.js';
import { keptJson } from '../files/kept-json.js';

const KEPT = 10;

/** The folders opened lately, newest first. Those that are gone are not shown, but kept: a disk may come back. */
export class RecentWorkspaces {
  readonly #file;
  #paths: readonly string[];

  constructor(file: string) {
    this.#file = keptJson(file, Type.Array(Type.String()));
    this.#paths = this.#file.read() ?? [];
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
    this.#file.write(paths);
  }
}
