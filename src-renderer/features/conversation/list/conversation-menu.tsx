import { Braces, Ellipsis, FileText, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button, IconButton } from '../../../ui/form/button.js';
import { TextField } from '../../../ui/form/text-field.js';
import { Dialog } from '../../../ui/overlay/dialog.js';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlay/menu.js';

export interface ConversationMenuProps {
  readonly conversation: ConversationSummary;
  readonly onDeleted: () => void;
  readonly onTold: (text: string) => void;
  readonly onProblem: (text: string) => void;
}

/** Actions on a conversation as a whole. */
export function ConversationMenu({ conversation, onDeleted, onTold, onProblem }: ConversationMenuProps) {
  const { id } = conversation;
  const { act } = useAct();
  const [renaming, setRenaming] = useState(false);
  const save = async (format: 'markdown' | 'json') => {
    const answer = await act('conversations.export', { id, format });
    if (!answer.ok) onProblem(answer.error.message);
    else if (answer.value.file !== null) onTold(`Saved as ${answer.value.file}`);
  };
  const remove = async () => {
    const answer = await act('conversations.delete', { id });
    if (answer.ok) onDeleted();
    else onProblem(answer.error.message);
  };
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label="More about this conversation">
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil aria-hidden />} onSelect={() => setRenaming(true)}>
          Rename…
        </MenuItem>
        <MenuItem icon={<FileText aria-hidden />} onSelect={() => void save('markdown')}>
          Export as Markdown…
        </MenuItem>
        <MenuItem icon={<Braces aria-hidden />} onSelect={() => void save('json')}>
          Export as JSON…
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 aria-hidden />} onSelect={() => void remove()}>
          Delete
        </MenuItem>
      </Menu>
      {renaming ? <RenameDialog conversation={conversation} onClose={() => setRenaming(false)} /> : null}
    </>
  );
}

const MAX_TITLE_LENGTH = 200;

function RenameDialog({
  conversation: { id, title },
  onClose,
}: {
  readonly conversation: ConversationSummary;
  readonly onClose: () => void;
}) {
  const [written, setWritten] = useState(title);
  const { act, acting, problem } = useAct();
  const save = async () => {
    const name = written.trim().slice(0, MAX_TITLE_LENGTH);
    if (name === '' || acting) return;
    const answer = await act('conversations.rename', { id, title: name });
    if (answer.ok) onClose();
  };
  return (
    <Dialog
      open
      title="Rename conversation"
      onDismiss={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={acting || written.trim() === ''} onClick={() => void save()}>
            Rename
          </Button>
        </>
      }
    >
      <TextField
        label="Title"
        maxLength={MAX_TITLE_LENGTH}
        value={written}
        error={problem}
        onChange={(event) => setWritten(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) void save();
        }}
      />
    </Dialog>
  );
}
