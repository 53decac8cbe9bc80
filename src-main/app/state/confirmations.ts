import type { RememberScope } from '#contract/vocabulary/decisions.js';
import type { ConfirmationBook } from '../../domain/ports/gate/standing-rules.js';
import type { StandingConfirmation } from '../../domain/policy/standing-confirmation.js';
import type { ConfigStore } from '../../settings/config-store.js';

/** “Remember”: for this session in memory; otherwise a rule in the person's own file, where they see and edit it. */
export function confirmationBook(config: ConfigStore, onProblem: (text: string) => void): ConfirmationBook {
  const session: StandingConfirmation[] = [];
  return {
    session,
    remember: async (rule, scope: RememberScope) => {
      if (scope === 'session') {
        session.push(rule);
        return;
      }
      const saved = await config.addConfirmed(rule);
      // The decision stands; only remembering it failed, and it holds at least until the app quits.
      if (saved.ok) return;
      session.push(rule);
      onProblem(saved.problem);
    },
  };
}
