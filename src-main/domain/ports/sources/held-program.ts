import type { Confinement } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { ProcessTerms } from '../../tool/terms.js';
import type { NetworkTerms } from '#contract/vocabulary/network.js';
import type { PinnedCopy } from './code-inspector.js';

/** Starts a program of a source: with pipes, held as commands are, with an environment of its own and none of ours. */
export type StartHeldProgram = (request: HeldProgramRequest) => Promise<HeldProgram>;

/** The path of the program that would be started for it now; null where there is none. */
export type FindHeldProgram = (
  named: Pick<HeldProgramRequest, 'command' | 'workingDirectory' | 'environment'>,
) => string | null;

export interface HeldProgramRequest {
  /** The source that its start is recorded for; null where its run is an event by itself, as a hook’s is. */
  readonly startedFor: string | null;
  readonly command: string;
  readonly args: readonly string[];
  /** Null: its home, else a temporary folder of its own, which goes with it. */
  readonly workingDirectory: string | null;
  /**
   * The folder that the program has to itself: it may write there, and starts there where no other is said. Null: an
   * empty one, which is removed with it. Left out: it has none.
   */
  readonly home?: string | null;
  /** The variables, with the values of secrets put in: they are looked up as it is started, and kept nowhere. */
  readonly environment: Readonly<Record<string, string>>;
  readonly process: ProcessTerms;
  readonly network: NetworkTerms;
  /** The folder that it may see, and how; null for none. */
  readonly folder: {
    readonly path: string;
    readonly access: 'read' | 'write';
    /**
     * Parts of it with another access, by whole paths: writable in what is read-only, or the other way round. Left out:
     * none.
     */
    readonly parts?: readonly { readonly path: string; readonly access: 'read' | 'write' }[];
  } | null;
  /** Files and folders outside the workspace that it has to read to run at all (its own). */
  readonly reads: readonly string[];
  /** Copies that are mounted over the files at their places, where it is confined. */
  readonly copies?: readonly PinnedCopy[];
  readonly memoryBytes: number | null;
  readonly cpuSeconds: number | null;
  /** Whether it has a third pipe out, on descriptor 3. */
  readonly side: boolean;
  readonly config: Config;
}

/** The program's requests to the network. */
export interface ProgramNetwork {
  /** Marks this moment, for `refusedSince`. */
  mark(): number;
  /** The hosts that it was refused since, as `host:port`, as the proxy saw them. */
  refusedSince(mark: number): readonly string[];
}

export interface HeldProgram {
  readonly pid: number;
  /** Null where it could not be started. */
  readonly confinement: Confinement | null;
  /** Left out where no proxy of ours stands between it and the network. */
  readonly network?: ProgramNetwork;
  /** Rejects once it takes nothing more. Resolves when there is room for more. */
  write(chunk: string | Uint8Array): Promise<void>;
  endInput(): void;
  /**
   * The program's output. Whoever started it reads both streams to the end: what nobody reads makes the program wait.
   */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Descriptor 3; empty where it has none. */
  readonly side: AsyncIterable<Uint8Array>;
  readonly ended: Promise<HeldProgramEnd>;
  /** Asks it to end, and ends it and all that it started after the grace. */
  end(graceMs: number): Promise<void>;
}

export interface HeldProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** The limit that was hit, by name. */
  readonly limit: string | null;
  /** Why it could not be started; null where it was. */
  readonly unstartable: string | null;
}
