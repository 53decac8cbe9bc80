import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/form/button.js';

const UNDO_MS = 10_000;

interface RemovedSourceProps {
  readonly name: string;
  readonly onUndo: () => void;
  readonly onOver: () => void;
}

/** A source that was removed a moment ago, and the way back. The element that had the focus is gone: it goes here. */
export function RemovedSource({ name, onUndo, onOver }: RemovedSourceProps) {
  const undo = useRef<HTMLSpanElement>(null);
  const over = useRef(onOver);
  useEffect(() => void (over.current = onOver), [onOver]);
  useEffect(() => {
    undo.current?.querySelector('button')?.focus();
    const timer = setTimeout(() => over.current(), UNDO_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="gh-source-removed">
      <output>Removed: {name}</output>
      <span ref={undo}>
        <Button size="small" onClick={onUndo}>
          Undo
        </Button>
      </span>
    </div>
  );
}
