import { Download } from 'lucide-react';
import { useState } from 'react';
import type { CallFilter } from '#contract/vocabulary/calls.js';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { Menu, MenuItem } from '../../ui/overlay/menu.js';

const FORMATS = [
  { format: 'markdown', title: 'Markdown', hint: 'to read' },
  { format: 'json', title: 'JSON', hint: 'one document' },
  { format: 'jsonl', title: 'JSON lines', hint: 'one call a line' },
  { format: 'cloudevents', title: 'CloudEvents', hint: 'the audit trail' },
] as const;

type ExportOutcome = { readonly title: string; readonly text: string; readonly file: string | null };

export function ExportMenu({ filter }: { readonly filter: CallFilter }) {
  const { act, acting } = useAct();
  const [outcome, setOutcome] = useState<ExportOutcome | null>(null);

  const save = async (format: (typeof FORMATS)[number]['format']) => {
    const answer = await act('history.export', { format, ...filter });
    if (!answer.ok) setOutcome({ title: 'Nothing was exported', text: answer.error.message, file: null });
    else if (answer.value.file !== null) setOutcome({ title: 'Exported', text: 'Saved as', file: answer.value.file });
  };

  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button icon={<Download aria-hidden />} disabled={acting}>
            {acting ? 'Exporting…' : 'Export…'}
          </Button>
        }
      >
        {FORMATS.map(({ format, title, hint }) => (
          <MenuItem key={format} hint={hint} onSelect={() => void save(format)}>
            {title}
          </MenuItem>
        ))}
      </Menu>
      <Dialog
        open={outcome !== null}
        title={outcome?.title ?? ''}
        description={
          <>
            {outcome?.text} {outcome?.file === null ? null : <Mono>{outcome?.file}</Mono>}
          </>
        }
        onDismiss={() => setOutcome(null)}
        foot={<Button onClick={() => setOutcome(null)}>Close</Button>}
      />
    </>
  );
}
