import { useAppShallow } from '../../store/app.js';
import { Checkbox } from '../../ui/form/checkbox.js';
import { Select } from '../../ui/form/select.js';
import { Visible } from '../../ui/text/visible.js';

const OPTIONS = [
  { value: 'all', label: 'Every open folder' },
  { value: 'some', label: 'Only these folders' },
] as const;

export interface AgentFoldersProps {
  readonly name: string;
  /** Null where it is not limited. */
  readonly folders: readonly string[] | null;
  readonly onChange: (folders: readonly string[] | null) => void;
}

/** Where an agent may work: in every folder that is open, or in some of those that are, or were. */
export function AgentFolders({ name, folders, onChange }: AgentFoldersProps) {
  const known = useAppShallow(({ app }) => [...app.workspaces, ...app.recentWorkspaces].map(({ path }) => path));
  const offered = [...new Set([...known, ...(folders ?? [])])];
  const [first] = offered;
  if (first === undefined) return null;
  const toggle = (folder: string, isAllowed: boolean) =>
    onChange(isAllowed ? [...(folders ?? []), folder] : (folders ?? []).filter((each) => each !== folder));
  return (
    <>
      <Select
        label={`Where ${name} may work`}
        labelShown
        options={OPTIONS}
        value={folders === null ? 'all' : 'some'}
        onChange={(value) => {
          if ((value === 'all') !== (folders === null)) onChange(value === 'all' ? null : [first]);
        }}
      />
      {folders === null ? null : (
        <fieldset className="gh-agent-folders">
          <legend className="sr-only">Folders of {name}</legend>
          {offered.map((folder) => (
            <Checkbox
              key={folder}
              checked={folders.includes(folder)}
              disabled={folders.length === 1 && folders[0] === folder}
              onChange={(isAllowed) => toggle(folder, isAllowed)}
            >
              <span className="mono">
                <Visible text={folder} />
              </span>
            </Checkbox>
          ))}
          <p className="secondary">Its calls in other folders are refused. To shut it out of all, choose “Blocked”.</p>
        </fieldset>
      )}
    </>
  );
}
