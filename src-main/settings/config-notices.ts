import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { type RefusedHook, describeConsequence } from '#contract/window/hooks.js';
import type { Notice } from '#contract/window/notices.js';
import { digestJson } from '../platform/digest.js';
import { type FolderSettings, buildFolderNotices } from './folder-settings.js';
import type { IgnoredValue } from './layers.js';
import type { ConfigLayer, ConfigProblem } from './parse.js';
import type { RefusedSource } from './sources/split-sources.js';

/** The notices about the person's own file. */
export function buildPersonNotices(
  path: string,
  problem: ConfigProblem | null,
  { unknown, refusedSources, refusedHooks }: ConfigLayer,
): readonly Notice[] {
  return [
    ...(problem === null ? [] : [problemNotice('config-problem-person', 'Your settings', problem)]),
    ...(unknown.length === 0 ? [] : [unknownNotice('config-unknown-person', 'Your settings', path, unknown)]),
    ...refusedSources.map(refusedNotice),
    ...refusedHooks.map(refusedHookNotice),
  ];
}

/** The notices about one folder's file: each names it, since several folders can be open. */
export function buildWorkspaceNotices(settings: FolderSettings, ignored: readonly IgnoredValue[]): readonly Notice[] {
  const { path, problem, layer } = settings;
  const id = (what: string) => `config-${what}-workspace-${digestJson(path).slice(0, 8)}`;
  const whose = 'The workspace’s settings';
  return [
    ...buildFolderNotices(settings, id('changed')),
    ...(problem === null ? [] : [problemNotice(id('problem'), whose, problem)]),
    ...(layer.unknown.length === 0 ? [] : [unknownNotice(id('unknown'), whose, path, layer.unknown)]),
    ...(ignored.length === 0 ? [] : [ignoredNotice(id('ignored'), path, ignored)]),
  ];
}

const problemNotice = (id: string, whose: string, { file, line, reason }: ConfigProblem): Notice => ({
  id,
  severity: 'error',
  title: `${whose} can’t be used`,
  text: `${file}${line === null ? '' : `, line ${line}`}: ${reason} The earlier settings stay in force until this is fixed.`,
  details: null,
  dismissible: false,
});

const refusedNotice = ({ name, file, line, reason }: RefusedSource): Notice => ({
  id: `config-source-${digestJson(name).slice(0, 8)}`,
  severity: 'error',
  title: `The source “${toVisibleLine(name, 40)}” can’t be used`,
  text: `${file}${line === null ? '' : `, line ${line}`}: ${toVisibleLine(reason, 400)} Your other sources go on.`,
  details: null,
  dismissible: true,
});

const refusedHookNotice = (hook: RefusedHook): Notice => ({
  id: `config-hook-${digestJson(hook.name).slice(0, 8)}`,
  severity: 'error',
  title: `The hook “${toVisibleLine(hook.name, 70)}” can’t be used`,
  text: `${hook.file}${hook.line === null ? '' : `, line ${hook.line}`}: ${toVisibleLine(hook.reason, 400)} ${describeConsequence(hook)}`,
  details: null,
  dismissible: false,
});

const unknownNotice = (id: string, whose: string, path: string, keys: readonly string[]): Notice => ({
  id,
  severity: 'info',
  title: `${whose} contain an unknown setting`,
  text: `${path}: ${formatList(keys)} ${keys.length === 1 ? 'has' : 'have'} no effect. Check the spelling.`,
  details: null,
  dismissible: true,
});

const ignoredNotice = (id: string, path: string, ignored: readonly IgnoredValue[]): Notice => ({
  id,
  severity: 'warning',
  title: 'The folder’s settings allow more than yours',
  text: `A folder’s settings can only tighten yours. Ignored in ${path}: ${formatList(ignored.map(({ key }) => key))}.`,
  details: ignored.map(({ key, why }) => `${key}: ${why}.`).join('\n'),
  dismissible: true,
});

const formatList = (items: readonly string[]): string =>
  items.length <= 8 ? items.join(', ') : `${items.slice(0, 8).join(', ')} and ${items.length - 8} more`;
