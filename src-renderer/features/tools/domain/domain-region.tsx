import { useEffect, useState } from 'react';
import type { DomainChangeView, DomainView, DomainWorkerView, TakenDomainView } from '#contract/window/tools/domain.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { live } from '../../../store/app.js';
import { useCurrent } from '../../../store/use-current.js';
import { Button } from '../../../ui/form/button.js';
import { Fold } from '../../../ui/layout/fold.js';
import { Problem } from '../../../ui/notice/problem.js';
import { CodeBlock, Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { describePolicies, describeTool, describeWorker } from './domain-labels.js';
import { PackageReviewPanel } from './package-review-panel.js';

/** The domain package that is served: nothing where none is named. */
export function DomainRegion({ onTool }: { readonly onTool: (name: string) => void }) {
  const { value, error, reload } = useCurrent('domain.get', {});
  useEffect(() => live.on('domain-changed', reload), [reload]);
  if (error !== null) return <Problem title="The domain can’t be read" error={error} onRetry={reload} />;
  if (value === null) return null;
  const { taken, problems, waits } = value;
  const domainId = taken?.domainId ?? waits?.domainId ?? null;
  return (
    <section
      className="gh-source"
      aria-label={domainId === null ? 'Domain' : `Domain ${toVisibleText(domainId)}`}
      data-domain={taken?.domainId}
    >
      <header className="gh-source-head">
        <h2>
          Domain{' '}
          {domainId === null ? null : (
            <span className="mono">
              <Visible text={domainId} />
            </span>
          )}
        </h2>
        {taken === null ? null : (
          <span className="secondary">
            version <Visible text={taken.version} />
          </span>
        )}
      </header>
      <p className="secondary">
        <Mono>
          <Visible text={value.folder} />
        </Mono>
      </p>
      {waits === null ? null : <WaitingDomain words={waits.words} keeps={taken?.version ?? null} />}
      <RefusedDomain taken={taken} problems={problems} />
      {taken === null ? null : <LoadedDomain taken={taken} onTool={onTool} />}
    </section>
  );
}

/** The package in the folder that waits for a review before it counts. */
function WaitingDomain({ words, keeps }: { readonly words: string; readonly keeps: string | null }) {
  const [reviewing, setReviewing] = useState(false);
  return (
    <>
      <p className="gh-source-changed">
        <Visible text={`${words} waits for your review.`} />{' '}
        {keeps === null ? 'Nothing is served until you accept it.' : `Version ${keeps} serves until you accept it.`}{' '}
        {reviewing ? null : (
          <Button size="small" onClick={() => setReviewing(true)}>
            Review<span className="sr-only"> the domain package</span>
          </Button>
        )}
      </p>
      {reviewing ? <PackageReviewPanel onClose={() => setReviewing(false)} /> : null}
    </>
  );
}

function RefusedDomain({ taken, problems }: Pick<DomainView, 'taken' | 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <div className="gh-field-error">
      <p>
        {taken === null
          ? 'This package was refused. No domain is served until it is corrected.'
          : `The package in this folder was refused. Version ${taken.version} stays in force.`}
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <Mono>
              <Visible text={problem} />
            </Mono>
          </li>
        ))}
      </ul>
    </div>
  );
}

function LoadedDomain({ taken, onTool }: { readonly taken: TakenDomainView; readonly onTool: (name: string) => void }) {
  const { tools, workers, policies, change } = taken;
  return (
    <>
      {change === null ? null : <Change change={change} />}
      <p className="secondary">{describePolicies(policies)}</p>
      <h3 className="gh-domain-part">Tools</h3>
      <ul className="gh-source-tools" aria-label="Tools of the domain">
        {tools.map((tool) => (
          <li key={tool.id} className="gh-source-tool">
            <Button size="small" tone="quiet" className="gh-source-tool-name" onClick={() => onTool(tool.name)}>
              <Mono>
                <Visible text={tool.id} />
              </Mono>
            </Button>
            <p className="secondary">
              <Visible text={describeTool(tool)} />
            </p>
          </li>
        ))}
      </ul>
      {workers.length === 0 ? null : (
        <>
          <h3 className="gh-domain-part">Workers</h3>
          <ul className="gh-source-tools" aria-label="Workers of the domain">
            {workers.map((worker) => (
              <li key={`${worker.name} ${worker.tools.join(' ')}`} className="gh-source-tool">
                <Worker worker={worker} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Change({ change: { from, added, changed, gone } }: { readonly change: DomainChangeView }) {
  const parts = [
    ...(added.length > 0 ? [`New: ${added.join(', ')}.`] : []),
    ...(changed.length > 0 ? [`Changed, and rules for them ended: ${changed.join(', ')}.`] : []),
    ...(gone.length > 0 ? [`Gone: ${gone.join(', ')}.`] : []),
  ];
  return (
    <p>
      <Visible text={`Since ${from}. ${parts.join(' ')}`} />
    </p>
  );
}

/** Colours a worker's state as sources' states are coloured. */
function chooseStateClass({ kind, running, healthy }: DomainWorkerView): string {
  if (running === 'failed') return 'gh-source-failed';
  if (running === 'waiting' || healthy === false) return 'gh-source-changed';
  return running === 'running' && kind !== 'job_worker' ? 'gh-source-running' : 'secondary';
}

function Worker({ worker }: { readonly worker: DomainWorkerView }) {
  const { name, problem, isolation, lacking, secrets, log } = worker;
  const missing = secrets.filter(({ given }) => !given).map((secret) => secret.name);
  const given = secrets.filter((secret) => secret.given).map((secret) => secret.name);
  return (
    <div data-worker={name} data-state={worker.running}>
      <p>
        <Mono>
          <Visible text={name} />
        </Mono>{' '}
        <span className={chooseStateClass(worker)}>{describeWorker(worker)}</span>
      </p>
      <p className="secondary">
        Held by: {isolation}.{' '}
        <Visible text={lacking.length === 0 ? '' : `Not all of it holds here: ${lacking.join(' ')}`} />
      </p>
      {given.length === 0 ? null : (
        <p className="secondary">
          Gets <Visible text={given.join(', ')} />.
        </p>
      )}
      {missing.length === 0 ? null : (
        <p className="gh-field-error">
          Runs without <Visible text={missing.join(', ')} />, which isn’t set.
        </p>
      )}
      {problem === null ? null : (
        <p className="gh-field-error">
          <Visible text={problem} />
        </p>
      )}
      {log === '' ? null : (
        <Fold title="Log">
          <CodeBlock label={`Log of ${name}, last lines`} text={toVisibleText(log)} maxHeight={280} />
        </Fold>
      )}
    </div>
  );
}
