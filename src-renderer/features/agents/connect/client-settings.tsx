import { CircleHelp, X } from 'lucide-react';
import type { ClientReach, ClientTest, ClientView } from '#contract/window/clients.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { Refusal } from '../../../ui/notice/refusal.js';
import { Mono } from '../../../ui/text/code-block.js';
import { TestResult } from './test-result.js';

interface ClientSettingsProps {
  readonly view: ClientView;
  readonly test: ClientTest | null;
  readonly testing: boolean;
  readonly onTest: () => void;
  readonly onGone: () => void;
}

/** The settings of a client that start Gatehouse, for every project or one folder: what they reach, tried, and out again. */
export function ClientSettings({ view, test, testing, onTest, onGone }: ClientSettingsProps) {
  const { id, only, name, reach, afterwards, otherwise, folder, tried } = view;
  const { act, acting, problem } = useAct();
  const which = only === null ? name : `${name} in this folder`;
  return (
    <div className="gh-client-place">
      <div className="gh-client-head">
        <span className="gh-agent-here">
          {otherwise ? 'Its entry for Gatehouse starts something else' : 'Set up ✓'}
        </span>
        <span className="secondary">
          {only === null ? (
            'Every project of yours'
          ) : (
            <>
              Only in <Mono>{only}</Mono>
            </>
          )}
        </span>
        <span className="gh-client-buttons">
          <Button size="small" aria-label={`Test call for ${which}`} disabled={testing} onClick={onTest}>
            Test call
          </Button>
          <Button
            size="small"
            aria-label={`Disconnect ${which}`}
            disabled={acting || testing}
            onClick={() =>
              void act('clients.disconnect', { id, only }).then((answer) => {
                if (answer.ok) onGone();
              })
            }
          >
            Disconnect
          </Button>
        </span>
      </div>
      {reach === null ? null : <Reach reach={chooseReach(test, reach)} />}
      <Refusal text={problem} />
      <div aria-live="polite">
        {testing ? <p className="secondary">Starting the command as {name} would…</p> : null}
        {test === null ? null : <TestResult test={test} afterwards={afterwards} />}
      </div>
      <p className="secondary">
        {folder === null ? (
          'Works where it is started'
        ) : (
          <>
            Works in <Mono>{folder}</Mono>
          </>
        )}
        {tried.length === 0
          ? '. These settings are as its documentation says: no version was tried.'
          : `. Tried with version ${tried.join(' and ')}.`}
      </p>
    </div>
  );
}

/** Prefers a client's own test over its settings for its reach. */
const chooseReach = (test: ClientTest | null, reach: ClientReach): ClientReach =>
  (test?.left?.length ?? 0) === 0 ? reach : { kind: 'also-others', text: `Left: ${test?.left?.join(', ') ?? ''}` };

function Reach({ reach: { kind, text } }: { readonly reach: ClientReach }) {
  return (
    <p className={`gh-reach gh-reach-${kind}`}>
      {kind === 'also-others' ? <X aria-hidden /> : null}
      {kind === 'unknown' ? <CircleHelp aria-hidden /> : null}
      <span>
        {text}
        {kind === 'only-gatehouse' ? ' As its own settings say; a folder’s settings can say otherwise.' : '.'}
      </span>
    </p>
  );
}
