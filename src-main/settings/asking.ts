import { stringify } from 'smol-toml';
import type { Json } from '#contract/vocabulary/json.js';
import type { Config } from '#contract/vocabulary/config.js';
import { ASKING, type Asking } from '#contract/vocabulary/conversation/asking.js';
import { means } from '../domain/tool/tool-identity.js';
import { type Edited, setInText } from './edit.js';

const RUN_COMMAND = { name: 'run_command', id: 'gatehouse.run_command', version: '1.0.0' } as const;

/** A settings file that says all that a choice stands for, Strict's as well: what is written there is no default that may change. */
export function settingsOf(asking: Asking, denied: readonly string[]): string {
  const withoutCommands = denied.filter((entry) => !means(entry, RUN_COMMAND));
  const { commands, edits, allow_absolute } = OF[asking];
  const approval = { denylist: asking === 'strict' ? denied : withoutCommands, commands, edits };
  const said = stringify({ tools: { approval, sandbox: { allow_absolute } } });
  return `# How Gatehouse asks: ${TITLES[asking]}. The Settings page shows what each means, and all other settings.\n${said}`;
}

/** What the choice stands for, in settings that are there: what they say besides stays, comments too. */
export async function withAsking(
  text: string,
  asking: Asking,
  denied: readonly string[],
  byDefault: readonly string[],
): Promise<Edited> {
  const { commands, edits, allow_absolute } = OF[asking];
  const others = denied.filter((entry) => !means(entry, RUN_COMMAND));
  const own = byDefault.filter((entry) => means(entry, RUN_COMMAND));
  const keys: readonly (readonly [string, Json])[] = [
    [DENYLIST, asking === 'strict' ? [...others, ...own] : others],
    ['tools.approval.commands', commands],
    ['tools.approval.edits', edits],
    ['tools.sandbox.allow_absolute', allow_absolute],
  ];
  let edited: Edited = { ok: true, text };
  for (const [key, value] of keys) if (edited.ok) edited = await setInText(edited.text, key, value);
  return edited;
}

/** Which choice the settings amount to; `own` where none. */
export function askingNow({
  approval: { denylist, commands, edits },
  sandbox: { allow_absolute },
}: Config['tools']): Asking | 'own' {
  const found = askingOf({ commands, edits, allow_absolute });
  const isStrict = denylist.some((entry) => means(entry, RUN_COMMAND));
  return found !== null && found !== 'own' && (found === 'strict') === isStrict ? found : 'own';
}

export const DENYLIST = 'tools.approval.denylist';

/** What each stands for. */
const OF = {
  strict: { commands: 'ask', edits: 'ask', allow_absolute: false },
  careful: { commands: 'sandbox', edits: 'ask', allow_absolute: false },
  balanced: { commands: 'sandbox', edits: 'collect', allow_absolute: true },
} as const satisfies Readonly<Record<Asking, AgentSettings>>;

/** Of one agent: what it has of its own besides stays. */
export const agentSettingsOf = (asking: Asking): (typeof OF)[Asking] => OF[asking];

/** What somebody chose for this agent; `own` where it has settings that are none of these, null where it has none. */
export function askingOf({ commands, edits, allow_absolute }: AgentSettings): Asking | 'own' | null {
  if (commands === undefined && edits === undefined && allow_absolute === undefined) return null;
  const found = ASKING.find(
    (asking) =>
      OF[asking].commands === commands && OF[asking].edits === edits && OF[asking].allow_absolute === allow_absolute,
  );
  return found ?? 'own';
}

type AgentSettings = Omit<Config['gateway']['agents'][number], 'name'>;

const TITLES: Readonly<Record<Asking, string>> = { strict: 'Strict', careful: 'Careful', balanced: 'Balanced' };
