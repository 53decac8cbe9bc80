import type { AppStatus } from '#contract/window/app-events.js';

export interface StatusPart {
  readonly text: string;
  readonly title: string;
  readonly tone: 'calm' | 'notice' | 'warning' | 'error';
}

export function describeMode({ mode }: AppStatus): StatusPart {
  switch (mode) {
    case 'enabled':
      return { text: 'Tools on', title: 'Calls run once they’re approved', tone: 'calm' };
    case 'parse_only':
      return { text: 'Parse only', title: 'Nothing runs; you give each result', tone: 'notice' };
    case 'disabled':
      return { text: 'Tools off', title: 'Every call is refused', tone: 'warning' };
  }
}

export function describeConfinement({ confinement: { mode, available, problem } }: AppStatus): StatusPart {
  if (mode === 'off') {
    return { text: 'Unconfined', title: 'Commands can do whatever you can', tone: 'warning' };
  }
  if (available) {
    const title = 'Commands can change only this folder';
    return problem === null
      ? { text: 'Sandboxed', title, tone: 'calm' }
      : { text: 'Sandboxed', title: `${title}. ${problem}`, tone: 'notice' };
  }
  // The probe is not done yet: an app that starts says neither that commands are confined nor that they are not.
  if (problem === null && mode === 'preferred')
    return { text: 'Checking sandbox', title: 'Finding out whether commands can be sandboxed here', tone: 'calm' };
  const why = problem ?? 'this machine has no sandbox';
  return mode === 'required'
    ? { text: 'Commands refused', title: `The sandbox is required, but ${why}`, tone: 'error' }
    : { text: 'Unconfined', title: `Commands can’t be sandboxed: ${why}`, tone: 'warning' };
}

/** Null where tools may touch the workspace and nothing else. */
export function describeRoots(status: AppStatus, folder: string): StatusPart | null {
  const roots = status.roots[folder] ?? [];
  if (roots.length === 0) return null;
  const more = roots.length > 1 ? ` and ${roots.length - 1} more` : '';
  return {
    text: `Tools use ${roots[0]}${more}`,
    title: `Tools can use only: ${roots.join(', ')}`,
    tone: 'notice',
  };
}

export function describeJournal({ journal }: AppStatus): StatusPart {
  return journal.state === 'ok'
    ? { text: 'Journal ok', title: 'Every step is recorded', tone: 'calm' }
    : { text: 'Journal failed', title: journal.problem ?? 'Nothing runs until it can be written again', tone: 'error' };
}

export function describeGateway({ gateway }: AppStatus): StatusPart {
  if (gateway.problem !== null) return { text: 'Gateway failed', title: gateway.problem, tone: 'error' };
  if (!gateway.enabled) return { text: 'Gateway off', title: 'No program can connect', tone: 'calm' };
  const clients = gateway.clients.length;
  return {
    text: clients === 0 ? 'Gateway on' : `Gateway on, ${clients} connected`,
    title: gateway.url ?? 'Starting to serve',
    tone: 'calm',
  };
}
