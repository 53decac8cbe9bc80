import { Eraser } from 'lucide-react';
import { useRef, useState } from 'react';
import type { SourceDetail } from '#contract/window/tools/sources.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { Dialog } from '../../../ui/overlay/dialog.js';
import { formatBytes } from '../../../ui/text/format.js';
import { Refusal } from '../../../ui/notice/refusal.js';

export interface SourceHomeProps {
  readonly name: string;
  readonly home: SourceDetail['home'];
  readonly onCleared: () => void;
}

/** The content of the folder that a source has to itself, and the button that empties it. */
export function SourceHome({ name, home, onCleared }: SourceHomeProps) {
  const { act, acting, problem } = useAct();
  const [asked, setAsked] = useState(false);
  const safe = useRef<HTMLButtonElement>(null);
  if (home === null) return null;
  const clear = () => {
    setAsked(false);
    void act('sources.clearHome', { name }).then(onCleared);
  };
  const size = `${home.complete ? '' : 'more than '}${formatBytes(home.bytes)}`;
  return (
    <div className="gh-sign-in-line">
      <span className="secondary">Keeps {size} in a folder of its own.</span>
      {home.bytes === 0 && home.complete ? null : (
        <Button
          size="small"
          disabled={acting}
          icon={<Eraser aria-hidden />}
          aria-label={`Clear what ${name} keeps…`}
          onClick={() => setAsked(true)}
        >
          Clear…
        </Button>
      )}
      <Refusal inline text={problem} />
      <Dialog
        open={asked}
        title={`Clear what ${name} keeps?`}
        description={`It is stopped, and ${size} in its folder are removed. That can’t be undone: what it saved there for you is gone.`}
        initialFocus={safe}
        onDismiss={() => setAsked(false)}
        foot={
          <>
            <Button ref={safe} onClick={() => setAsked(false)}>
              Cancel
            </Button>
            <Button tone="danger" onClick={clear}>
              Stop and clear
            </Button>
          </>
        }
      />
    </div>
  );
}
