import { Square } from 'lucide-react';
import { useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';

/** Stops a call that runs. Once that is on its way it can't be asked for again: the call ends, and the button goes. */
export function StopButton({ callId }: { readonly callId: string }) {
  const [stopping, setStopping] = useState(false);
  return (
    <Button
      size="small"
      icon={<Square aria-hidden />}
      disabled={stopping}
      onClick={() => {
        setStopping(true);
        void ask('calls.stop', { callId }).then(({ ok }) => setStopping(ok));
      }}
    >
      {stopping ? 'Stopping' : 'Stop'}
    </Button>
  );
}
