import { useState } from 'react';
import type { UndoFile } from '#contract/vocabulary/undo.js';
import { CodeBlock } from '../../ui/text/code-block.js';
import { Tabs } from '../../ui/layout/tabs.js';
import './undo.css';

type Version = 'before' | 'after' | 'current';

const NAMES: Readonly<Record<Version, string>> = {
  before: 'Before the call',
  after: 'After the call',
  current: 'Now',
};

/** The three versions of a file that can’t go back by itself. When “now” is not “after”, someone changed the file since: that is the conflict. */
export function UndoVersions({ file }: { readonly file: UndoFile }) {
  const [version, setVersion] = useState<Version>('before');
  const changedSince = file.current !== file.after;
  return (
    <div className="gh-undo-versions">
      <Tabs
        label={`Versions of ${file.path}`}
        selected={version}
        onSelect={setVersion}
        tabs={(['before', 'after', 'current'] as const).map((id) => ({
          id,
          label: id === 'current' && changedSince ? `${NAMES[id]} (changed since)` : NAMES[id],
          content: <VersionText text={file[id]} name={NAMES[id]} />,
        }))}
      />
    </div>
  );
}

function VersionText({ text, name }: { readonly text: string | null; readonly name: string }) {
  if (text === null) return <p className="secondary">No such file, or it isn’t text.</p>;
  if (text === '') return <p className="secondary">The file is empty.</p>;
  return <CodeBlock text={text} label={name} maxHeight={360} />;
}
