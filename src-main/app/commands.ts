import { homedir } from 'node:os';
import type { Clearings } from '../gate/recovery/left-by-crash.js';
import { clearCommandGroups } from '../process/ending/command-group.js';
import { reap } from '../process/ending/reaper.js';
import { clearAbandonedPipes } from '../process/start/fifo-pool.js';
import { Pack } from '../workspace/watching/snapshot/pack.js';
import { clearFolders } from '../workspace/handles/clear-folders.js';
import { type OpenWorkspaceWatch, openWorkspaceWatch } from '../workspace/watching/workspace-watch.js';
import { systemClock } from '../platform/clock.js';
import { createCommandRunner, type DisposableCommandRunner } from '../process/command-runner.js';
import type { Front } from './front.js';
import type { Record } from './record.js';
import type { Shell } from './shell.js';
import { openConfinementNotice } from './state/confinement-notice.js';

/** What runs commands, and what sees to what they leave in the workspace. */
export interface Commands {
  readonly runner: DisposableCommandRunner;
  readonly watch: OpenWorkspaceWatch;
  /** Whether commands can be confined was found out, for the first time. */
  readonly confinementTried: Promise<void>;
  /** Each time that it was found out. */
  readonly onConfinement: (listener: () => void) => void;
  /** Which workspace the gate works in from now on: it may hold more than what a command runs in. */
  readonly workIn: (workspace: string) => void;
  readonly clearings: Pick<Clearings, 'processes' | 'controlGroups' | 'pipes' | 'copies' | 'leavings'>;
  readonly close: () => Promise<void>;
}

export function openCommands({ config, logger, paths, redactor }: Shell, front: Front, record: Record): Commands {
  let workspace = '';
  let clearingPipes: Promise<void> | null = null;
  const listeners = new Set<() => void>();
  const notice = openConfinementNotice({
    status: front.status,
    notices: front.notices,
    seenFile: paths.confinementSeen,
    mode: () => config.current.tools.run_command.confinement,
    now: () => systemClock.now(),
    warn: (message) => logger.warn(message),
  });
  config.watch(
    ({ config: now }) => now.tools.run_command.confinement,
    (mode) => {
      front.status.confinementAsked(mode);
      notice.configChanged();
    },
  );
  const watch = openWorkspaceWatch({
    hidden: [paths.root],
    home: homedir(),
    undo: record.commandUndo,
    copies: paths.copies,
    aside: record.aside,
    owedLooks: paths.owedLooks,
    workspace: () => workspace,
    log: (message) => logger.warn(message),
  });
  const runner = createCommandRunner({
    outputs: record.outputs,
    redactor,
    hidden: [paths.root],
    watch,
    copies: paths.copies,
    onConfinement: (found) => {
      notice.found(found);
      for (const listener of listeners) listener();
    },
    log: (message) => logger.warn(message),
  });
  return {
    runner,
    watch,
    confinementTried: runner.confinement().then(() => undefined),
    onConfinement: (listener) => void listeners.add(listener),
    workIn: (path) => void (workspace = path),
    clearings: {
      processes: async ({ interrupted, found }) => {
        await Promise.all(
          interrupted.map(async ({ callId, process }) => {
            if (process !== null) found(callId, { process: await reap(process) });
          }),
        );
      },
      controlGroups: clearCommandGroups,
      pipes: () => {
        // Nobody waits for it: whether it works is nothing to a command, and the next start looks again.
        clearingPipes = clearAbandonedPipes(clearFolders).catch((error: unknown) =>
          logger.warn(`Folders of pipes could not be cleared away: ${String(error)}`),
        );
      },
      copies: () => Pack.removeStrays(paths.copies),
      leavings: async ({ interrupted, found }) => {
        const ofCommands = interrupted.filter(({ nature }) => nature === 'command');
        await Promise.all(
          ofCommands.map(async ({ callId, workspace: root }) => {
            found(callId, { putAside: await watch.putAsideAfterCrash(callId, root) });
          }),
        );
      },
    },
    close: async () => {
      await clearingPipes;
      await runner[Symbol.asyncDispose]();
      await watch.close();
    },
  };
}
