import { useState } from 'react';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RuleSuggestion } from '#contract/window/rules.js';
import { useAct } from '../../bridge/use-act.js';
import { usePausedRequest } from '../../bridge/use-paused-request.js';
import { RuleCoverage, RuleFields } from '../../calls/rule/rule-fields.js';
import { useCurrent } from '../../store/use-current.js';
import { Button } from '../../ui/form/button.js';
import { Problem } from '../../ui/notice/problem.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import { Refusal } from '../../ui/notice/refusal.js';

/** Calls that the person was asked about again and again: each can become a rule, made with the form of the sheet. */
export function Suggestions() {
  const { value, error, reload } = useCurrent('rules.suggestions', {});
  const [open, setOpen] = useState<string | null>(null);
  if (error !== null) return <Problem title="The history can’t be loaded" error={error} onRetry={reload} />;
  if (value === null || value.length === 0) return null;
  return (
    <section className="gh-rules-part" aria-labelledby="suggestions-title">
      <h2 id="suggestions-title">You are asked about these often</h2>
      <ul className="gh-suggestions" aria-label="Suggested rules">
        {value.map((each) => (
          <li key={each.id}>
            <p>
              {counted(each.asked, 'question')} <Visible text={describeSuggestion(each)} />
            </p>
            {open === each.id ? (
              <NewRule suggestion={each} onClose={() => setOpen(null)} />
            ) : (
              <Button size="small" onClick={() => setOpen(each.id)}>
                Make a rule…
                <span className="sr-only"> of {each.rule.prefix ?? each.rule.command ?? each.tool}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function describeSuggestion({ tool, agent, commands }: RuleSuggestion): string {
  const what = commands.length === 0 ? tool : commands.join(' · ');
  return agent === null ? `about ${what}` : `from ${agent} about ${what}`;
}

function NewRule({ suggestion, onClose }: { readonly suggestion: RuleSuggestion; readonly onClose: () => void }) {
  const { id, tool, agent, commands, rule } = suggestion;
  const [wanted, setWanted] = useState<RuleWanted>({
    what: commands.length > 1 ? 'first-words' : 'whole',
    who: agent === null ? 'all' : 'asker',
    where: 'here',
    until: 'quit',
  });
  const { act, acting, problem } = useAct();
  const preview = usePausedRequest('rules.previewSuggested', { id, rule: wanted });
  const make = () => void act('rules.makeSuggested', { id, rule: wanted }).then(({ ok }) => ok && onClose());
  return (
    <section className="gh-new-rule" aria-label="Rule">
      <RuleFields
        tool={tool}
        possible={rule}
        owner={agent === null ? { kind: 'nobody' } : { kind: 'agent', name: agent }}
        wanted={wanted}
        onChange={setWanted}
      />
      <RuleCoverage preview={preview} />
      <Refusal text={problem} />
      <div className="gh-rule-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={acting || preview.loading} onClick={make}>
          Make rule
        </Button>
      </div>
    </section>
  );
}
