import type { Config } from '#contract/vocabulary/config.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { makeAsker } from '../domain/call/asker.js';
import { policyInForce } from '../domain/policy/authorize.js';
import { judgedTool } from '../domain/policy/judged-tool.js';
import { listOfferedTools } from '../domain/policy/offered-tools.js';
import type { ToolLookup } from '../domain/ports/gate/tool-lookup.js';
import type { Unattended } from '../domain/policy/unattended.js';
import type { ToolDeclaration } from '../domain/tool/tool.js';
import { FIND_TOOLS_ID } from '../domain/tool/call-tool.js';
import { getTimeLimitMs } from '../domain/tool/declared-limits.js';
import { policyChanges } from './state/tool-policy.js';

/** The asker of calls that try a tool on the Tools page. */
const composer = makeAsker('compose', '');

const NOTHING_USED: ReadonlySet<string> = new Set();

/** Builds the tools as the Tools page shows them. */
export function toolViews(registry: ToolLookup, config: Config): readonly ToolView[] {
  const { isShort } = listOfferedTools(registry, config, NOTHING_USED);
  return registry.listDefinitions().flatMap(({ id: toolId, declaration }) => {
    // Nobody is given it while all are listed.
    if (toolId === FIND_TOOLS_ID && !isShort) return [];
    const found = registry.lookup(declaration?.name ?? '');
    if (declaration === null || found === null) return [];
    const { tool } = found;
    const seen = { seen: 'whole', name: declaration.name, tool: judgedTool(found), wish: null, unasked: null } as const;
    const by = (inForce: Config) =>
      policyInForce(
        composer,
        seen,
        { config: inForce, place: 'open', revoked: false, confirmation: null, approved: false },
        couldRunUnasked(tool.declaration),
      );
    const { policy, reason } = by(config);
    const timeoutMs = getTimeLimitMs(tool, config);
    const {
      name,
      id,
      version,
      title,
      description,
      inputSchema,
      outputSchema,
      requiredCapabilities,
      resourceLimits,
      deterministic,
      idempotent,
      sideEffecting,
      requiresApproval,
      risk,
    } = declaration;
    return [
      {
        name,
        id,
        version,
        title,
        description,
        inputSchema,
        outputSchema,
        requiredCapabilities,
        resourceLimits: { ...resourceLimits },
        deterministic,
        idempotent,
        sideEffecting,
        requiresApproval,
        risk,
        timeoutMs,
        policy,
        policyReason: reason,
        // What else would make it ask is no list: a tool that needs no approval runs, or is denied.
        canAsk: policy === 'ask' || by(asIfAsked(registry, config, name)).policy === 'ask',
      },
    ];
  });
}

/** The settings as they would be once “Ask” is chosen. */
function asIfAsked(registry: ToolLookup, config: Config, name: string): Config {
  const { approval } = config.tools;
  const lists = Object.fromEntries(
    policyChanges(registry, approval, name, 'ask').map(([key, value]) => [key.replace('tools.approval.', ''), value]),
  );
  return { ...config, tools: { ...config.tools, approval: { ...approval, ...lists } } };
}

/** The best that a call of it can be, for what the person's settings let run unasked. */
const couldRunUnasked = ({ nature, takesBack }: ToolDeclaration): Unattended | null =>
  nature === 'command'
    ? { what: 'command', against: null, edits: null, writes: { writes: 'kept', deletes: [] }, reading: '' }
    : nature === 'files' && takesBack === 'whole'
      ? { what: 'edit', against: null }
      : null;
