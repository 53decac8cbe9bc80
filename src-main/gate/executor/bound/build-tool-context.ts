import type { Checkpoint } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import {
  getAllowedNetwork,
  type AuthorizedCall,
  getRuleCommand,
  mayWriteGit,
} from '../../../domain/call/call-stages.js';
import type { RequestedLimits } from '../../../domain/call/call-options.js';
import type { CommandEvent } from '../../../domain/call/outputs.js';
import type { GrantedCommands } from '../../../domain/ports/command-runner.js';
import type { ReadLog } from '../../../domain/ports/workspace/read-log.js';
import type { Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import type { WorkspaceTransaction } from '../../../domain/ports/workspace/transaction.js';
import type { FindsSecrets, ToolContext, ToolProgress } from '../../../domain/tool/tool.js';
import { BoundCommands } from './bound-commands.js';
import { BoundSandbox } from './bound-sandbox.js';

/** Everything there is for a call; what of it is handed out is the grant's matter. */
interface ContextSources {
  readonly config: Config;
  readonly sandbox: Sandbox;
  readonly transaction: WorkspaceTransaction;
  readonly commands: GrantedCommands;
  readonly readLog: ReadLog;
  readonly findsSecrets: FindsSecrets;
  readonly signal: AbortSignal;
  readonly outputLimit: number;
  readonly capacityBytes: number;
  readonly emit: (stream: 'stdout' | 'stderr', text: string) => Promise<void>;
  readonly onCommandEvent: (event: CommandEvent) => void;
  /** The open folder by its real path; null where none is open. */
  readonly folder: string | null;
  readonly limits: RequestedLimits;
  readonly onProgress: (progress: ToolProgress) => void;
  readonly onCheckpoint: (checkpoint: Checkpoint) => void;
}

/**
 * Builds the context of a handler from what was granted, and from nothing else. A port that its call was not granted is
 * not there, whatever the handler's code casts the context to.
 */
export function buildToolContext(call: AuthorizedCall, stock: ContextSources): ToolContext {
  const { grant, callId, timeoutMs } = call;
  const { config, signal, outputLimit, capacityBytes, emit, readLog, findsSecrets, transaction } = stock;
  const any = { callId, config, signal, outputLimit, capacityBytes, timeoutMs, emit };
  if (grant.judgement === null) throw new Error('Nothing was granted to it.');
  const { nature } = grant.judgement.terms.gets;
  switch (nature) {
    case 'reads':
      return { ...any, sandbox: new BoundSandbox(stock.sandbox, grant.judgement), readLog, findsSecrets };
    case 'files':
      return { ...any, sandbox: new BoundSandbox(stock.sandbox, grant.judgement), readLog, findsSecrets, transaction };
    case 'command': {
      const sandbox = new BoundSandbox(stock.sandbox, grant.judgement);
      const { workingDirectory } = sandbox;
      const isDenied = (relative: string): boolean => sandbox.isDenied(relative, workingDirectory);
      return {
        ...any,
        sandbox,
        commands: new BoundCommands(stock.commands, call, config, { callId, workingDirectory, isDenied, signal }),
        network: getAllowedNetwork(call),
        writesGit: mayWriteGit(call),
        byPerson: grant.by === 'person',
        byRule: getRuleCommand(call),
        onCommandEvent: stock.onCommandEvent,
      };
    }
    case 'remote':
      return {
        ...any,
        folder: stock.folder,
        terms: grant.judgement.terms.gets,
        limits: stock.limits,
        pocket: call.pocket ?? null,
        onProgress: stock.onProgress,
        onCheckpoint: stock.onCheckpoint,
      };
  }
}
