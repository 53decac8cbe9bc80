import { useEffect, useRef } from 'react';
import type { RuleView } from '#contract/window/rules.js';
import { Button } from '../../ui/form/button.js';
import { Visible } from '../../ui/text/visible.js';
import { whatOf } from './rule-words.js';

const UNDO_MS = 10_000;

export interface RemovedRuleProps {
  readonly rule: RuleView;
  readonly onUndo: () => void;
  readonly onOver: () => void;
}

/** A rule that was removed a moment ago, and the way back. The row that had the focus is gone: it goes here. */
export function RemovedRule({ rule, onUndo, onOver }: RemovedRuleProps) {
  const undo = useRef<HTMLSpanElement>(null);
  const over = useRef(onOver);
  useEffect(() => void (over.current = onOver), [onOver]);
  useEffect(() => {
    undo.current?.querySelector('button')?.focus();
    const timer = setTimeout(() => over.current(), UNDO_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="gh-rule-removed">
      <output>
        Removed: <Visible text={whatOf(rule)} />
      </output>
      <span ref={undo}>
        <Button size="small" onClick={onUndo}>
          Undo
        </Button>
      </span>
    </div>
  );
}
