import { type ReactNode, useState } from 'react';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { Dialog } from '../../../ui/overlay/dialog.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { Visible } from '../../../ui/text/visible.js';
import { OpenLink } from './web-link.js';
import { Refusal } from '../../../ui/notice/refusal.js';

/** Provides its content with the dialog that asks before a link opens. */
export function LinkConfirmation({ children }: { readonly children: ReactNode }) {
  const [address, setAddress] = useState<string | null>(null);
  return (
    <OpenLink value={setAddress}>
      {children}
      {address === null ? null : <LinkDialog address={address} onClose={() => setAddress(null)} />}
    </OpenLink>
  );
}

function LinkDialog({ address, onClose }: { readonly address: string; readonly onClose: () => void }) {
  const { act, acting, problem } = useAct();
  const open = async () => {
    const answer = await act('app.openLink', { url: address });
    if (answer.ok) onClose();
  };
  const { host } = new URL(address);
  return (
    <Dialog
      open
      size="medium"
      title="Open link?"
      description={
        <>
          The model wrote this link. It opens <strong>{host}</strong> in your browser.
        </>
      }
      onDismiss={onClose}
      foot={
        <>
          <CopyButton text={address} label="Copy address" />
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={acting} onClick={() => void open()}>
            Open
          </Button>
        </>
      }
    >
      <p className="gh-md-address mono">
        <Visible text={address} />
      </p>
      <Refusal text={problem} />
    </Dialog>
  );
}
