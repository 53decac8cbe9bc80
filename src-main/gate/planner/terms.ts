import type { Json } from '#contract/vocabulary/json.js';
import type { JudgedPolicy, JudgedTerms } from '../../domain/call/judgement.js';
import type { Config } from '#contract/vocabulary/config.js';
import { disabledByMode, disabledByPolicy } from '../../domain/call/failures.js';
import type { PlanningSituation } from '../../domain/ports/planner.js';
import { decide, deniedOutright } from '../../domain/policy/decide.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import type { Tool, ToolDeclaration } from '../../domain/tool/tool.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { digestOf } from '../../platform/digest.js';

/** What a call is judged on that can be told at once: at planning, and again before it runs. */
export function termsOf(
  tool: Tool<unknown>,
  wish: string | null,
  situation: PlanningSituation,
  offered: Omit<TermsSituation, 'config'>,
): JudgedTerms {
  const { declaration } = tool;
  return {
    definition: definitionOf(declaration),
    roots: situation.sandbox.rootsNow(),
    settings: settingsOf(situation.config, declaration),
    policy: policyOf(declaration, wish, situation.config),
    gets: tool.termsFor({ config: situation.config, ...offered }),
  };
}

export function turnedOff(config: Config): Failure | null {
  if (config.tools.mode === 'disabled') return disabledByMode;
  return config.tools.approval.enabled ? null : disabledByPolicy;
}

function policyOf(declaration: ToolDeclaration, wish: string | null, config: Config): JudgedPolicy {
  const denied = turnedOff(config) ?? deniedOutright(config.tools.approval, declaration.name);
  if (denied !== null) return { verdict: 'deny', rule: denied.code, failure: denied };
  const verdict = decide(config.tools.approval, declaration, wish);
  return verdict.kind === 'deny'
    ? { verdict: 'deny', rule: 'mode-deny', failure: verdict.failure }
    : { verdict: verdict.kind, rule: verdict.id };
}

const definitions = new WeakMap<ToolDeclaration, string>();

function definitionOf(declaration: ToolDeclaration): string {
  const known = definitions.get(declaration);
  if (known !== undefined) return known;
  const { id, version, nature, takesBack, inputSchema, outputSchema } = declaration;
  const digest = digestOf({ id, version, nature, takesBack, inputSchema, outputSchema });
  definitions.set(declaration, digest);
  return digest;
}

const settings = new WeakMap<Config, Map<string, string>>();

/**
 * The settings that it runs by: those of the jail, of time and output, the tool's own, and a command's where it runs one.
 * Who must be asked is the policy's matter, and what a yes given in advance says is looked at by itself.
 */
function settingsOf(config: Config, declaration: ToolDeclaration): string {
  const ofConfig = settings.get(config) ?? new Map<string, string>();
  settings.set(config, ofConfig);
  const known = ofConfig.get(declaration.name);
  if (known !== undefined) return known;
  const { tools } = config;
  const own: unknown = Object.hasOwn(tools, declaration.name) ? tools[declaration.name as keyof typeof tools] : null;
  const command = declaration.nature === 'command' ? { run: tools.run_command, environment: tools.environment } : null;
  const digest = digestOf({
    sandbox: tools.sandbox,
    timeouts: tools.timeouts,
    output: tools.output,
    own,
    command,
  } as unknown as Json);
  ofConfig.set(declaration.name, digest);
  return digest;
}
