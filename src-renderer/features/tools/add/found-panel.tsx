import type { FoundSources } from '#contract/window/tools/pasted-sources.js';
import { Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { PastedSourceList } from './pasted-source-list.js';

interface FoundPanelProps {
  readonly found: readonly FoundSources[];
  readonly onAdded: (name: string) => void;
}

/** The servers in settings that a folder brings along. Taking one writes it into the person's own settings. */
export function FoundPanel({ found, onAdded }: FoundPanelProps) {
  return (
    <div className="gh-add-form">
      <p className="secondary">
        These came with the open folder. Nothing in them was started. What you add is written into your own settings, as
        it stands here.
      </p>
      {found.map(({ path, read, problem }) => (
        <section key={path} aria-label={path}>
          <h3>
            <Mono>{path}</Mono>
          </h3>
          {problem === null ? null : (
            <p className="gh-field-error">
              <Visible text={problem} />
            </p>
          )}
          {read === null ? null : <PastedSourceList label={`Servers in ${path}`} read={read} onAdded={onAdded} />}
        </section>
      ))}
    </div>
  );
}
