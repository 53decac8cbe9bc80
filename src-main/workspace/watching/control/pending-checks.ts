import { sha256 } from '../../../platform/digest.js';
import { join } from 'node:path';
import type { LeaveAllowance } from '../../../domain/sensitive/leave-allowance.js';
import type { GuardedKind } from './control-scanner.js';
import { type Holdings, parseHoldings, type StoredHoldings, serializeHoldings } from './git/git-holdings.js';
import { unpatchedFs } from '../../../platform/files/unpatched-fs.js';
import { listNames } from '../../../platform/files/resolve-path.js';

const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = unpatchedFs;

/** A check that must still be made after commands, and the state before them: for the start after a crash. */
export interface PendingCheck {
  readonly root: string;
  readonly is: GuardedKind;
  readonly repositories: readonly string[];
  readonly named: readonly string[];
  /** The control files that Git held; null where that isn't known. */
  readonly holdings: Holdings | null;
  /** Whether something was left that could not be verified as allowed. */
  readonly inDoubt: boolean;
  readonly calls: readonly (LeaveAllowance & { readonly callId: string })[];
}

/**
 * The pending checks, one small file a workspace. Not synced to the disk: a machine that lost its power may have lost
 * it, and then nothing is taken for allowed.
 */
export class PendingChecks {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(look: PendingCheck): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Addresses in a command's words may have a password in them: of these only what was asked of Git is kept.
    const calls = look.calls.map((call) => ({
      ...call,
      gitCommands: call.gitCommands?.map((words) => words.slice(0, 1)) ?? null,
    }));
    writeFileSync(
      this.#file(look.root),
      JSON.stringify({ ...look, holdings: serializeHoldings(look.holdings), calls }),
      {
        mode: 0o600,
      },
    );
  }

  settle(root: string): void {
    rmSync(this.#file(root), { force: true });
  }

  /** Whether the workspace is in doubt. A file that can't be read may say so, and counts as doubt. */
  isInDoubt(root: string): boolean {
    const file = this.#file(root);
    return existsSync(file) && (read(file)?.inDoubt ?? true);
  }

  /** The pending checks of a call: of its workspace, and of the repository outside, where it could write there. */
  ofCall(callId: string): readonly PendingCheck[] {
    return this.#names().flatMap((name) => {
      const look = read(join(this.#folder, name));
      return look?.calls.some((call) => call.callId === callId) === true ? [look] : [];
    });
  }

  #names(): readonly string[] {
    return listNames(this.#folder).filter((name) => name.endsWith('.json'));
  }

  #file(root: string): string {
    return join(this.#folder, `${sha256(root).slice(0, 32)}.json`);
  }
}

function read(file: string): PendingCheck | null {
  try {
    const look = JSON.parse(readFileSync(file, 'utf8')) as PendingCheck & { readonly holdings?: StoredHoldings | null };
    return { ...look, holdings: look.holdings === undefined ? null : parseHoldings(look.holdings) };
  } catch {
    // Cut off while it was written: nothing of it counts.
    return null;
  }
}
