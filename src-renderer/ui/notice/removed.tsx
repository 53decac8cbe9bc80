import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../form/button.js';

const UNDO_MS = 10_000;

export interface RemovedProps {
  readonly className: string;
  readonly children: ReactNode;
  readonly onUndo: () => void;
  readonly onOver: () => void;
}

/** What was removed a moment ago, and the way back. The element that had the focus is gone: it goes here. */
export function Removed({ className, children, onUndo, onOver }: RemovedProps) {
  const undo = useRef<HTMLSpanElement>(null);
  const over = useRef(onOver);
  useEffect(() => void (over.current = onOver), [onOver]);
  useEffect(() => {
    undo.current?.querySelector('button')?.focus();
    const timer = setTimeout(() => over.current(), UNDO_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={className}>
      <output>Removed: {children}</output>
      <span ref={undo}>
        <Button size="small" onClick={onUndo}>
          Undo
        </Button>
      </span>
    </div>
  );
}
