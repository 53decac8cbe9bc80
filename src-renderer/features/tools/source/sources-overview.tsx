import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { SourceView } from '#contract/window/tools/sources.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { useWorkspace } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { EmptyState } from '../../../ui/notice/empty-state.js';
import { Dialog } from '../../../ui/overlay/dialog.js';
import { counted } from '../../../ui/text/format.js';
import { DomainRegion } from '../domain/domain-region.js';
import { Removed } from '../../../ui/notice/removed.js';
import { SourceRegion } from './source-region.js';
import { Refusal } from '../../../ui/notice/refusal.js';
import './sources.css';

export interface SourcesOverviewProps {
  readonly sources: readonly SourceView[];
  /** The one that was asked for in the list. */
  readonly opened: string | null;
  readonly namesBeside: (source: string) => readonly string[];
  readonly onOpen: (name: string | null) => void;
  readonly onTool: (name: string) => void;
  readonly onAdd: (first: 'paste' | 'found') => void;
}

/** The sources, one below the other, each with what is to be done about it. */
export function SourcesOverview(props: SourcesOverviewProps) {
  const { sources, opened, namesBeside, onOpen, onTool, onAdd } = props;
  const { act, problem } = useAct();
  const [removing, setRemoving] = useState<string | null>(null);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const forget = (name: string) => setRemoved((all) => all.filter((each) => each !== name));
  useScrollTo(opened);
  const remove = (name: string) => {
    setRemoving(null);
    void act('sources.remove', { name }).then(({ ok }) => {
      if (ok) setRemoved((all) => [...all.filter((each) => each !== name), name]);
    });
  };
  return (
    <div className="gh-sources">
      <Refusal text={problem} />
      {removed.map((name) => (
        <Removed
          key={name}
          className="gh-source-removed"
          onUndo={() => void act('sources.undoRemove', { name }).then(() => forget(name))}
          onOver={() => forget(name)}
        >
          {name}
        </Removed>
      ))}
      <DomainRegion onTool={onTool} />
      <FoundSourcesOffer onLook={() => onAdd('found')} />
      {sources.length === 0 ? (
        <EmptyState
          title="No sources yet"
          icon={<Plus aria-hidden />}
          actions={
            <Button tone="primary" onClick={() => onAdd('paste')}>
              Add a source…
            </Button>
          }
        >
          MCP servers, APIs and programs of yours can bring their tools through Gatehouse. Each is checked, asked about
          and recorded as any other.
        </EmptyState>
      ) : (
        sources.map((source) => (
          <SourceRegion
            key={source.name}
            source={source}
            open={opened === source.name}
            onOpen={(open) => onOpen(open ? source.name : null)}
            onRemove={() => setRemoving(source.name)}
            onTool={onTool}
            otherNames={namesBeside(source.name)}
          />
        ))
      )}
      {removing === null ? null : (
        <ConfirmRemove name={removing} onCancel={() => setRemoving(null)} onRemove={() => remove(removing)} />
      )}
    </div>
  );
}

/** An offer of the sources that the open folder brings along: told, and never started. */
function FoundSourcesOffer({ onLook }: { readonly onLook: () => void }) {
  const workspace = useWorkspace();
  const { value } = useRequest('sources.found', workspace === null ? null : { workspace: workspace.path });
  const found = (value ?? []).filter(({ read }) => read !== null && read.sources.length > 0);
  const count = found.reduce((sum, { read }) => sum + (read?.sources.length ?? 0), 0);
  if (count === 0) return null;
  return (
    <div className="gh-source-removed">
      <span>
        {found.map(({ path }) => path).join(' and ')} in this folder {found.length === 1 ? 'names' : 'name'}{' '}
        {counted(count, 'MCP server')}. Nothing of that runs.
      </span>
      <Button size="small" onClick={onLook}>
        Look at {count === 1 ? 'it' : 'them'}…
      </Button>
    </div>
  );
}

interface ConfirmRemoveProps {
  readonly name: string;
  readonly onCancel: () => void;
  readonly onRemove: () => void;
}

function ConfirmRemove({ name, onCancel, onRemove }: ConfirmRemoveProps) {
  const safe = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open
      title={`Remove ${name}?`}
      description="Its tools can’t be called any more, and what you accepted of it is forgotten. Its keys and its calls in History stay; a sign-in at it ends."
      initialFocus={safe}
      onDismiss={onCancel}
      foot={
        <>
          <Button ref={safe} onClick={onCancel}>
            Cancel
          </Button>
          <Button tone="danger" onClick={onRemove}>
            Remove
          </Button>
        </>
      }
    />
  );
}

function useScrollTo(name: string | null): void {
  useEffect(() => {
    if (name !== null) document.getElementById(`source-${name}`)?.scrollIntoView({ block: 'nearest' });
  }, [name]);
}
