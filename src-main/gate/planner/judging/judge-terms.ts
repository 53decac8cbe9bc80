import type { Json } from '#contract/vocabulary/json.js';
import type { JudgedPolicy, JudgedTerms } from '../../../domain/call/judgement.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { Verdict } from '../../../domain/policy/authorize.js';
import type { TermsSituation } from '../../../domain/tool/terms.js';
import type { Tool, ToolDeclaration } from '../../../domain/tool/tool.js';
import { digestJson } from '../../../platform/digest.js';

/** Collects the terms of a call that can be told at once: when it is planned, and again before it runs. */
export function judgeTerms(
  tool: Tool<unknown>,
  verdict: Verdict,
  situation: PlanningSituation,
  offered: Omit<TermsSituation, 'config'>,
): JudgedTerms {
  const { declaration } = tool;
  return {
    definition: digestDefinition(declaration),
    roots: situation.sandbox.inspectRoots(),
    settings: digestSettings(situation.config, declaration),
    policy: policyOf(verdict),
    gets: tool.termsFor({ config: situation.config, ...offered }),
  };
}

const policyOf = (verdict: Verdict): JudgedPolicy =>
  verdict.kind === 'deny'
    ? { verdict: 'deny', rule: verdict.id, failure: verdict.failure }
    : { verdict: verdict.kind, rule: verdict.id };

const definitions = new WeakMap<ToolDeclaration, string>();

function digestDefinition(declaration: ToolDeclaration): string {
  const known = definitions.get(declaration);
  if (known !== undefined) return known;
  const { id, version, nature, takesBack, inputSchema, outputSchema, accepted = null } = declaration;
  const digest = digestJson({ id, version, nature, takesBack, inputSchema, outputSchema, accepted });
  definitions.set(declaration, digest);
  return digest;
}

const settings = new WeakMap<Config, Map<string, string>>();

/**
 * Digests the settings that a tool runs by: those of the sandbox, of time and output, the tool’s own, and a command’s
 * where it runs one. Who must be asked is the policy’s matter, and rules confirmed in advance are checked by
 * themselves.
 */
function digestSettings(config: Config, declaration: ToolDeclaration): string {
  const ofConfig = settings.get(config) ?? new Map<string, string>();
  settings.set(config, ofConfig);
  const known = ofConfig.get(declaration.name);
  if (known !== undefined) return known;
  const { tools } = config;
  const own: unknown = Object.hasOwn(tools, declaration.name) ? tools[declaration.name as keyof typeof tools] : null;
  const command = declaration.nature === 'command' ? { run: tools.run_command, environment: tools.environment } : null;
  const digest = digestJson({
    sandbox: tools.sandbox,
    timeouts: tools.timeouts,
    output: tools.output,
    own,
    command,
  } as unknown as Json);
  ofConfig.set(declaration.name, digest);
  return digest;
}
