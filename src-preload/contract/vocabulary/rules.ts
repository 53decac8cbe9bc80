/**
 * The layers of the policy that decide whether a call runs, in the order in which they are asked. Each can only narrow
 * what those before it left.
 */
export const LAYERS = ['workspace', 'agent', 'settings', 'door', 'tool', 'policy', 'confirmation', 'person'] as const;
export type Layer = (typeof LAYERS)[number];

/** The id of a rule, in the record and everywhere: stable, whatever its words are. */
export type RuleId =
  | 'workspace.none'
  /** The folder was closed, or is not its agent's. */
  | 'workspace.closed'
  | 'workspace.roots'
  | 'agent.revoked'
  | 'agent.blocked'
  | 'agent.ask'
  /** The model's reading taints the call; `three`: with private data and a way out. */
  | 'agent.tainted'
  | 'agent.three'
  | 'agent.sheets'
  | 'settings.mode'
  | 'settings.approval'
  | 'settings.denylist'
  | 'settings.only-allowlist'
  | 'settings.allowlist'
  | 'settings.side-effects'
  | 'settings.auto'
  | 'settings.no-prompts'
  | 'settings.domain'
  | 'settings.reads'
  /** `edits = "collect"` and `commands = "sandbox"`: what they let run, or why not this. */
  | 'settings.collect'
  | 'settings.sandbox'
  /** There is no such tool at this door: unknown, or not for it. Which of both, it does not tell. */
  | 'door.tools'
  | 'door.open'
  | 'tool.wish'
  /** It failed unasked without something that was hidden from it. */
  | 'tool.lacked'
  | 'tool.approval'
  /** The tool is not as the person accepted it. */
  | 'tool.changed'
  /** A hook of the person’s settings, by its name. */
  | `hook:${string}`
  /** Confirmations that let it run, by their names (joined by `+`), or why one that would have let it run does not. */
  | `confirmation:${string}`
  | 'person.act'
  | 'person.decision'
  | 'person.result';

export interface DecidingRule {
  readonly layer: Layer;
  readonly id: RuleId;
}

/** Something that a person should know of a rule. `never`: it lets nothing run as things are. */
export interface RuleRemark {
  readonly never: boolean;
  readonly words: string;
}
