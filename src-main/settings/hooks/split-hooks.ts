import { HOOK_TIMES, type HookSettings, HookSettingsSchema } from '#contract/vocabulary/hooks.js';
import type { RefusedHook } from '#contract/window/hooks.js';
import type { Json } from '#contract/vocabulary/json.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { compileValidator } from '../../platform/json-schema.js';
import { findKeyLine } from '../key-line.js';
import { isTable, type Table } from '../setting-keys.js';

const validateHook = compileValidator(HookSettingsSchema);
const KNOWN_KEYS = new Set(Object.keys(HookSettingsSchema.properties));

/**
 * Separates usable hooks from refused ones. One wrong hook keeps no other from being used, and no other setting either.
 * Calls that it was for do not run unjudged, though.
 */
export function splitHooks(
  file: string,
  text: string,
  table: Table,
): { readonly table: Table; readonly refused: readonly RefusedHook[] } {
  const { hooks } = table;
  if (!Array.isArray(hooks)) return { table, refused: [] };
  const taken: Json[] = [];
  const refused: RefusedHook[] = [];
  const names = new Set<string>();
  for (const [at, hook] of (hooks as readonly Json[]).entries()) {
    const wrong = findHookProblem(hook, names);
    const name = isTable(hook) && typeof hook['name'] === 'string' ? hook['name'] : null;
    if (name !== null) names.add(name);
    if (wrong === null) taken.push(hook);
    else
      refused.push({
        name: name === null ? `number ${at + 1}` : toVisibleLine(name, 64),
        ...readHookScope(hook),
        file,
        line: findHookLine(text, at, wrong.key),
        reason: wrong.reason,
      });
  }
  return { table: { ...table, hooks: taken }, refused };
}

interface HookProblem {
  readonly key: string;
  readonly reason: string;
}

function findHookProblem(value: Json, names: ReadonlySet<string>): HookProblem | null {
  const unknown = isTable(value) ? Object.keys(value).find((key) => !KNOWN_KEYS.has(key)) : undefined;
  if (unknown !== undefined)
    return { key: unknown, reason: `it has “${toVisibleLine(unknown, 100)}”, which is not known here.` };
  const checked = validateHook(value);
  if (!checked.ok) {
    const [problem] = checked.problems;
    const path = problem?.path ?? '';
    return { key: path, reason: `${path === '' ? 'it' : path} ${problem?.message ?? 'is not as it should be'}.` };
  }
  const { name, command } = checked.value;
  if (names.has(name)) return { key: 'name', reason: `another hook is called “${name}”. Give each a name of its own.` };
  if (command[0] === '') return { key: 'command', reason: 'command must begin with a program.' };
  if (command.some((word) => word.includes('\0')))
    return { key: 'command', reason: 'command holds a character that no program can be given.' };
  return null;
}

/**
 * The calls that a refused hook was for, as far as that can be told: a part that can't be told is taken for the widest.
 */
function readHookScope(hook: Json): Pick<RefusedHook, 'when' | 'tools' | 'onFailure'> {
  const said: Partial<Record<keyof HookSettings, Json>> = isTable(hook) ? hook : {};
  const { tools } = said;
  const isList = Array.isArray(tools) && tools.length > 0 && tools.every((each) => typeof each === 'string');
  return {
    when: HOOK_TIMES.find((time) => time === said.when) ?? null,
    tools: isList ? tools : ['*'],
    onFailure: said.on_failure === 'ignore' ? 'ignore' : 'deny',
  };
}

/** The line of the n-th `[[hooks]]`, or of a key in it; where all hooks are in one line, that one. */
function findHookLine(text: string, at: number, key: string): number | null {
  const lines = text.split('\n');
  const headers = lines.flatMap((line, number) => (/^\s*\[\[\s*["']?hooks["']?\s*\]\]/u.test(line) ? [number] : []));
  const header = headers[at];
  if (header === undefined) return findKeyLine(text, 'hooks');
  const [first = ''] = key.split('.');
  const rest = lines.slice(header + 1);
  const end = rest.findIndex((line) => /^\s*\[/u.test(line));
  const own = end === -1 ? rest : rest.slice(0, end);
  const found = first === '' ? -1 : own.findIndex((line) => parseLineKey(line) === first);
  return (found === -1 ? header : header + 1 + found) + 1;
}

const parseLineKey = (line: string): string | null => /^\s*["']?([\w -]+?)["']?\s*=/u.exec(line)?.[1] ?? null;
