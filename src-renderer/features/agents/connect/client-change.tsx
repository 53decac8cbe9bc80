import { useId, useState } from 'react';
import type { ClientView, WantedClientSettings, SettableOption } from '#contract/window/clients.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { useAppShallow } from '../../../store/app.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { Button } from '../../../ui/form/button.js';
import { Checkbox } from '../../../ui/form/checkbox.js';
import { RadioList } from '../../../ui/form/radio-list.js';
import { Mono } from '../../../ui/text/code-block.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Refusal } from '../../../ui/notice/refusal.js';

interface ClientChangeProps {
  readonly client: ClientView;
  readonly onClose: () => void;
  readonly onWritten: (view: ClientView, connected: boolean) => void;
}

/** The wanted settings of a client, for every project or for the folder that is shown alone. */
export function ClientChange({ client, ...rest }: ClientChangeProps) {
  const { name, inFolder } = client;
  // What is set up is what is changed: where that is the folder's settings alone, these.
  const [isHere, setIsHere] = useState(!client.now.gatehouse && inFolder?.now.gatehouse === true);
  const view = isHere ? (inFolder ?? client) : client;
  const title = useId();
  return (
    <section className="gh-client-change" aria-labelledby={title}>
      <h4 id={title}>Change to the settings of {name}</h4>
      {inFolder === null ? null : (
        <RadioList
          label="For"
          value={view.only === null ? 'all' : 'here'}
          options={[
            { value: 'all', label: 'Every project of yours' },
            { value: 'here', label: 'This folder only' },
          ]}
          onChange={(next) => setIsHere(next === 'here')}
        />
      )}
      {view.only === null ? null : <SharedFiles view={view} only={view.only} />}
      <ChangeForm key={view.only} view={view} {...rest} />
    </section>
  );
}

/** Whom a folder's settings reach besides the person. */
function SharedFiles({ view: { files }, only }: { readonly view: ClientView; readonly only: string }) {
  const shared = files.filter(({ sharedByGit }) => sharedByGit);
  return (
    <p className="secondary">
      Only in <Mono>{only}</Mono>.{' '}
      {shared.length === 0
        ? 'Git doesn’t share these settings.'
        : 'Git shares these settings with everyone who has this repository, unless you leave them out of your commits: '}
      {shared.map(({ path }) => (
        <Mono key={path}>{path}</Mono>
      ))}
    </p>
  );
}

type ChangeFormProps = Omit<ClientChangeProps, 'client'> & { readonly view: ClientView };

/** What is wished of a client's settings, the change that makes them so, and the button that makes the change. */
function ChangeForm({ view, onClose, onWritten }: ChangeFormProps) {
  const { id, only, name, now, ownTools, confirmation, namesFolder, folder } = view;
  const workspaces = useAppShallow(({ app }) => [...app.workspaces, ...app.recentWorkspaces].map(({ path }) => path));
  const folders = [...new Set([...(folder === null ? [] : [folder]), ...workspaces])];
  const folderGroup = useId();
  // The form begins with all that can be set; later, with the client's present settings.
  const [wish, setWish] = useState<WantedClientSettings>(
    now.gatehouse
      ? { ...now, ...(folder !== null && namesFolder ? { folder } : {}) }
      : { gatehouse: true, ownToolsOff: ownTools.can, confirmationOff: confirmation.can },
  );
  const { value: preview, error, loading, reload } = useRequest('clients.preview', { id, only, wish });
  const { act, acting, problem } = useAct();
  const write = () => {
    if (preview === null) return;
    void act('clients.write', { id, only, wish, digest: preview.digest }).then((answer) => {
      if (answer.ok) onWritten(view, wish.gatehouse);
      else if (answer.error.code === 'stale') reload();
    });
  };
  const nothingToDo = preview !== null && preview.files.length === 0;
  return (
    <>
      <Checkbox checked={wish.gatehouse} onChange={(gatehouse) => setWish({ ...wish, gatehouse })}>
        Give it Gatehouse’s tools
      </Checkbox>
      {namesFolder && wish.gatehouse ? (
        <fieldset className="gh-client-folder">
          <legend>Folder that it works in: {name} tells none</legend>
          {folders.length === 0 ? <p className="secondary">Open the folder here first.</p> : null}
          {folders.map((path) => (
            <label key={path}>
              <input
                type="radio"
                name={folderGroup}
                checked={wish.folder === path}
                onChange={() => setWish({ ...wish, folder: path })}
              />{' '}
              <Mono>{path}</Mono>
            </label>
          ))}
        </fieldset>
      ) : null}
      <SettingChoice
        label="Turn off its own file and shell tools"
        half={ownTools}
        checked={wish.ownToolsOff}
        disabled={!wish.gatehouse}
        onChange={(ownToolsOff) => setWish({ ...wish, ownToolsOff })}
      />
      <SettingChoice
        label="Turn off its own question before Gatehouse’s tools, so that you are asked once"
        half={confirmation}
        checked={wish.confirmationOff}
        disabled={!wish.gatehouse}
        onChange={(confirmationOff) => setWish({ ...wish, confirmationOff })}
      />
      {error === null ? null : <Problem title="The change can’t be made" error={error} onRetry={reload} />}
      {preview === null ? null : nothingToDo ? (
        <p className="secondary">Its settings say so already.</p>
      ) : (
        <DiffView files={preview.files} label={`Change to the files of ${name}`} />
      )}
      <Refusal text={problem} />
      <div className="gh-agents-row">
        <Button
          tone="primary"
          disabled={preview === null || error !== null || nothingToDo || loading || acting}
          onClick={write}
        >
          Write settings
        </Button>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly half: SettableOption;
  readonly checked: boolean;
  /** Without Gatehouse’s tools neither makes sense. */
  readonly disabled: boolean;
  readonly onChange: (checked: boolean) => void;
}

function SettingChoice({ label, half, checked, disabled, onChange }: ChoiceProps) {
  return half.can ? (
    <Checkbox checked={checked && !disabled} disabled={disabled} onChange={onChange}>
      {label}
    </Checkbox>
  ) : (
    <p className="secondary">{half.why}</p>
  );
}
