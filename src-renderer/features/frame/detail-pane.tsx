import { Dialog as Base } from '@base-ui/react/dialog';
import { Pin, PinOff, X } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { closeCall, pinDetail, useApp } from '../../store/app.js';
import { IconButton } from '../../ui/form/button.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { ErrorBoundary } from '../../ui/notice/error-boundary.js';
import { CallDetailView } from '../../calls/card/call-detail-view.js';
import { clampWidth, DEFAULT_WIDTH, MAXIMUM_WIDTH, MINIMUM_WIDTH, readWidth, rememberWidth } from './detail-width.js';
import { NARROW, useMediaQuery } from '../../ui/style/use-media-query.js';

/** A call whole, beside the page it was opened from; on a narrow window a sheet over it. */
export function DetailPane() {
  const callId = useApp((state) => state.detailCallId);
  const narrow = useMediaQuery(NARROW);
  if (narrow) {
    return (
      <Base.Root open={callId !== null} onOpenChange={(open) => (open ? undefined : closeCall())}>
        <Base.Portal>
          <Base.Backdrop className="gh-backdrop" />
          <Base.Popup className="gh-detail-sheet" aria-label="Call details">
            {callId === null ? null : <DetailContent callId={callId} pinnable={false} />}
          </Base.Popup>
        </Base.Portal>
      </Base.Root>
    );
  }
  return callId === null ? null : <DockedDetail callId={callId} />;
}

function DockedDetail({ callId }: { readonly callId: string }) {
  const [width, setWidth] = useState(readWidth);

  const change = (next: number) => {
    const clamped = clampWidth(next, window.innerWidth);
    setWidth(clamped);
    rememberWidth(clamped);
  };
  const grip = {
    onPointerDown: (event: PointerEvent<HTMLHRElement>) => event.currentTarget.setPointerCapture(event.pointerId),
    onPointerMove: (event: PointerEvent<HTMLHRElement>) => {
      if (event.buttons === 1) change(window.innerWidth - event.clientX);
    },
    onDoubleClick: () => change(DEFAULT_WIDTH),
    onKeyDown: (event: KeyboardEvent<HTMLHRElement>) => {
      const wanted = { ArrowLeft: width + 16, ArrowRight: width - 16, Home: DEFAULT_WIDTH }[event.key];
      if (wanted === undefined) return;
      event.preventDefault();
      change(wanted);
    },
  };

  return (
    <aside className="gh-detail" style={{ width: clampWidth(width, window.innerWidth) }} aria-label="Call details">
      <hr
        className="gh-detail-handle"
        aria-orientation="vertical"
        aria-label="Width of the details"
        aria-valuemin={MINIMUM_WIDTH}
        aria-valuemax={MAXIMUM_WIDTH}
        aria-valuenow={width}
        {...FOCUSABLE}
        {...grip}
      />
      <DetailContent callId={callId} pinnable />
    </aside>
  );
}

function DetailContent({ callId, pinnable }: { readonly callId: string; readonly pinnable: boolean }) {
  const pinned = useApp((state) => state.detailPinned);
  return (
    <>
      <header className="gh-detail-head">
        <h2>Call</h2>
        <span>
          {pinnable ? (
            <IconButton
              label={pinned ? 'Unpin the details' : 'Keep the details open'}
              aria-pressed={pinned}
              onClick={() => pinDetail(!pinned)}
            >
              {pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
            </IconButton>
          ) : null}
          <IconButton label="Close the details" onClick={closeCall}>
            <X aria-hidden />
          </IconButton>
        </span>
      </header>
      <div className="gh-detail-body">
        <ErrorBoundary key={callId} what="This call">
          <CallDetailView callId={callId} />
        </ErrorBoundary>
      </div>
    </>
  );
}
