import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ToolView } from '#contract/window/tools/tools.js';
import { RiskMark } from '../../ui/text/marks.js';
import { TextField } from '../../ui/form/text-field.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import { addCall } from './draft.js';
import { ToolName } from '../../calls/card/call-name.js';

const matches = (tool: ToolView, query: string): boolean =>
  [tool.name, tool.title, tool.description].some((text) => text.toLowerCase().includes(query.toLowerCase()));

/** The most tools that are shown; a search finds the others. */
const SHOWN = 60;

export function ToolPicker({ tools }: { readonly tools: readonly ToolView[] }) {
  const [query, setQuery] = useState('');
  const found = tools.filter((tool) => matches(tool, query.trim()));
  return (
    <section className="gh-picker" aria-label="Add a call">
      <TextField
        type="search"
        label="Find a tool"
        labelHidden
        placeholder="Find a tool"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {tools.length === 0 ? (
        <p className="secondary">No tools are available. Tools may be turned off in Settings.</p>
      ) : null}
      {tools.length > 0 && found.length === 0 ? <p className="secondary">No tool matches “{query}”.</p> : null}
      <ul className="gh-picker-list" aria-label="Tools to add">
        {found.slice(0, SHOWN).map((tool) => (
          <li key={tool.name}>
            <button type="button" className="gh-picker-tool" onClick={() => addCall(tool.name)}>
              <span className="gh-picker-name">
                <span className="sr-only">Add </span>
                <ToolName tool={tool.name} />
                <RiskMark risk={tool.risk} withWord={false} />
                <Plus aria-hidden className="gh-picker-plus" />
              </span>
              <span className="gh-picker-about">
                <Visible text={tool.title === '' ? tool.description.slice(0, 200) : tool.title} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > SHOWN ? (
        <p className="secondary">{counted(found.length - SHOWN, 'more tool')}. Type words to find one.</p>
      ) : null}
    </section>
  );
}
