import { useId, useState } from 'react';
import type { ClientView, WantedClientSettings, SettableOption } from '#contract/window/clients.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { useAppShallow } from '../../../store/app.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { Button } from '../../../ui/form/button.js';
import { Checkbox } from '../../../ui/form/checkbox.js';
import { Mono } from '../../../ui/text/code-block.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Refusal } from '../../../ui/notice/refusal.js';

interface ClientChangeProps {
  readonly client: ClientView;
  readonly onClose: () => void;
  readonly onWritten: (connected: boolean) => void;
}

/** The wanted settings of a client, the change that makes them so, and the button that makes the change. */
export function ClientChange({ client, onClose, onWritten }: ClientChangeProps) {
  const { id, name, now, ownTools, confirmation, namesFolder, folder } = client;
  const workspaces = useAppShallow(({ app }) => [...app.workspaces, ...app.recentWorkspaces].map(({ path }) => path));
  const folders = [...new Set([...(folder === null ? [] : [folder]), ...workspaces])];
  const title = useId();
  // The form begins with all that can be set; later, with the client's present settings.
  const [wish, setWish] = useState<WantedClientSettings>(
    now.gatehouse
      ? { ...now, ...(folder !== null && namesFolder ? { folder } : {}) }
      : { gatehouse: true, ownToolsOff: ownTools.can, confirmationOff: confirmation.can },
  );
  const { value: preview, error, loading, reload } = useRequest('clients.preview', { id, wish });
  const { act, acting, problem } = useAct();
  const write = () => {
    if (preview === null) return;
    void act('clients.write', { id, wish, digest: preview.digest }).then((answer) => {
      if (answer.ok) onWritten(wish.gatehouse);
      else if (answer.error.code === 'stale') reload();
    });
  };
  const nothingToDo = preview !== null && preview.files.length === 0;
  return (
    <section className="gh-client-change" aria-labelledby={title}>
      <h4 id={title}>Change to the settings of {name}</h4>
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
                name={title}
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
        onChange={(ownToolsOff) => setWish({ ...wish, ownToolsOff })}
      />
      <SettingChoice
        label="Turn off its own question before Gatehouse’s tools, so that you are asked once"
        half={confirmation}
        checked={wish.confirmationOff}
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
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly half: SettableOption;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function SettingChoice({ label, half, checked, onChange }: ChoiceProps) {
  return half.can ? (
    <Checkbox checked={checked} onChange={onChange}>
      {label}
    </Checkbox>
  ) : (
    <p className="secondary">{half.why}</p>
  );
}
