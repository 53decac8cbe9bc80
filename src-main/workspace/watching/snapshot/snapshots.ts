import type { WorkspaceSnapshot } from './workspace-snapshot.js';

/** Copies of each folder that commands work in: what one needs takes nothing from another. */
export class Snapshots {
  readonly #make: () => WorkspaceSnapshot;
  readonly #byRoot = new Map<string, WorkspaceSnapshot>();

  constructor(make: () => WorkspaceSnapshot) {
    this.#make = make;
  }

  of(root: string): WorkspaceSnapshot {
    let snapshot = this.#byRoot.get(root);
    if (snapshot === undefined) {
      snapshot = this.#make();
      this.#byRoot.set(root, snapshot);
    }
    return snapshot;
  }

  /** The others are thrown away. */
  keepOnly(roots: ReadonlySet<string>): void {
    for (const [root, snapshot] of this.#byRoot) {
      if (roots.has(root)) continue;
      this.#byRoot.delete(root);
      void snapshot.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byRoot.values()].map((snapshot) => snapshot.close()));
  }
}
