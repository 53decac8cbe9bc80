import type { Failure } from '../../src-preload/contract/outcomes.js';
import type { Config } from './config.js';

export type ClientAccess = Config['gateway']['clients'][number]['access'] | 'normal';

/**
 * What the person decided about one agent: by its name, in whatever version it comes. A name is what an agent says of
 * itself, so this is for those that say the truth; the token keeps out the rest.
 */
export function clientAccess(config: Config, client: string | null): ClientAccess {
  if (client === null) return 'normal';
  const rules = config.gateway.clients.filter(({ name }) => client === name || client.startsWith(`${name} `));
  if (rules.some(({ access }) => access === 'blocked')) return 'blocked';
  return rules.length > 0 ? 'ask' : 'normal';
}

export const clientBlocked = (client: string): Failure => ({
  code: 'Denylisted',
  message: `The person blocked ${client} in Gatehouse. Only they can let it in again (Settings, Connect an agent).`,
});
