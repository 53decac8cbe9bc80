import { useState } from 'react';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { TextField } from '../../ui/form/text-field.js';

/** A token that was just made: this page alone has it, until it is left. */
export interface MadeToken {
  readonly name: string;
  readonly token: string;
}

interface NewAgentProps {
  readonly onCreated: (made: MadeToken) => void;
  readonly onCancel: () => void;
}

export function NewAgent({ onCreated, onCancel }: NewAgentProps) {
  const [name, setName] = useState('');
  const { act, acting, problem } = useAct();
  const create = () => {
    void act('agents.create', { name }).then((answer) => {
      if (answer.ok) onCreated({ name, token: answer.value.token });
    });
  };
  return (
    <form
      className="gh-agents-row gh-agents-new"
      aria-label="New agent"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={32}
        hint="Lowercase letters, digits and “-”"
        error={problem}
        // Asked for by the press that opened this.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button tone="primary" type="submit" disabled={name === '' || acting}>
        Create
      </Button>
      <Button tone="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}

export function NewToken({ made, onDone }: { readonly made: MadeToken; readonly onDone: () => void }) {
  return (
    <section className="gh-agents-new" aria-label={`Token of ${made.name}`}>
      <div className="gh-agents-row">
        <TextField
          label="Token"
          mono
          readOnly
          value={made.token}
          hint={`Of ${made.name}. Copy it now: it is shown only once.`}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={made.token} label="Copy token" />
        <Button tone="quiet" onClick={onDone}>
          Done
        </Button>
      </div>
      <p className="secondary">
        A client that connects over HTTP sends this token. One that starts a command needs only its name.
      </p>
    </section>
  );
}
