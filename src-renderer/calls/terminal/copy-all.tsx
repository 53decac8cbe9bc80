import { Copy } from 'lucide-react';
import { useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';
import type { OutputStream } from './tail-buffer.js';

/** As much as the border takes in one message; more is better had from the export. */
const MOST_CHARACTERS = 4_000_000;
const LINES_AT_ONCE = 5000;

export interface CopyAllProps {
  readonly callId: string;
  readonly stream: OutputStream;
  readonly lines: number;
  readonly bytes: number;
}

/** The whole output as text, where it is small enough for a clipboard. */
export function CopyAll({ callId, stream, lines, bytes }: CopyAllProps) {
  const [words, setWords] = useState('Copy all');
  if (lines === 0 || bytes > MOST_CHARACTERS) return null;
  const copy = async () => {
    setWords('Copying…');
    let text = '';
    for (let fromLine = 0; fromLine < lines; fromLine += LINES_AT_ONCE) {
      const answer = await ask('calls.output', { callId, stream, fromLine, lines: LINES_AT_ONCE });
      if (!answer.ok) {
        setWords('Couldn’t copy');
        return;
      }
      text += answer.value.text;
    }
    const copied = await ask('app.copyText', { text });
    setWords(copied.ok ? 'Copied' : 'Couldn’t copy');
  };
  return (
    <Button size="small" tone="quiet" icon={<Copy aria-hidden />} onClick={() => void copy()}>
      {words}
    </Button>
  );
}
