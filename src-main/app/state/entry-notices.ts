import type { Config } from '#contract/vocabulary/config.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { Notice } from '#contract/window/notices.js';
import { appliesToTool, parseToolEntry, type ToolIdentity } from '../../domain/tool/tool-identity.js';

export interface KnownTools {
  readonly tools: readonly ToolIdentity[];
  /** Groups of which it isn’t known what they have: sources that are off, or were never asked. */
  readonly unknownGroups: readonly string[];
}

/** A deny, a hook, a rule for a tool that there is none of (any more) keeps nothing: whoever wrote it should know. */
export function entryNotices(
  { tools, hooks }: Pick<Config, 'tools' | 'hooks'>,
  { tools: known, unknownGroups }: KnownTools,
): readonly Notice[] {
  const { denylist, allowlist, confirmed } = tools.approval;
  const entries = [
    ...denylist,
    ...allowlist,
    ...confirmed.map(({ tool }) => tool),
    ...hooks.flatMap((hook) => hook.tools ?? []),
  ];
  const none = [...new Set(entries)].filter(
    (entry) => entry !== '*' && !known.some((tool) => appliesToTool(entry, tool)) && !isOfUnknown(entry, unknownGroups),
  );
  if (none.length === 0) return [];
  return [
    {
      id: 'entries-nothing',
      severity: 'warning',
      title: none.length === 1 ? 'A setting names no tool' : 'Settings name no tool',
      text: `There is no tool ${none.slice(0, 5).map(quoted).join(', ')}${none.length > 5 ? ` and ${none.length - 5} more` : ''}. What your settings say of it holds for nothing. Correct the name, or take it out.`,
      details: none.length > 5 ? none.map(quoted).join('\n') : null,
      dismissible: true,
    },
  ];
}

function isOfUnknown(entry: string, groups: readonly string[]): boolean {
  const read = parseToolEntry(entry);
  const path = read.kind === 'name' ? read.name : read.kind === 'group' ? read.prefix : read.id;
  return groups.some((group) => path.startsWith(`${group}__`) || path.startsWith(`${group}.`));
}

const quoted = (name: string): string => `“${toVisibleLine(name, 100)}”`;
