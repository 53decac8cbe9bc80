import { useDeferredValue, useState } from 'react';
import { useRequest } from '../../../bridge/use-request.js';
import { TextArea } from '../../../ui/form/text-field.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { PastedSourceList } from './pasted-source-list.js';

const EXAMPLE =
  '{\n  "mcpServers": {\n    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] }\n  }\n}';

/**
 * Other programs' settings of their servers, as they are copied from them. Nothing of it is started by being looked at.
 */
export function PastePanel({ onAdded }: { readonly onAdded: (name: string) => void }) {
  const [text, setText] = useState('');
  const asked = useDeferredValue(text);
  const { value, error } = useRequest('sources.readPasted', asked.trim() === '' ? null : { text: asked });
  const isRead = text.trim() !== '' && error === null && value !== null;
  return (
    <div className="gh-add-form">
      <TextArea
        label="Settings of another program"
        mono
        rows={7}
        maxLength={1_000_000}
        placeholder={EXAMPLE}
        value={text}
        hint="From Claude, Cursor, VS Code, Codex, Gemini, Zed, opencode, goose or Cline; a command or an address does, too."
        error={text.trim() === '' || error === null ? null : toVisibleText(error.message)}
        onChange={(event) => setText(event.target.value)}
      />
      {isRead ? <PastedSourceList key={value.reading} label="Servers in it" read={value} onAdded={onAdded} /> : null}
    </div>
  );
}
