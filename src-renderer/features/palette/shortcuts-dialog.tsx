import { Button } from '../../ui/form/button.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { SHORTCUTS } from './shortcuts.js';

export function ShortcutsDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      open={open}
      size="medium"
      title="Keyboard shortcuts"
      onDismiss={onClose}
      foot={<Button onClick={onClose}>Close</Button>}
    >
      {SHORTCUTS.map(({ where, all }) => (
        <section key={where} className="gh-shortcuts" aria-label={where}>
          <h3>{where}</h3>
          <dl>
            {all.map(({ keys, does }) => (
              <div key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
