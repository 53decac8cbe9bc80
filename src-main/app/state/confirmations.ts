import { randomUUID } from 'node:crypto';
import type { Clock } from '../../domain/ports/clock.js';
import type { LiveRule } from '../../domain/policy/remembered/standing-confirmation.js';
import type { RuleStore, SessionRule } from '../../domain/ports/gate/standing-rules.js';
import { ruleIdOf } from '../../gate/planner/rule-id.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { ConfigStore } from '../../settings/config-store.js';

/** The rules that the window makes and removes, and those that live no longer than the app runs. */
export interface RuleBook extends RuleStore {
  /** Lists the rules in force, each with the id by which the record names it. */
  readonly all: () => readonly KeptRule[];
  /** Null when it is gone, or why not. What it let through and has not begun is asked about after all. */
  readonly remove: (id: string) => Promise<string | null>;
  /** Puts back what was removed a moment ago, as it was. Null when it stands again, or why not. */
  readonly undo: (id: string) => Promise<string | null>;
  /** Follows who is connected: a rule for one session goes with it. */
  readonly follow: (sessions: readonly string[]) => void;
}

export interface KeptRule {
  readonly id: string;
  readonly kept: 'settings' | 'until-quit';
  readonly rule: LiveRule;
}

interface RuleBookDeps {
  readonly config: Pick<ConfigStore, 'current' | 'addConfirmed' | 'removeConfirmed'>;
  readonly redactor: Pick<Redactor, 'text'>;
  readonly clock: Clock;
  readonly onProblem: (text: string) => void;
  readonly onChange: () => void;
}

/** The window offers to undo for 10 s; a click needs a moment to arrive. */
const UNDO_MS = 12_000;
const GONE = 'This rule is gone already.';
const TOO_LATE = 'It was removed too long ago to be put back. Make it anew.';

/**
 * Creates the book of rules: those until Gatehouse quits are in memory, the others in the person's own file, where they
 * see and edit them.
 */
export function ruleBook({ config, redactor, clock, onProblem, onChange }: RuleBookDeps): RuleBook {
  let session: readonly SessionRule[] = [];
  let connected: ReadonlySet<string> = new Set();
  const removed = new Map<string, { readonly at: number; readonly restore: () => Promise<string | null> }>();
  const change = (rules: readonly SessionRule[]): void => {
    session = rules;
    onChange();
  };
  const hold = (rule: LiveRule): void => {
    change([...session, { ...rule, id: `session-${randomUUID().slice(0, 8)}` }]);
  };
  const removeNow = async (id: string): Promise<(() => Promise<string | null>) | string> => {
    const held = session.find((rule) => rule.id === id);
    if (held !== undefined) {
      change(session.filter((rule) => rule !== held));
      return async () => {
        change([...session, held]);
        return null;
      };
    }
    const taken = await config.removeConfirmed((rule) => ruleIdOf(rule) === id);
    if (!taken.ok) return taken.problem;
    return async () => {
      const saved = await taken.restore();
      return saved.ok ? null : saved.problem;
    };
  };
  return {
    get session() {
      return session;
    },
    remember: async (rule, until) => {
      const { session: of, ...kept } = rule;
      // A rule for one session alone has nobody to be kept for.
      if (until === 'quit' || of !== undefined) return hold(rule);
      // Nothing of a secret stands on the disk in the clear, and a rule has to: it is compared word for word.
      if (redactor.text(`${rule.command ?? ''}\n${rule.prefix ?? ''}`).count > 0) {
        hold(rule);
        onProblem(HOLDS_SECRET);
        return undefined;
      }
      const saved = await config.addConfirmed(kept);
      // The decision stands; only keeping the rule failed, and it holds at least until the app quits.
      if (saved.ok) return undefined;
      hold(rule);
      onProblem(`${saved.problem} It holds until Gatehouse quits.`);
      return undefined;
    },
    all: () => {
      const kept = config.current.tools.approval.confirmed.map((rule) => ({
        id: ruleIdOf(rule),
        kept: 'settings' as const,
        rule,
      }));
      // What stands in the file twice is one rule.
      const once = [...new Map(kept.map((each) => [each.id, each])).values()];
      return [...once, ...session.map((rule) => ({ id: rule.id, kept: 'until-quit' as const, rule }))];
    },
    remove: async (id) => {
      const restore = await removeNow(id);
      if (typeof restore === 'string') return restore;
      removed.set(id, { at: clock.monotonic(), restore });
      return null;
    },
    undo: async (id) => {
      const last = removed.get(id);
      removed.delete(id);
      if (last === undefined) return GONE;
      return clock.monotonic() - last.at > UNDO_MS ? TOO_LATE : await last.restore();
    },
    follow: (sessions) => {
      const now = new Set(sessions);
      const left = session.filter((rule) => {
        const of = rule.session;
        return of === undefined || !connected.has(of) || now.has(of);
      });
      connected = now;
      if (left.length !== session.length) change(left);
    },
  };
}

const HOLDS_SECRET =
  'The command holds what looks like a secret, and a rule stands in your config.toml in the clear. It was not written there: it ' +
  'holds until Gatehouse quits.';
