import type { AppEventBody, AppStatus } from '#contract/window/app-events.js';
import type { ConfinementTerms } from '../../domain/call/judgement.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { CommandConfinement } from '../../domain/ports/approval-desk.js';
import type { CommandsHeld } from '../../domain/ports/standing-rules.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';

/** What the status bar says; published when it changes. */
export class StatusLine {
  readonly #publish: (event: AppEventBody) => void;
  #status: AppStatus;

  constructor(initial: AppStatus, publish: (event: AppEventBody) => void) {
    this.#status = initial;
    this.#publish = publish;
  }

  get current(): AppStatus {
    return this.#status;
  }

  update(change: Partial<AppStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#publish({ type: 'status', status: this.#status });
  }

  confinementAsked(mode: AppStatus['confinement']['mode']): void {
    this.update({ confinement: { ...this.#status.confinement, mode } });
  }

  confinementFound({ available, problem }: ConfinementState): void {
    this.update({ confinement: { ...this.#status.confinement, available, problem } });
  }
}

/** What a command would get now, as the approval sheet says it, and what it would get with the network allowed for it. */
export function commandConfinement(status: AppStatus, config: Config): CommandConfinement {
  const { available, mode } = status.confinement;
  const offered = available && mode !== 'off' && !config.tools.run_command.network;
  return {
    words: confinementInWords(status, config, false),
    terms: { kind: kindOf(status, config) },
    withNetwork: offered ? confinementInWords(status, config, true) : null,
    termsWithNetwork: offered ? { kind: 'network' } : null,
  };
}

function kindOf({ confinement }: AppStatus, { tools }: Config): ConfinementTerms['kind'] {
  if (confinement.mode === 'off') return 'unconfined';
  if (confinement.available) return tools.run_command.network ? 'network' : 'confined';
  return confinement.mode === 'required' ? 'refused' : 'unconfined';
}

/** How commands are held now, and how the person’s own settings alone would have them held. */
export function commandsHeld({ confinement }: AppStatus, { tools: { run_command: settings } }: Config): CommandsHeld {
  const { confinement: mode, network, allowed_hosts: hosts } = settings;
  const bySettings = mode === 'off' ? 'unconfined' : network ? 'network' : 'confined';
  if (mode === 'off') return { inForce: 'unconfined', bySettings };
  // Where it is required and can’t be had, nothing runs.
  if (!confinement.available && mode === 'preferred') return { inForce: 'unconfined', bySettings };
  return { inForce: network || hosts.length > 0 ? 'network' : 'confined', bySettings };
}

function confinementInWords(
  { confinement }: AppStatus,
  { tools: { run_command: settings } }: Config,
  networkForThisCall: boolean,
): string {
  const network = networkForThisCall ? `For this call it ${ANY_HOST}` : networkInWords(settings);
  const files =
    'It can change the workspace and a temporary folder; the rest is read-only, and your home folder is hidden but for tools.';
  if (confinement.mode === 'off')
    return 'Unconfined (tools.run_command.confinement = "off"): it can do whatever you can.';
  const lacks = confinement.problem === null ? '' : ` ${confinement.problem}`;
  if (confinement.available) return `Confined. ${files} ${network}${lacks}`;
  const why = confinement.problem ?? 'this machine offers no confinement';
  return confinement.mode === 'required'
    ? `Confinement is required and can’t be had (${why}): it will fail.`
    : `Unconfined: ${why}. It can do whatever you can.`;
}

function networkInWords({ network, allowed_hosts: hosts }: Config['tools']['run_command']): string {
  if (network) return `It ${ANY_HOST}`;
  if (hosts.length === 0) return 'It has no network.';
  const more = hosts.length > MOST_NAMED ? ` and ${hosts.length - MOST_NAMED} more` : '';
  const only = hosts.slice(0, MOST_NAMED).join(', ');
  return `Of the network it may reach only ${only}${more}, through a proxy.`;
}

const MOST_NAMED = 5;

const ANY_HOST =
  'can reach any host on the internet and in your networks, through a proxy. Programs that use no proxy have no network.';
