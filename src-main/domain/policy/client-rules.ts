import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Config } from '#contract/vocabulary/config.js';

type ClientAccess = Config['gateway']['clients'][number]['access'];

/** The asker by both names there are: its agent's, by token or pipe, and the one that the client gives itself. */
interface NamedAsker {
  readonly agent: string | null;
  readonly client: string | null;
}

/**
 * Resolves what the person decided about one agent, in whatever version it comes. Every rule that fits either of its
 * names counts, and the strictest of them wins: a name that a client gives itself can only add rules. The agent's own
 * name it can't change, so a rule for that holds whatever it calls itself.
 */
export function clientAccess(config: Config, { agent, client }: NamedAsker): ClientAccess {
  const rules = rulesFor(config, { agent, client });
  if (rules.some(({ access }) => access === 'blocked')) return 'blocked';
  return rules.some(({ access }) => access === 'ask') ? 'ask' : 'normal';
}

/** Whether it may work in this folder, as far as the person limits it to some: one of them, or a folder in it. */
export const mayUseFolder = (config: Config, who: NamedAsker, folder: string): boolean =>
  rulesFor(config, who).every(
    ({ folders }) => folders === undefined || folders.some((each) => folder === each || folder.startsWith(`${each}/`)),
  );

const rulesFor = (config: Config, { agent, client }: NamedAsker): Config['gateway']['clients'] =>
  config.gateway.clients.filter(
    ({ name }) => name === agent || (client !== null && (client === name || client.startsWith(`${name} `))),
  );

export const blockedClientFailure = (who: string): Failure => ({
  code: 'Denylisted',
  message: `The user blocked ${who} in Gatehouse. Only they can unblock it, under Agents.`,
});
