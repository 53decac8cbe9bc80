import type { WorkspaceTransactions } from '../../domain/ports/workspace/transaction.js';
import type { CrashCleanups } from './crash-leftovers.js';

/** A gate of which a crash can leave changes of files, and nothing else. */
export function filesAlone(transactions: WorkspaceTransactions): CrashCleanups {
  const nothing = (): void => undefined;
  return {
    gatewayAddress: nothing,
    socket: nothing,
    fileChanges: async ({ wasAcknowledged }) => void (await transactions.recover(wasAcknowledged)),
    processes: nothing,
    controlGroups: nothing,
    pipes: nothing,
    copies: nothing,
    leavings: nothing,
    answers: nothing,
  };
}
