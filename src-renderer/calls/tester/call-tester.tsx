import { useDeferredValue, useState } from 'react';
import { isJsonObject } from '#contract/vocabulary/json.js';
import { parseJson } from '#contract/vocabulary/text/json-text.js';
import type { CallTest } from '#contract/window/rules.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { type RequestAnswer, useRequest } from '../../bridge/use-request.js';
import { Select } from '../../ui/form/select.js';
import { TextArea } from '../../ui/form/text-field.js';
import { Facts } from '../../ui/layout/page.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import { RiskMark } from '../../ui/text/marks.js';
import { Visible } from '../../ui/text/visible.js';
import { buildSampleArguments } from './sample-arguments.js';
import { describeTest } from './describe-test.js';
import './call-tester.css';

/** Plans a call as if it had been asked for, and runs nothing: what was found, what becomes of it, and by which rule. */
export function CallTester({ tool }: { readonly tool: ToolView }) {
  const [text, setText] = useState(() => JSON.stringify(buildSampleArguments(tool.inputSchema), null, 2));
  const [agent, setAgent] = useState('');
  const { value: agents } = useRequest('agents.list', {});
  const problem = jsonProblem(text);
  const wish = { tool: tool.name, arguments: text, agent: agent === '' ? null : agent };
  const test = useRequest('rules.test', useDeferredValue(problem === null ? wish : null));
  const known = (agents ?? []).filter(({ revoked }) => !revoked).map(({ name }) => ({ value: name, label: name }));
  return (
    <div className="gh-tester">
      <Select
        label="Asked by"
        labelShown
        value={agent}
        onChange={setAgent}
        options={[{ value: '', label: 'An agent without a token' }, ...known]}
      />
      <TextArea
        label="Arguments (JSON)"
        mono
        rows={6}
        value={text}
        error={problem}
        hint="Nothing runs. This shows what would happen to the call."
        onChange={(event) => setText(event.target.value)}
      />
      <div aria-live="polite" className="gh-tester-answer">
        {problem === null ? <TestResult test={test} /> : null}
      </div>
    </div>
  );
}

function TestResult({ test: { value, error, reload } }: { readonly test: RequestAnswer<CallTest> }) {
  if (error !== null) return <Problem title="The call can’t be checked" error={error} onRetry={reload} />;
  if (value === null) return null;
  const { plan, findings } = value;
  return (
    <>
      <NoticeBox {...describeTest(plan)}>{plan.why}</NoticeBox>
      <Facts
        facts={[
          ...(plan.rule === null ? [] : [['Decided by', <code key="rule">{plan.rule.id}</code>] as const]),
          ...(plan.summary === null ? [] : [['It would', <Visible key="summary" text={plan.summary} />] as const]),
          ...(plan.risk === null ? [] : [['Risk', <RiskMark key="risk" risk={plan.risk} />] as const]),
        ]}
      />
      {findings.length === 0 ? null : (
        <ul className="gh-tester-findings" aria-label="Findings">
          {findings.map(({ words, danger }, at) => (
            <li key={at} data-danger={danger}>
              <Visible text={words} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function jsonProblem(text: string): string | null {
  const parsed = parseJson(text);
  if (!parsed.ok) return `This isn’t valid JSON. ${parsed.message}`;
  return isJsonObject(parsed.value) ? null : 'Arguments are an object: { "name": value }';
}
