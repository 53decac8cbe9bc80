import type { CallDetail } from '#contract/vocabulary/calls.js';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';

type PlayedCall = Pick<CallDetail, 'tool' | 'state' | 'outcome' | 'result'>;

/** The expected results of the demo's calls on its sample, as lines of the transcript. */
export const EXPECTED: readonly string[] = [
  `list_directory COMPLETED success {"path":".","entries":[${[
    ['README.md', 145],
    ['check.sh', 172],
    ['prices.txt', 26],
    ['total.sh', 117],
  ]
    .map(
      ([name, size]) =>
        `{"name":"${name}","path":"${name}","depth":1,"type":"file","size_bytes":${size},"modified_epoch_ms":0,"is_hidden":false,"error":null}`,
    )
    .join(',')}],"returned":4,"max_entries":200,"truncated":false,"truncated_reason":null}`,
  'read_file COMPLETED success # Adds up the prices.',
  'read_file COMPLETED success # Says whether total.sh adds up what prices.txt has.',
  'apply_patch COMPLETED success modified: total.sh',
  'write_file DENIED denied The path “../outside.txt” is refused: it has “..” in it.',
  'run_command COMPLETED success The total is right.',
  'undo_changes COMPLETED success restored: total.sh',
  'read_file COMPLETED success # Adds up the prices.',
];

/** When a file was made is another each time. */
const comparable = (line: string): string => line.replaceAll(/"modified_epoch_ms":\d+/gu, '"modified_epoch_ms":0');

export function callLine({ tool, state, outcome, result }: PlayedCall): string {
  const [first = ''] = (result ?? '').split('\n');
  return `${tool} ${state} ${outcome ?? '–'} ${first}`.trimEnd();
}

/** The lines of what was said, without its calls, which have lines of their own. */
export const messageLines = ({ role, blocks, failure }: ConversationMessage): readonly string[] => [
  ...blocks.flatMap((block) => (block.kind === 'text' ? [`${role === 'person' ? 'You' : 'Demo'}: ${block.text}`] : [])),
  ...(failure === null ? [] : [`Failed: ${failure.message}`]),
];

export const auditLine = (verdict: AuditVerdict): string =>
  verdict.ok
    ? `audit: ${verdict.events} events, none changed or missing; head ${verdict.head}`
    : `audit: event ${verdict.firstBad} is not as it was written: ${verdict.reason}`;

export interface DemoVerdict {
  /** The last lines: what differs, and how many do not. */
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1;
}

/** Judges whether each call is in its place, and there are no others. */
export function judgeDemo(calls: readonly string[], audit: AuditVerdict, allSaid: boolean): DemoVerdict {
  const differing = EXPECTED.flatMap((expected, at) => {
    const found = calls[at] ?? 'nothing';
    return comparable(found) === expected ? [] : [`differs: ${found}`, `  expected: ${expected}`];
  });
  const more = calls.slice(EXPECTED.length).map((found) => `differs: ${found}\n  expected: nothing`);
  const asExpected = EXPECTED.filter((expected, at) => expected === comparable(calls[at] ?? '')).length;
  const isWell = differing.length === 0 && more.length === 0 && audit.ok && allSaid;
  return {
    lines: [...differing, ...more, `demo: ${calls.length} calls, ${asExpected} as expected`],
    exitCode: isWell ? 0 : 1,
  };
}
