import type { Static, TSchema } from 'typebox';
import type { Config } from '#contract/vocabulary/config.js';
import type { Effect } from '#contract/vocabulary/effects.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { type NetworkTerms, NO_NETWORK } from '#contract/vocabulary/network.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { FileChange } from '../domain/lp1/write.js';
import type { Reading } from '../domain/commands/reading/reading.js';
import type { TermsSituation, ToolTerms } from '../domain/tool/terms.js';
import type {
  EffectContext,
  Preflight,
  PreflightContext,
  RuleScope,
  Tool,
  ToolContext,
  ToolDeclaration,
  ToolOutput,
} from '../domain/tool/tool.js';

/** The result of a handler: its structured part is what the tool's output schema says. */
export type HandlerOutput<Structured> = Omit<ToolOutput, 'structured'> & { readonly structured: Structured };

/** The facts that a tool declares, with the schemas that its declaration is made from. */
export type ToolFacts<N extends Nature, Input extends TSchema, Output extends TSchema> = Omit<
  ToolDeclaration<N>,
  'inputSchema' | 'outputSchema'
> & { readonly input: Input; readonly output: Output };

interface ToolBehavior<N extends Nature, Input extends TSchema, Output extends TSchema, Args, Understood> {
  /** Checks what a schema can't say, and returns the form that the tool works on. */
  readonly parse: (input: Static<Input>) => Args;
  readonly timeoutMs: (config: Config) => number | null;
  readonly argumentsBoundedElsewhere?: readonly string[];
  readonly summary: (args: Args, named: (path: string) => string) => string;
  /** Left out: a remembered yes is for the tool. */
  readonly standingKey?: (args: Args) => RuleScope;
  readonly understand?: (args: Args, context: PreflightContext<N>, before: Understood | null) => Promise<Understood>;
  readonly readingOf?: (understood: Understood) => Reading;
  readonly preflight: (args: Args, context: PreflightContext<N>, understood: Understood) => Promise<Preflight>;
  readonly effect: (args: Args, context: EffectContext<N>, understood: Understood) => Promise<Effect>;
  readonly foresee?: (args: Args, context: EffectContext<N>, understood: Understood) => Promise<Failure | null>;
  readonly argumentsFor?: (args: JsonObject, files: readonly FileChange[]) => JsonObject | null;
  readonly execute: (
    args: Args,
    context: ToolContext<N>,
    understood: Understood,
  ) => Promise<HandlerOutput<Static<Output>>>;
}

/**
 * The terms that a tool asks for. Those of tools for the workspace's files follow from their nature, except where the
 * app itself sends what they are asked; the others declare theirs.
 */
type ToolTermsSource<N extends Nature> = N extends 'reads' | 'files'
  ? { readonly gets?: undefined; readonly sends?: (config: Config) => NetworkTerms }
  : {
      readonly gets: (situation: TermsSituation) => Pick<ToolTerms, 'process' | 'network' | 'paths' | 'secrets'>;
      readonly sends?: undefined;
    };

/** The tool's declaration, in the form that everybody else reads. */
export function toDeclaration<N extends Nature, Input extends TSchema, Output extends TSchema>({
  input,
  output,
  ...said
}: ToolFacts<N, Input, Output>): ToolDeclaration<N> {
  return { ...said, inputSchema: input as Json as JsonObject, outputSchema: output as Json as JsonObject };
}

/** A tool from one schema for what it takes and one for what it gives: its declaration, its types and its parse. */
export function defineTool<N extends Nature, Input extends TSchema, Output extends TSchema, Args, Understood = unknown>(
  facts: ToolFacts<N, Input, Output>,
  doing: ToolBehavior<N, Input, Output, Args, Understood> & ToolTermsSource<N>,
): Tool<Args, N, Understood> {
  const { timeoutMs } = doing;
  const gets: (situation: TermsSituation) => Pick<ToolTerms, 'process' | 'network' | 'paths' | 'secrets'> =
    doing.gets ?? (({ config }) => ({ ...fileToolTerms(facts.nature), network: doing.sends?.(config) ?? NO_NETWORK }));
  return {
    declaration: toDeclaration(facts),
    argumentsBoundedElsewhere: doing.argumentsBoundedElsewhere ?? [],
    timeoutMs,
    termsFor: (situation) => ({
      nature: facts.nature,
      ...gets(situation),
      limits: {
        timeMs: timeoutMs(situation.config) ?? situation.config.tools.timeouts.default_seconds * 1000,
        outputBytes: situation.config.tools.output.max_bytes,
      },
    }),
    ruleScope: doing.standingKey ?? (() => ({ of: 'tool' })),
    // The registry's validator said yes to it, by that same schema.
    parse: (args) => doing.parse(args as Static<Input>),
    summary: doing.summary,
    ...(doing.understand === undefined ? {} : { understand: doing.understand }),
    ...(doing.readingOf === undefined ? {} : { getReading: doing.readingOf }),
    preflight: doing.preflight,
    effect: doing.effect,
    ...(doing.foresee === undefined ? {} : { foresee: doing.foresee }),
    ...(doing.argumentsFor === undefined ? {} : { findArgumentsFor: doing.argumentsFor }),
    execute: async (args, context, understood) => {
      const { structured, ...rest } = await doing.execute(args, context, understood);
      return { ...rest, structured };
    },
  };
}

const fileToolTerms = (nature: Nature): Pick<ToolTerms, 'process' | 'network' | 'paths' | 'secrets'> => ({
  process: null,
  network: NO_NETWORK,
  paths: nature === 'reads' ? 'read' : 'change',
  secrets: [],
});
