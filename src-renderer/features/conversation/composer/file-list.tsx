import { useEffect, useRef } from 'react';
import { Visible } from '../../../ui/text/visible.js';
import type { FileChoice } from './use-file-choice.js';
import '../../../ui/overlay/popup.css';

/** The files that are found, above the field that they are for. */
export function FileList({
  choice,
  onChoose,
}: {
  readonly choice: FileChoice;
  readonly onChoose: (path: string) => void;
}) {
  const { word, found, chosen, listId, loading, problem } = choice;
  const current = useRef<HTMLDivElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' });
    // What is chosen is another element each time.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [chosen]);
  if (word === null) return null;
  return (
    <div className="gh-popup gh-files">
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select can't follow a text field's keys */}
      <div id={listId} role="listbox" aria-label="Files" tabIndex={-1}>
        {found.map((path, index) => (
          // The field has the keys; the mouse may choose here too.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={path}
            id={`${listId}-${index}`}
            ref={index === chosen ? current : null}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className="gh-files-one mono"
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(path)}
          >
            <Visible text={path} />
          </div>
        ))}
      </div>
      <output className={found.length === 0 ? 'secondary gh-files-none' : 'sr-only'}>
        {problem ??
          (found.length > 0 ? `${found.length} files` : loading ? 'Looking…' : 'No file has this in its path.')}
      </output>
    </div>
  );
}
