import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { markLimit } from '../ending/call-mark.js';
import { type GroupBounds, type CommandGroup, openCommandGroup } from '../ending/command-group.js';
import { buildSeccompFilter } from '../confinement/seccomp/seccomp-filter.js';
import { MARK_VARIABLE } from '../environment/environment.js';
import type { Fifo, FifoPool } from './fifo-pool.js';
import { openPtySession, type PtySession } from './pty-session.js';
import { encodeAsk, supervisorArguments } from './supervisor.js';

/**
 * Keeps one supervisor ready, so that a command starts as fast as a bare one would: by the time a person says yes, its
 * terminal is open, its limits are set, and it waits for the word to begin.
 */
export interface SupervisorPool {
  /** The one that is ready if it was made for the same surroundings, else a new one. */
  take(surroundings: CommandSurroundings): Promise<Supervisor>;
  /** Makes one ready for the next command, which mostly has the same surroundings. */
  prepare(surroundings: CommandSurroundings): void;
  /** The same, a moment later: whoever asked for the last command is answered first. */
  prepareSoon(surroundings: CommandSurroundings): void;
  dispose(): Promise<void>;
}

export interface CommandSurroundings {
  readonly shell: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: readonly string[];
  readonly bounds: GroupBounds;
}

export interface Supervisor extends Disposable {
  readonly session: PtySession;
  readonly fifo: Fifo;
  readonly mark: string;
  /** The group that holds its processes from the first; null where there are no such groups. */
  readonly group: CommandGroup | null;
  begin(words: readonly string[], onOutput: (bytes: Buffer) => void, onPlace: () => void): void;
}

interface ReadySupervisor {
  readonly key: string;
  readonly supervisor: Promise<Supervisor>;
}

/**
 * The delay before a supervisor is prepared: starting a process takes ours several milliseconds, in which nobody is
 * told anything.
 */
const SOON_MS = 15;

export function createSupervisorPool(fifos: FifoPool): SupervisorPool {
  let ready: ReadySupervisor | null = null;
  let soon: NodeJS.Timeout | undefined;
  let disposed = false;

  const make = async (surroundings: CommandSurroundings): Promise<Supervisor> =>
    startSupervisor(surroundings, await fifos.take());
  const discard = async (unused: ReadySupervisor | null): Promise<void> => {
    const supervisor = await unused?.supervisor.catch(() => null);
    // The number of one that has ended may be somebody else’s.
    if (supervisor?.session.isClosed === false) supervisor.session.discard();
    await supervisor?.session.closed;
    supervisor?.[Symbol.dispose]();
  };

  const prepare = (surroundings: CommandSurroundings): void => {
    clearTimeout(soon);
    const key = surroundingsKey(surroundings);
    if (disposed || ready?.key === key) return;
    void discard(ready);
    const supervisor = make(surroundings);
    // If it can't be made, the next command tries again and says why.
    supervisor.catch(() => {
      if (ready?.supervisor === supervisor) ready = null;
    });
    ready = { key, supervisor };
  };

  return {
    async take(surroundings) {
      clearTimeout(soon);
      const kept = ready;
      ready = null;
      if (kept?.key !== surroundingsKey(surroundings)) {
        void discard(kept);
        return make(surroundings);
      }
      const supervisor = await kept.supervisor;
      if (!supervisor.session.isClosed && supervisor.fifo.isThere) return supervisor;
      void discard(kept);
      return make(surroundings);
    },
    prepare,
    prepareSoon(surroundings) {
      clearTimeout(soon);
      soon = setTimeout(() => prepare(surroundings), SOON_MS);
    },
    async dispose() {
      disposed = true;
      clearTimeout(soon);
      const unused = ready;
      ready = null;
      await discard(unused);
    },
  };
}

const SYSTEM_CALLS = buildSeccompFilter();

const surroundingsKey = (surroundings: CommandSurroundings): string => JSON.stringify(surroundings);

function startSupervisor({ shell, folder, env, limits, bounds }: CommandSurroundings, fifo: Fifo): Supervisor {
  const mark = randomBytes(16).toString('hex');
  const endMark = randomBytes(16).toString('hex');
  const { path: stderrPath, timesPath, askPath, notesPath, filterPath } = fifo;
  // Now, and not when the person waits for it to begin.
  writeFileSync(filterPath, SYSTEM_CALLS ?? '', { mode: 0o600 });
  const places = { folder, stderrPath, timesPath, askPath, notesPath, filterPath };
  const session = openPtySession({
    shell,
    args: supervisorArguments(places, [...limits, '-R', String(markLimit(mark))]),
    cwd: folder,
    env: { ...env, [MARK_VARIABLE]: mark },
    endMark,
    timesPath,
  });
  // Moving a process takes the kernel milliseconds: not when the person waits for it to begin.
  const group = openCommandGroup(session.pid, bounds, mark);
  return {
    session,
    fifo,
    mark,
    group,
    begin(words, onOutput, onPlace) {
      writeFileSync(fifo.askPath, encodeAsk(endMark, words), { mode: 0o600 });
      session.begin(onOutput, onPlace);
    },
    [Symbol.dispose]() {
      if (!session.isClosed) session.discard();
      fifo[Symbol.dispose]();
      group?.[Symbol.dispose]();
    },
  };
}
