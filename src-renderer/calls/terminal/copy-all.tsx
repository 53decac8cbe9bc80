import { Copy } from 'lucide-react';
import { useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';

/** More is better had from the export; main copies no more. */
const MAX_COPY_BYTES = 4_000_000;

export interface CopyAllProps {
  readonly callId: string;
  readonly lines: number;
  readonly bytes: number;
}

/** The whole output as text, where it is small enough for a clipboard. */
export function CopyAll({ callId, lines, bytes }: CopyAllProps) {
  const [words, setWords] = useState('Copy all');
  if (lines === 0 || bytes > MAX_COPY_BYTES) return null;
  const copy = async () => {
    setWords('Copying…');
    const copied = await ask('calls.copyOutput', { callId });
    setWords(copied.ok ? 'Copied' : 'Couldn’t copy');
  };
  return (
    <Button size="small" tone="quiet" icon={<Copy aria-hidden />} onClick={() => void copy()}>
      {words}
    </Button>
  );
}
