import type { Config } from '#contract/vocabulary/config.js';

/**
 * Cache by identity: the same config is asked for again and again, and comparisons of settings go by object identity.
 */
const AGENT_CONFIGS = new WeakMap<Config, Map<string, Config>>();

/**
 * The settings as they are for one agent, by the name of its token: the person may have said that it is to be asked otherwise
 * than all. `agent` is null for who has no token, and for one the person’s word is not about.
 */
export function agentConfig(config: Config, agent: string | null): Config {
  const own = config.gateway.agents.filter(({ name }) => name === agent);
  return agent === null || own.length === 0 ? config : overrideConfig(config, `agent ${agent}`, own);
}

/** How somebody is asked otherwise than all; what is left out is as for all. */
export type SettingsOverride = Omit<Config['gateway']['agents'][number], 'name'>;

/** The settings with those of one who has some of their own; `whose` says who, and is the same for the same ones. */
export function overrideConfig(config: Config, whose: string, own: readonly SettingsOverride[]): Config {
  const known = AGENT_CONFIGS.get(config) ?? new Map<string, Config>();
  AGENT_CONFIGS.set(config, known);
  const kept = known.get(whose);
  if (kept !== undefined) return kept;
  const { tools } = config;
  // Where it stands there twice, the stricter word counts.
  const isSaid = <T extends string | boolean>(said: readonly (T | undefined)[], strict: T, usual: T): T => {
    const words = said.filter((word) => word !== undefined);
    return words.includes(strict) ? strict : (words[0] ?? usual);
  };
  const made: Config = {
    ...config,
    tools: {
      ...tools,
      approval: {
        ...tools.approval,
        commands: isSaid(
          own.map((each) => each.commands),
          'ask',
          tools.approval.commands,
        ),
        edits: isSaid(
          own.map((each) => each.edits),
          'ask',
          tools.approval.edits,
        ),
        secrets: isSaid(
          own.map((each) => each.secrets),
          'deny',
          tools.approval.secrets,
        ),
      },
      sandbox: {
        ...tools.sandbox,
        allow_absolute: isSaid(
          own.map((each) => each.allow_absolute),
          false,
          tools.sandbox.allow_absolute,
        ),
      },
    },
  };
  known.set(whose, made);
  return made;
}
