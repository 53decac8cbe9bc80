import type { Config } from '#contract/vocabulary/config.js';
import type { PlanningSituation } from '../../domain/ports/planner.js';

const configs = new WeakMap<Config, Config>();

/** The situation of what the person does themselves: rules made for those who ask do not bind them. */
export function ofPerson(situation: PlanningSituation): PlanningSituation {
  const known = configs.get(situation.config);
  if (known !== undefined) return { ...situation, config: known };
  const { tools } = situation.config;
  const approval = { ...tools.approval, enabled: true, mode: 'prompt' as const, denylist: [] };
  const config: Config = { ...situation.config, tools: { ...tools, mode: 'enabled', approval } };
  configs.set(situation.config, config);
  return { ...situation, config };
}
