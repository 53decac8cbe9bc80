import type { RuleView } from '#contract/window/rules.js';

/** Words a rule's extent in one line. */
export const describeExtent = ({ tool, command, prefix }: Pick<RuleView, 'tool' | 'command' | 'prefix'>): string =>
  command ?? (prefix === null ? `Every call of ${tool}` : `${prefix} …`);

/** The warning of a rule that holds where others don’t. */
export const AFTER_TEXT =
  'Holds even after the agent has read text you didn’t write. With private data as well, you are still asked.';

export const describeOwner = ({ agent, session }: Pick<RuleView, 'agent' | 'session'>): string =>
  session === null ? (agent ?? 'All agents') : session === '' ? 'One session' : `One session of ${session}`;

export const describeFolder = ({ workspace }: Pick<RuleView, 'workspace'>): string => workspace ?? 'Any folder';

export function describeExpiry({ kept, session, expires }: Pick<RuleView, 'kept' | 'session' | 'expires'>): string {
  if (session !== null) return 'The session ends';
  if (kept === 'until-quit') return 'Gatehouse quits';
  return expires ?? 'You remove it';
}
