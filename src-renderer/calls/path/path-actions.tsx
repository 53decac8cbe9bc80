import { ExternalLink, FolderOpen, Pencil } from 'lucide-react';
import type { RequestOf } from '#contract/window/channels.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { useAct } from '../../bridge/use-act.js';
import { Button, IconButton } from '../../ui/form/button.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { Menu, MenuItem } from '../../ui/overlay/menu.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { Visible } from '../../ui/text/visible.js';
import './path-actions.css';

export interface PathActionsProps {
  /** The path as it is shown. */
  readonly path: string;
  /** The open folder through which it is reached; null where there is none. */
  readonly workspace: string | null;
  /** The path to it from that folder, where that is not the path itself. */
  readonly leadingThere?: string | undefined;
}

/** Actions on a path that a person reads: copy it, or look at the file in a program of their own. */
export function PathActions({ path, workspace, leadingThere = path }: PathActionsProps) {
  return (
    <span className="gh-path-actions">
      <CopyButton text={path} label={`Copy path ${toVisibleText(path)}`} iconOnly />
      {workspace === null ? null : <OpenMenu name={path} request={{ workspace, path: leadingThere }} />}
    </span>
  );
}

function OpenMenu({ name, request }: { readonly name: string; readonly request: RequestOf<'files.open'> }) {
  const { act, problem, setProblem } = useAct();
  const label = `Open ${toVisibleText(name)}…`;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={label} size="small">
            <ExternalLink aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil aria-hidden />} onSelect={() => void act('files.open', request)}>
          Open in editor
        </MenuItem>
        <MenuItem icon={<FolderOpen aria-hidden />} onSelect={() => void act('files.show', request)}>
          Show in folder
        </MenuItem>
      </Menu>
      {problem === null ? null : (
        <Dialog
          open
          size="small"
          title="Not opened"
          onDismiss={() => setProblem(null)}
          foot={<Button onClick={() => setProblem(null)}>Close</Button>}
        >
          <p className="gh-path-problem">
            <Visible text={problem} />
          </p>
        </Dialog>
      )}
    </>
  );
}
