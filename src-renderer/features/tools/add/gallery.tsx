import type { SampleSource } from '#contract/window/tools/pasted-sources.js';
import { joinCommandLine } from '#contract/vocabulary/text/command-line.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { CodeBlock } from '../../../ui/text/code-block.js';
import { KIND_LABELS } from '../describe-start.js';
import { Refusal } from '../../../ui/notice/refusal.js';

interface GalleryProps {
  readonly samples: readonly SampleSource[];
  readonly taken: readonly string[];
  readonly onAdded: (name: string) => void;
}

/** Sources that come with the app: they need no key, and show what each kind can do. */
export function Gallery({ samples, taken, onAdded }: GalleryProps) {
  const { act, acting, problem } = useAct();
  const add = ({ id, settings }: SampleSource) =>
    void act('sources.add', { sources: [{ name: id, settings }], secrets: [] }).then(({ ok }) => {
      if (ok) onAdded(id);
    });
  return (
    <div className="gh-add-form">
      <Refusal text={problem} />
      <ul className="gh-gallery" aria-label="Samples">
        {samples.map((sample) => (
          <li key={sample.id} aria-label={sample.title}>
            <div className="gh-gallery-head">
              <h3>{sample.title}</h3>
              <span className="secondary">{KIND_LABELS[sample.settings.kind]}</span>
              {taken.includes(sample.id) ? (
                <span className="secondary">Added</span>
              ) : (
                <Button size="small" disabled={acting} onClick={() => add(sample)}>
                  Add<span className="sr-only"> {sample.title}</span>
                </Button>
              )}
            </div>
            <p className="secondary">{sample.about}</p>
            {sample.start === null ? null : (
              <>
                <p className="secondary">It speaks to a small server. Start that in a terminal first:</p>
                <CodeBlock label={`Command for ${sample.title}`} text={joinCommandLine(sample.start)} />
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
