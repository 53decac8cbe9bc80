import { Folder, FolderOpen } from 'lucide-react';
import type { ReactElement } from 'react';
import { ask } from '../../bridge/use-request.js';
import { useApp, useWorkspace } from '../../store/app.js';
import { CopyContext } from '../../ui/text/copy-button.js';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlay/menu.js';
import { useContext } from 'react';

interface WorkspaceMenuProps {
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly side: 'top' | 'bottom';
}

export function WorkspaceMenu({ trigger, side }: WorkspaceMenuProps) {
  const workspace = useWorkspace();
  const recent = useApp((state) => state.app.recentWorkspaces);
  const copy = useContext(CopyContext);
  const others = recent.filter(({ path }) => path !== workspace?.path);
  return (
    <Menu trigger={trigger} side={side}>
      <MenuItem icon={<FolderOpen aria-hidden />} onSelect={() => void ask('workspace.choose', {})}>
        Open workspace…
      </MenuItem>
      {workspace === null ? null : (
        <>
          <MenuItem onSelect={() => void copy(workspace.path)}>Copy path of this workspace</MenuItem>
          <MenuItem onSelect={() => void ask('files.show', { workspace: workspace.path, path: '.' })}>
            Show in folder
          </MenuItem>
        </>
      )}
      {others.length === 0 ? null : <MenuSeparator />}
      {others.slice(0, 8).map(({ path, name }) => (
        <MenuItem key={path} icon={<Folder aria-hidden />} onSelect={() => void ask('workspace.open', { path })}>
          {name} <span className="secondary">{path}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}
