import type { Config } from '#contract/vocabulary/config.js';
import type { ToolView } from '#contract/window/tools.js';
import { askerAt } from '../domain/call/asker.js';
import { policyInForce } from '../domain/policy/authorize.js';
import { seenOf } from '../domain/policy/door-tools.js';
import type { ToolLookup } from '../domain/ports/gate/tool-lookup.js';
import { timeLimitMs } from '../domain/tool/bounds.js';

/** Who tries a tool on the Tools page. */
const composer = askerAt('compose', '');

/** As the Tools page shows them. */
export function toolViews(registry: ToolLookup, config: Config): readonly ToolView[] {
  return registry.definitions().flatMap(({ declaration }) => {
    const found = registry.lookup(declaration?.name ?? '');
    if (declaration === null || found === null) return [];
    const { tool } = found;
    const seen = { seen: 'whole', name: declaration.name, tool: seenOf(found), wish: null } as const;
    const { policy, reason } = policyInForce(composer, seen, {
      config,
      place: 'open',
      revoked: false,
      confirmation: null,
      approved: false,
    });
    const timeoutMs = timeLimitMs(tool, config);
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
      },
    ];
  });
}
