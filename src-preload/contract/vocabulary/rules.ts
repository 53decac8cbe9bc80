/** Who has a say in whether a call runs, in the order in which they are asked. Each can only narrow what those before it left. */
export const LAYERS = ['workspace', 'agent', 'settings', 'door', 'tool', 'confirmation', 'person'] as const;
export type Layer = (typeof LAYERS)[number];

/** What a rule is called, in the record and everywhere: stable, whatever its words are. */
export type RuleId =
  | 'workspace.none'
  | 'workspace.roots'
  | 'agent.revoked'
  | 'agent.blocked'
  | 'agent.ask'
  | 'settings.mode'
  | 'settings.approval'
  | 'settings.denylist'
  | 'settings.only-allowlist'
  | 'settings.allowlist'
  | 'settings.side-effects'
  | 'settings.auto'
  | 'settings.no-prompts'
  | 'settings.reads'
  /** There is no such tool at this door: unknown, or not for it. Which of both, it does not tell. */
  | 'door.tools'
  | 'door.open'
  | 'tool.wish'
  | 'tool.approval'
  /** Those that let it run by their places in the person's list, or why one that would have does not. */
  | `confirmation:${string}`
  | 'person.act'
  | 'person.decision'
  | 'person.result';

export interface Rule {
  readonly layer: Layer;
  readonly id: RuleId;
}
