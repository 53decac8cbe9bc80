import { ScrollText } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { RuleView } from '#contract/window/rules.js';
import { useAct } from '../../bridge/use-act.js';
import { CallTester } from '../../calls/tester/call-tester.js';
import { useApp } from '../../store/app.js';
import { useCurrent } from '../../store/use-current.js';
import { Select } from '../../ui/form/select.js';
import { Page } from '../../ui/layout/page.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { Problem } from '../../ui/notice/problem.js';
import { Removed } from '../../ui/notice/removed.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { describeExtent } from './rule-words.js';
import { Visible } from '../../ui/text/visible.js';
import { RuleTable } from './rule-table.js';
import { Suggestions } from './suggestions.js';
import { Refusal } from '../../ui/notice/refusal.js';
import './rules.css';

/** The person's yeses in advance: which there are, what each let through, and what a call would meet. */
export function RulesPage() {
  const { value: rules, error, reload } = useCurrent('rules.list', {});
  const { act, acting, problem } = useAct();
  const [removed, setRemoved] = useState<readonly RuleView[]>([]);
  useLiveUsage(reload);

  const forget = (id: string) => setRemoved((all) => all.filter((rule) => rule.id !== id));
  const remove = (rule: RuleView) =>
    void act('rules.remove', { id: rule.id }).then(({ ok }) => {
      if (ok) setRemoved((all) => [...all, rule]);
    });
  const undo = ({ id }: RuleView) => void act('rules.undoRemove', { id }).then(() => forget(id));
  return (
    <Page title="Rules" about="What runs without asking you.">
      {error === null ? null : <Problem title="The rules can’t be loaded" error={error} onRetry={reload} />}
      <Refusal text={problem} />
      {removed.map((rule) => (
        <Removed key={rule.id} className="gh-rule-removed" onUndo={() => undo(rule)} onOver={() => forget(rule.id)}>
          <Visible text={describeExtent(rule)} />
        </Removed>
      ))}
      {rules === null ? (
        error === null ? (
          <Skeleton label="Loading the rules" lines={5} />
        ) : null
      ) : rules.length === 0 ? (
        <EmptyState title="No rules" icon={<ScrollText aria-hidden />}>
          Choose “Approve and always…” when you are asked, and the same call runs without asking from then on.
        </EmptyState>
      ) : (
        <RuleTable rules={rules} busy={acting} onRemove={remove} />
      )}
      <Suggestions />
      <Tester />
    </Page>
  );
}

function Tester() {
  const { value: tools } = useCurrent('tools.list', {});
  const [name, setName] = useState<string | null>(null);
  const tool =
    tools?.find((each) => each.name === name) ?? tools?.find(({ name: each }) => each === 'run_command') ?? tools?.[0];
  if (tools === null || tool === undefined) return null;
  return (
    <section className="gh-rules-part" aria-labelledby="tester-title">
      <h2 id="tester-title">What would happen to this call?</h2>
      <Select
        label="Tool"
        labelShown
        value={tool.name}
        onChange={setName}
        options={tools.map((each) => ({ value: each.name, label: each.name }))}
      />
      <CallTester key={tool.name} tool={tool} />
    </section>
  );
}

/** A rule's use is what settled: while calls come and go, the counts are read again. */
function useLiveUsage(reload: () => void): void {
  const settled = useApp(({ app }) =>
    app.calls.reduce((n, call) => n + (call.outcome === null ? 0 : call.startedAt), 0),
  );
  useEffect(() => {
    if (settled === 0) return undefined;
    const timer = setTimeout(reload, 500);
    return () => clearTimeout(timer);
  }, [settled, reload]);
}
