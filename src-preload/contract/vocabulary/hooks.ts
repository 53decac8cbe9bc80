import Type, { type Static } from 'typebox';

export const HOOK_TIMES = ['before', 'after'] as const;
export type HookTime = (typeof HOOK_TIMES)[number];

/** Shown in sentences, and a part of what its rule is called. */
export const HOOK_NAME = '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$';

/**
 * One `[[hooks]]` table of the person's file. Optional keys stay absent here: the code that needs one knows its
 * default.
 */
export const HookSettingsSchema = Type.Object(
  {
    name: Type.String({ pattern: HOOK_NAME, description: 'What it is called, in the history and in a denial.' }),
    when: Type.Enum([...HOOK_TIMES], {
      description: 'Before a call, to judge it, or after it, to be told.',
    }),
    tools: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 200,
        description: 'The tools it is for, by name, id or group; * means all.',
      }),
    ),
    command: Type.Array(Type.String({ maxLength: 4096 }), {
      minItems: 1,
      maxItems: 100,
      description: 'The program and its arguments.',
    }),
    timeout_seconds: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 300, description: 'How long it may take.' }),
    ),
    on_failure: Type.Optional(
      Type.Enum(['deny', 'ignore'], { description: 'What becomes of a call that it could not judge.' }),
    ),
  },
  { additionalProperties: false },
);
export type HookSettings = Static<typeof HookSettingsSchema>;

export const HOOK_DEFAULTS = { tools: ['*'], timeout_seconds: 5, on_failure: 'deny' } as const;

export const HOOK_DECISIONS = ['allow', 'ask', 'deny'] as const;
export type HookDecision = (typeof HOOK_DECISIONS)[number];

/** One run of a hook, as the timeline of its call has it: a decision, or the reason why there is none. */
export type HookRun = {
  readonly name: string;
  readonly when: HookTime;
  readonly ms: number;
} & ({ readonly decision: HookDecision; readonly reason: string | null } | { readonly failed: string });

/** Words a run in a sentence. A hook that ran after a call decided nothing. */
export function describeHookRun(run: HookRun): string {
  const hook = `Hook “${run.name}”`;
  if ('failed' in run) return `${hook} failed: ${run.failed}`;
  if (run.when === 'after') return `${hook} ran`;
  const why = run.reason === null ? '' : `: ${run.reason}`;
  return `${hook} ${DECIDED[run.decision]}${why}`;
}

const DECIDED = { allow: 'allowed it', ask: 'wants you to decide', deny: 'denied it' } as const satisfies Readonly<
  Record<HookDecision, string>
>;
