import type { AppStatus } from '#contract/window/app-events.js';

export interface StatusPart {
  readonly text: string;
  readonly title: string;
  readonly tone: 'calm' | 'notice' | 'warning' | 'error';
}

export function modePart({ mode }: AppStatus): StatusPart {
  switch (mode) {
    case 'enabled':
      return { text: 'Tools on', title: 'Calls run once they are approved', tone: 'calm' };
    case 'parse_only':
      return { text: 'Parse only', title: 'Nothing runs; calls wait for results that you give', tone: 'notice' };
    case 'disabled':
      return { text: 'Tools off', title: 'Every call is refused', tone: 'warning' };
  }
}

export function confinementPart({ confinement: { mode, available, problem } }: AppStatus): StatusPart {
  if (mode === 'off') {
    return { text: 'Unconfined', title: 'Commands run with all that you may do', tone: 'warning' };
  }
  if (available) {
    const title = 'Commands can change the workspace only';
    return problem === null
      ? { text: 'Confined', title, tone: 'calm' }
      : { text: 'Confined', title: `${title}. ${problem}`, tone: 'notice' };
  }
  const why = problem ?? 'this machine offers no confinement';
  return mode === 'required'
    ? { text: 'Commands refused', title: `Confinement is required, but ${why}`, tone: 'error' }
    : { text: 'Unconfined', title: `Commands can’t be confined: ${why}`, tone: 'warning' };
}

/** Null where tools may touch the workspace and nothing else. */
export function rootsPart({ roots }: AppStatus): StatusPart | null {
  if (roots.length === 0) return null;
  const more = roots.length > 1 ? ` and ${roots.length - 1} more` : '';
  return {
    text: `Tools reach ${roots[0]}${more}`,
    title: `Tools may touch only: ${roots.join(', ')} (tools.sandbox.allowed_roots)`,
    tone: 'notice',
  };
}

export function journalPart({ journal }: AppStatus): StatusPart {
  return journal.state === 'ok'
    ? { text: 'Journal ok', title: 'Every step is recorded', tone: 'calm' }
    : { text: 'Journal failed', title: journal.problem ?? 'Nothing runs until it can be written again', tone: 'error' };
}

export function gatewayPart({ gateway }: AppStatus): StatusPart {
  if (gateway.problem !== null) return { text: 'Gateway failed', title: gateway.problem, tone: 'error' };
  if (!gateway.enabled) return { text: 'Gateway off', title: 'No program can connect', tone: 'calm' };
  const clients = gateway.clients.length;
  return {
    text: clients === 0 ? 'Gateway on' : `Gateway on, ${clients} connected`,
    title: gateway.url ?? 'Starting to serve',
    tone: 'calm',
  };
}
