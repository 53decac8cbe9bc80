import { useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { useApp } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { counted } from '../../ui/text/format.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { compareSeverity } from './order.js';
import './notices.css';

const SHOWN = 2;

/** Problems, and things worth knowing, until they are over or dismissed; the gravest first, the rest on request. */
export function NoticeArea() {
  const notices = useApp((state) => state.app.notices);
  const [all, setAll] = useState(false);
  if (notices.length === 0) return null;
  const ordered = compareSeverity(notices);
  const shown = all ? ordered : ordered.slice(0, SHOWN);
  return (
    <section className="gh-notices" aria-label="Notices">
      {shown.map(({ id, severity, title, text, details, dismissible, action }) => (
        <NoticeBox
          key={id}
          severity={severity}
          title={title}
          details={details}
          actions={
            action === undefined ? undefined : (
              <Button size="small" onClick={() => void ask('notices.act', { id })}>
                {action}
              </Button>
            )
          }
          onDismiss={dismissible ? () => void ask('notices.dismiss', { id }) : undefined}
        >
          {text}
        </NoticeBox>
      ))}
      {notices.length > SHOWN ? (
        <Button size="small" tone="quiet" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${counted(notices.length - SHOWN, 'more notice')}`}
        </Button>
      ) : null}
    </section>
  );
}
