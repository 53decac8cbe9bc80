import {
  getAllowedNetwork,
  type AuthorizedCall,
  getRuleCommand,
  mayWriteGit,
  listReadablePaths,
  resolveVisibility,
  getUnaskedWrites,
} from '../../../domain/call/call-stages.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { CommandRequest, CommandResult, GrantedCommands } from '../../../domain/ports/command-runner.js';

/**
 * The fields of a command request that no tool chooses: they are what was granted, whatever the runner is asked for.
 */
type GrantedFields = Pick<CommandRequest, 'callId' | 'workingDirectory' | 'isDenied' | 'signal'>;

/** The commands that one call was granted: run as it, held as it was judged, and reaching no more than it may. */
export class BoundCommands implements GrantedCommands {
  readonly #inner: GrantedCommands;
  readonly #call: AuthorizedCall;
  readonly #config: Config;
  readonly #bound: GrantedFields;

  constructor(inner: GrantedCommands, call: AuthorizedCall, config: Config, bound: GrantedFields) {
    this.#inner = inner;
    this.#call = call;
    this.#config = asStrictAsJudged(config, call);
    this.#bound = bound;
  }

  run(request: CommandRequest): Promise<CommandResult> {
    const rule = getRuleCommand(this.#call);
    const { mayLeave } = request;
    const unasked = getUnaskedWrites(this.#call);
    return this.#inner.run({
      ...request,
      ...this.#bound,
      config: this.#config,
      network: getAllowedNetwork(this.#call),
      sees: resolveVisibility(this.#call),
      readable: listReadablePaths(this.#call),
      mayLeave: {
        ...mayLeave,
        // Any word may leave what it likes of Git's only by the person's own yes.
        git: mayWriteGit(this.#call) || (mayLeave.git && mayLeave.gitCommands !== null),
        gitCommands: mayWriteGit(this.#call) ? null : mayLeave.gitCommands,
        named: this.#call.grant.by === 'person' ? mayLeave.named : [],
      },
      // Where a rule lets it run, it is the words that were read that do: what was judged is what is used.
      ...(rule === null ? {} : { command: rule.runs, leastConfinement: rule.leastConfinement }),
      ...(unasked === null ? {} : { leastConfinement: 'confined', unasked }),
    });
  }
}

/**
 * A command that was judged to run confined runs confined or not at all: what this machine offers may change between the
 * last look and the start.
 */
function asStrictAsJudged(config: Config, call: AuthorizedCall): Config {
  const { run_command: settings } = config.tools;
  const isHeld = call.judgement.terms.gets.process?.held === 'confined';
  if (!isHeld || settings.confinement !== 'preferred') return config;
  return { ...config, tools: { ...config.tools, run_command: { ...settings, confinement: 'required' } } };
}
