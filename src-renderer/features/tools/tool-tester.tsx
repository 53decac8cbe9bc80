import { useDeferredValue, useState } from 'react';
import { isJsonObject } from '#contract/vocabulary/json.js';
import { parseJson } from '#contract/vocabulary/json-text.js';
import type { ToolView } from '#contract/window/tools.js';
import { useRequest } from '../../bridge/use-request.js';
import { Facts } from '../../ui/layout/page.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import { RiskMark } from '../../ui/text/marks.js';
import { TextArea } from '../../ui/form/text-field.js';
import { dispositionWords } from './policy-words.js';
import { sampleArguments } from './sample-arguments.js';

/** Plans a call as if it had been asked for, and runs nothing. */
export function ToolTester({ tool }: { readonly tool: ToolView }) {
  const [text, setText] = useState(() => JSON.stringify(sampleArguments(tool.inputSchema), null, 2));
  const problem = jsonProblem(text);
  const plan = useRequest(
    'compose.plan',
    useDeferredValue(problem === null ? { tool: tool.name, arguments: text } : null),
  );
  return (
    <div className="gh-tester">
      <TextArea
        label="Arguments (JSON)"
        mono
        rows={6}
        value={text}
        error={problem}
        hint="Nothing runs: the call is planned as if it had been asked for."
        onChange={(event) => setText(event.target.value)}
      />
      <div aria-live="polite" className="gh-tester-answer">
        {problem !== null ? null : plan.error !== null ? (
          <Problem title="The call can’t be planned" error={plan.error} onRetry={plan.reload} />
        ) : plan.value === null ? null : (
          <>
            <NoticeBox {...dispositionWords(plan.value)}>{plan.value.why}</NoticeBox>
            <Facts
              facts={[
                ...(plan.value.summary === null ? [] : [['It would', plan.value.summary] as const]),
                ...(plan.value.risk === null
                  ? []
                  : [['Risk', <RiskMark key="risk" risk={plan.value.risk} />] as const]),
              ]}
            />
          </>
        )}
      </div>
    </div>
  );
}

function jsonProblem(text: string): string | null {
  const parsed = parseJson(text);
  if (!parsed.ok) return `Not JSON yet: ${parsed.message}`;
  return isJsonObject(parsed.value) ? null : 'Arguments are an object: { "name": value }';
}
