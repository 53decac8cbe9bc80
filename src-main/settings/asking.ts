import { stringify } from 'smol-toml';
import type { Json } from '#contract/vocabulary/json.js';
import type { Config } from '#contract/vocabulary/config.js';
import { ASKING_PRESETS, type AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import { matchesEntry } from '../domain/tool/tool-identity.js';
import { type EditResult, setInText } from './edit-toml.js';

const RUN_COMMAND = { name: 'run_command', id: 'gatehouse.run_command', version: '1.0.0' } as const;

/**
 * Writes a settings file that says all that a choice stands for, Strict's as well: a value that is written there is no
 * default that may change.
 */
export function writeAskingSettings(asking: AskingPreset, denied: readonly string[]): string {
  const withoutCommands = denied.filter((entry) => !matchesEntry(entry, RUN_COMMAND));
  const { commands, edits, allow_absolute } = SETTINGS_OF_ASKING[asking];
  const approval = { denylist: asking === 'strict' ? denied : withoutCommands, commands, edits };
  const said = stringify({ tools: { approval, sandbox: { allow_absolute } } });
  return `# How Gatehouse asks: ${TITLES[asking]}. The Settings page shows what each means, and all other settings.\n${said}`;
}

/** Puts a choice into existing settings: whatever else they say stays, comments too. */
export async function applyAsking(
  text: string,
  asking: AskingPreset,
  denied: readonly string[],
  byDefault: readonly string[],
): Promise<EditResult> {
  const { commands, edits, allow_absolute } = SETTINGS_OF_ASKING[asking];
  const others = denied.filter((entry) => !matchesEntry(entry, RUN_COMMAND));
  const own = byDefault.filter((entry) => matchesEntry(entry, RUN_COMMAND));
  const keys: readonly (readonly [string, Json])[] = [
    [DENYLIST, asking === 'strict' ? [...others, ...own] : others],
    ['tools.approval.commands', commands],
    ['tools.approval.edits', edits],
    ['tools.sandbox.allow_absolute', allow_absolute],
  ];
  let edited: EditResult = { ok: true, text };
  for (const [key, value] of keys) if (edited.ok) edited = await setInText(edited.text, key, value);
  return edited;
}

/** The choice that the settings amount to; `own` where they amount to none. */
export function detectAsking({
  approval: { denylist, commands, edits },
  sandbox: { allow_absolute },
}: Config['tools']): AskingPreset | 'own' {
  const found = detectAgentAsking({ commands, edits, allow_absolute });
  const isStrict = denylist.some((entry) => matchesEntry(entry, RUN_COMMAND));
  return found !== null && found !== 'own' && (found === 'strict') === isStrict ? found : 'own';
}

export const DENYLIST = 'tools.approval.denylist';

/** The settings that each choice stands for. */
const SETTINGS_OF_ASKING = {
  strict: { commands: 'ask', edits: 'ask', allow_absolute: false },
  careful: { commands: 'sandbox', edits: 'ask', allow_absolute: false },
  balanced: { commands: 'sandbox', edits: 'collect', allow_absolute: true },
} as const satisfies Readonly<Record<AskingPreset, AgentAskingSettings>>;

/** The settings that a choice stands for in one agent's table: whatever else it has of its own stays. */
export const getAskingSettings = (asking: AskingPreset): (typeof SETTINGS_OF_ASKING)[AskingPreset] =>
  SETTINGS_OF_ASKING[asking];

/**
 * The choice that somebody made for this agent; `own` where its settings are none of the choices, null where it has
 * none.
 */
export function detectAgentAsking({
  commands,
  edits,
  allow_absolute,
}: AgentAskingSettings): AskingPreset | 'own' | null {
  if (commands === undefined && edits === undefined && allow_absolute === undefined) return null;
  const found = ASKING_PRESETS.find(
    (asking) =>
      SETTINGS_OF_ASKING[asking].commands === commands &&
      SETTINGS_OF_ASKING[asking].edits === edits &&
      SETTINGS_OF_ASKING[asking].allow_absolute === allow_absolute,
  );
  return found ?? 'own';
}

type AgentAskingSettings = Omit<Config['gateway']['agents'][number], 'name'>;

const TITLES: Readonly<Record<AskingPreset, string>> = { strict: 'Strict', careful: 'Careful', balanced: 'Balanced' };
