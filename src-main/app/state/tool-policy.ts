import type { ToolPolicy } from '#contract/vocabulary/tools/tools.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Config } from '#contract/vocabulary/config.js';
import { matchesOnly, type ToolIdentity } from '../../domain/tool/tool-identity.js';
import type { ToolLookup } from '../../domain/ports/gate/tool-lookup.js';

/** A tool's policy as changes of the two lists it is made of. */
export function policyChanges(
  registry: ToolLookup,
  approval: Config['tools']['approval'],
  name: string,
  policy: ToolPolicy,
): ReadonlyArray<readonly [key: string, value: Json]> {
  const tool: ToolIdentity = registry.lookup(name)?.tool.declaration ?? { name, id: null, version: null };
  // What means others too stays: it is for the person to say in their file what becomes of those.
  const without = (list: readonly string[]) => list.filter((entry) => !matchesOnly(entry, tool));
  const allowlist = policy === 'allow' ? [...without(approval.allowlist), name] : without(approval.allowlist);
  const denylist = policy === 'deny' ? [...without(approval.denylist), name] : without(approval.denylist);
  const changed = (before: readonly string[], after: readonly string[]) =>
    before.length !== after.length || before.some((entry) => !after.includes(entry));
  return [
    ...(changed(approval.allowlist, allowlist) ? [['tools.approval.allowlist', allowlist] as const] : []),
    ...(changed(approval.denylist, denylist) ? [['tools.approval.denylist', denylist] as const] : []),
  ];
}
