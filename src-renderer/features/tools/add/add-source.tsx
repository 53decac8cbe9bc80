import { useState } from 'react';
import { useRequest } from '../../../bridge/use-request.js';
import { useWorkspace } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { Tabs } from '../../../ui/layout/tabs.js';
import { FoundPanel } from './found-panel.js';
import { Gallery } from './gallery.js';
import { PastePanel } from './paste-panel.js';
import { SourceForm } from './source-form.js';

type AddMethod = 'paste' | 'form' | 'found' | 'samples';

export interface AddSourceProps {
  readonly taken: readonly string[];
  readonly first: AddMethod;
  /** Called once it was added: it is shown next. */
  readonly onDone: (name: string) => void;
  readonly onCancel: () => void;
}

/** The ways in which a source comes in. None of them starts anything. */
export function AddSource({ taken, first, onDone, onCancel }: AddSourceProps) {
  const [way, setWay] = useState<AddMethod>(first);
  const workspace = useWorkspace();
  const { value: found } = useRequest('sources.found', workspace === null ? null : { workspace: workspace.path });
  const { value: samples } = useRequest('sources.samples', {});
  return (
    <section className="gh-add" aria-label="Add a source">
      <header className="gh-add-head">
        <h2>Add a source</h2>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
      </header>
      <Tabs<AddMethod>
        label="Ways to add a source"
        selected={way}
        onSelect={setWay}
        tabs={[
          { id: 'paste', label: 'From another program', content: <PastePanel onAdded={onDone} /> },
          { id: 'form', label: 'By hand', content: <SourceForm taken={taken} onDone={onDone} /> },
          ...(found === null || found.length === 0
            ? []
            : [
                {
                  id: 'found' as const,
                  label: 'In this folder',
                  content: <FoundPanel found={found} onAdded={onDone} />,
                },
              ]),
          ...(samples === null || samples.length === 0
            ? []
            : [
                {
                  id: 'samples' as const,
                  label: 'Samples',
                  content: <Gallery samples={samples} taken={taken} onAdded={onDone} />,
                },
              ]),
        ]}
      />
    </section>
  );
}
