import type { ClientReach } from '#contract/window/clients.js';
import { isJsonObject } from '#contract/vocabulary/json.js';
import { valueAt } from './editing/edits.js';
import { type ClientSpec, SERVER } from './table/spec.js';
import { isPartApplied, type SettingsTrees } from './plan-edits.js';

/** Says truthfully what a connected client can do beside Gatehouse; `others` are the servers that it has besides. */
export function describeReach(spec: ClientSpec, trees: SettingsTrees, others: readonly string[]): ClientReach {
  const { ownTools } = spec;
  const own =
    ownTools.kind === 'fixed' || isPartApplied(ownTools, trees) ? ownTools.left : 'its own shell and file tools';
  const also = [
    ...(own === null ? [] : [own]),
    ...(others.length === 0 ? [] : [`other servers (${others.join(', ')})`]),
  ];
  if (also.length > 0) return { kind: 'also-others', text: `Left: ${also.join(' and ')}` };
  const loosened = ownTools.loosened?.(trees.settings ?? trees.servers ?? {}) ?? null;
  if (loosened !== null) return { kind: 'unknown', text: `Not known: it may have ${loosened}` };
  if (spec.tried.length === 0)
    return { kind: 'unknown', text: 'Not known: its tools are off as its documentation says; no version was tried' };
  return { kind: 'only-gatehouse', text: 'Only through Gatehouse ✓' };
}

/** The servers of a client's settings that are none of ours, and on. */
export function listOtherServers(spec: ClientSpec, trees: SettingsTrees): readonly string[] {
  const section = valueAt(trees.servers ?? {}, spec.servers);
  if (!isJsonObject(section)) return [];
  return Object.entries(section).flatMap(([name, entry]) =>
    name !== SERVER && isJsonObject(entry) && !spec.isOff(entry) ? [name] : [],
  );
}
