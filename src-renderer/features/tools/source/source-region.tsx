import { FileSearch, Play, RotateCw, Square, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { SourceView } from '#contract/window/tools/sources.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { Switch } from '../../../ui/form/switch.js';
import { Fold } from '../../../ui/layout/fold.js';
import { Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { ReviewPanel } from '../review/review-panel.js';
import { SignIn } from './sign-in.js';
import { SourceDetails } from './source-details.js';
import { SourceMark } from './source-mark.js';
import { KIND_LABELS, describeStart } from '../describe-start.js';
import { describeCounts, describePlace, needsReview } from './source-labels.js';

export interface SourceRegionProps {
  readonly source: SourceView;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onRemove: () => void;
  readonly onTool: (name: string) => void;
  /** Names of the tools that are not of it. */
  readonly otherNames: readonly string[];
}

/** A source: its state, what is to be done about that, and its calls today. */
export function SourceRegion({ source, open, onOpen, onRemove, onTool, otherNames }: SourceRegionProps) {
  const { name, kind, enabled, problem, settings, sendsTo, secrets, remarks, movedAddress } = source;
  const { act, acting, problem: refused } = useAct();
  const [reviewing, setReviewing] = useState(false);
  return (
    <section className="gh-source" aria-label={name} id={`source-${name}`} data-source={name} data-state={source.state}>
      <header className="gh-source-head">
        <h2 className="mono">{name}</h2>
        <span className="secondary">{kind === null ? 'Unknown kind' : KIND_LABELS[kind]}</span>
        <SourceMark source={source} />
        <span className="gh-source-actions">
          {needsReview(source) && !reviewing ? (
            <Button size="small" tone="primary" icon={<FileSearch aria-hidden />} onClick={() => setReviewing(true)}>
              Review
            </Button>
          ) : null}
          <StartStop source={source} busy={acting} onAct={(what) => void act(what, { name })} />
          <Switch
            checked={enabled}
            disabled={acting}
            ariaLabel={`${name} is on`}
            onChange={(on) => void act('sources.setEnabled', { name, enabled: on })}
          />
          <Button
            size="small"
            tone="quiet"
            icon={<Trash2 aria-hidden />}
            aria-label={`Remove ${name}…`}
            onClick={onRemove}
          >
            Remove…
          </Button>
        </span>
      </header>
      {settings === null ? null : (
        <p className="gh-source-start">
          <Mono>
            <Visible text={describeStart(settings)} />
          </Mono>
        </p>
      )}
      <p className="secondary">{describeCounts(source)}</p>
      <p className="secondary">
        {sendsTo.length === 0 ? null : (
          <>
            Sends to <Visible text={sendsTo.join(', ')} />.{' '}
          </>
        )}
        {source.state === 'refused' ? null : `${describePlace(source)}.`}
        {secrets.length === 0 ? null : ` Gets ${secrets.length === 1 ? 'the key' : 'the keys'} `}
        {secrets.map((secret, at) => (
          <span key={secret}>
            {at === 0 ? '' : ', '}
            <Mono>{secret}</Mono>
          </span>
        ))}
        {secrets.length === 0 ? null : '.'}
      </p>
      {[problem, refused].map((text) =>
        text === null ? null : (
          <p key={text} className="gh-field-error" role={text === refused ? 'alert' : undefined}>
            <Visible text={text} />
          </p>
        ),
      )}
      {movedAddress === null ? null : (
        <p className="gh-sign-in-line">
          <span>
            <Visible text={movedAddress} /> led elsewhere when you accepted it, and leads to this computer now.
          </span>
          <Button
            size="small"
            disabled={acting}
            onClick={() => void act('sources.acceptAddress', { name, address: movedAddress })}
          >
            Use it there
          </Button>
        </p>
      )}
      {remarks.map((remark) => (
        <p key={remark} className="secondary">
          <Visible text={remark} />
        </p>
      ))}
      {source.package?.newer === null || source.package === null ? null : (
        <p className="gh-sign-in-line">
          <span>
            {source.package.name} {source.package.newer} is there; this is {source.package.version}. Its tools stop
            until you accept the new one.
          </span>
          <Button size="small" disabled={acting} onClick={() => void act('sources.fetchNewer', { name })}>
            Fetch {source.package.newer}…
          </Button>
        </p>
      )}
      <SignIn source={source} />
      {reviewing ? <ReviewPanel name={name} otherNames={otherNames} onClose={() => setReviewing(false)} /> : null}
      <Fold title="Tools, log and settings" open={open} onOpenChange={onOpen}>
        <SourceDetails name={name} onTool={onTool} />
      </Fold>
    </section>
  );
}

interface StartStopProps {
  readonly source: SourceView;
  readonly busy: boolean;
  readonly onAct: (what: 'sources.start' | 'sources.stop') => void;
}

/** The button that starts a program or a connection, stops it, or tries again after a failure. */
function StartStop({ source: { name, enabled, state, stage, isRunning }, busy, onAct }: StartStopProps) {
  if (!enabled) return null;
  const of = <span className="sr-only"> {name}</span>;
  // What is fetched meanwhile is stopped with it.
  if (isRunning || stage === 'fetching') {
    return (
      <Button size="small" icon={<Square aria-hidden />} onClick={() => onAct('sources.stop')}>
        Stop{of}
      </Button>
    );
  }
  const again = state === 'failed' || state === 'refused';
  return (
    <Button
      size="small"
      disabled={busy || stage !== null}
      icon={again ? <RotateCw aria-hidden /> : <Play aria-hidden />}
      onClick={() => onAct('sources.start')}
    >
      {again ? 'Try again' : 'Start'}
      {of}
    </Button>
  );
}
