import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Asker } from '../../domain/call/asker.js';
import { agentConfig, overrideConfig } from '../../domain/policy/agent-config.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { getAskingSettings } from '../../settings/asking.js';
import { PathJail } from '../../workspace/sandbox/path-jail.js';

interface AskerSettings {
  readonly statusOf: Agents['getStatus'];
  /** How the person wants to be asked in a conversation; null as everywhere. */
  readonly askingOf: (conversation: string) => AskingPreset | null;
}

/**
 * The situation with what the person set for this agent or conversation alone, stricter or not. A name without a token
 * may be anybody's, and has nothing of its own.
 */
export function applyOwnSettings(
  asker: Pick<Asker, 'agent' | 'door' | 'session'>,
  situation: PlanningSituation,
  own: AskerSettings,
): PlanningSituation {
  const config = configOf(asker, situation.config, own);
  if (config === situation.config) return situation;
  const { sandbox } = situation;
  const { allow_absolute: isAbsoluteAllowed } = config.tools.sandbox;
  return {
    ...situation,
    config,
    sandbox: sandbox instanceof PathJail ? sandbox.takingAbsolute(isAbsoluteAllowed) : sandbox,
  };
}

function configOf(
  { agent, door, session }: Pick<Asker, 'agent' | 'door' | 'session'>,
  config: Config,
  own: AskerSettings,
): Config {
  if (door === 'conversation') {
    const asking = own.askingOf(session);
    return asking === null ? config : overrideConfig(config, `conversation ${asking}`, [getAskingSettings(asking)]);
  }
  return agent === null || own.statusOf(agent) !== 'known' ? config : agentConfig(config, agent);
}
