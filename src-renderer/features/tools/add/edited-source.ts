import { SOURCE_DEFAULTS, type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { joinCommandLine } from '#contract/vocabulary/text/command-line.js';
import { EMPTY_FORM, type FormKind, type FormValues, type GivenRow } from './form-values.js';
import type { ProgramReach } from './reach.js';

/** A source’s settings as the form has them. */
export function toForm(name: string, settings: SourceSettings): FormValues {
  const { command, args = [], url, file, manifest, env, headers, credentials } = settings;
  return {
    ...EMPTY_FORM,
    name,
    kind: chooseFormKind(settings),
    what: command === undefined ? (url ?? file ?? manifest ?? '') : joinCommandLine([command, ...args]),
    folder: settings.cwd ?? '',
    baseUrl: settings.base_url ?? '',
    given: Object.entries(env ?? headers ?? credentials ?? {}).map(([each, value], at) =>
      buildGivenRow(at + 1, each, value),
    ),
    reach: readReach(settings),
    approval: settings.approval ?? 'ask',
    seconds: settings.timeout_seconds === undefined ? '' : String(settings.timeout_seconds),
    start: settings.start ?? 'on-demand',
    definitions: settings.definitions ?? 'ask',
    include: isAll(settings.include) ? '' : (settings.include ?? []).join(', '),
    exclude: (settings.exclude ?? []).join(', '),
  };
}

function chooseFormKind({ kind, command }: SourceSettings): FormKind {
  if (kind !== 'mcp') return kind;
  return command === undefined ? 'mcp-remote' : 'mcp-local';
}

/** A reference with a word before it (“Bearer secret:x”) is edited as it is written. */
function buildGivenRow(key: number, name: string, value: string): GivenRow {
  const reference = /^(secret|env):(\S+)$/u.exec(value);
  if (reference === null) return { key, name, as: 'text', value };
  return { key, name, as: reference[1] === 'env' ? 'environment' : 'kept', value: reference[2] ?? '' };
}

function readReach({ network = [], filesystem = 'none' }: SourceSettings): ProgramReach {
  if (network.includes('*')) return { network: 'any', hosts: '', filesystem };
  return { network: network.length === 0 ? 'none' : 'hosts', hosts: network.join(', '), filesystem };
}

const isAll = (include: SourceSettings['include']): boolean => include?.length === 1 && include[0] === '*';

/** Settings that the form has. The rest of the settings stays as it is. */
const FORM_SETTINGS: readonly (keyof SourceSettings)[] = [
  'kind',
  'command',
  'args',
  'cwd',
  'env',
  'url',
  'headers',
  'file',
  'base_url',
  'manifest',
  'credentials',
  'network',
  'filesystem',
  'approval',
  'timeout_seconds',
  'start',
  'definitions',
  'include',
  'exclude',
];

/** Merges the form's edits into the settings: a default that was written out stays written. */
export function applyEdits(was: SourceSettings, form: SourceSettings): SourceSettings {
  const kept = Object.entries(was).filter(([key, value]) => {
    const named = key as keyof SourceSettings;
    if (!FORM_SETTINGS.includes(named)) return named === 'enabled' || form.kind === was.kind;
    const usual = Object.entries(SOURCE_DEFAULTS).find(([each]) => each === key)?.[1];
    const belongs = WHERE.every((each) => (was[each] === undefined) === (form[each] === undefined));
    return belongs && form[named] === undefined && usual !== undefined && isSame(usual, value);
  });
  return { ...Object.fromEntries(kept), ...form };
}

const WHERE = ['command', 'url', 'file', 'manifest'] as const;

/** Whether it is another server to what was accepted: by what it is started or reached, and the names of what it is given. */
export const hasOtherIdentity = (was: SourceSettings, is: SourceSettings): boolean =>
  !isSame(pickIdentity(was), pickIdentity(is));

const pickIdentity = ({
  kind,
  command,
  args = [],
  cwd,
  url,
  file,
  base_url: base,
  manifest,
  ...rest
}: SourceSettings) => [
  [kind, command ?? null, args, cwd ?? null, url ?? null, file ?? null, base ?? null, manifest ?? null],
  [rest.env, rest.headers, rest.credentials].map((table) => Object.keys(table ?? {}).toSorted()),
];

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
