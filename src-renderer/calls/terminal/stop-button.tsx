import { Square } from 'lucide-react';
import { Button } from '../../ui/form/button.js';
import { STOPPING, stopCall, useStopping } from '../stopping.js';

/** Stops a call that runs. Once that is on its way it can't be asked for again: the call ends, and the button goes. */
export function StopButton({ callId }: { readonly callId: string }) {
  const stopping = useStopping(callId);
  return (
    <Button size="small" icon={<Square aria-hidden />} disabled={stopping} onClick={() => stopCall(callId)}>
      {stopping ? STOPPING : 'Stop'}
    </Button>
  );
}
