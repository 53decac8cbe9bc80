import { Eraser } from 'lucide-react';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { Refusal } from '../../ui/notice/refusal.js';

export interface ForgetGivenProps {
  readonly to: string;
  readonly workspace: string;
  /** The reader, and the folder it was read in, where there are several: part of its name. */
  readonly of?: string;
  /** Whether it can be pressed: nothing is pressed that has only just appeared. */
  readonly enabled?: boolean;
}

/** Forgets an agent's tainting texts: they count against its calls until the person says otherwise here. */
export function ForgetGiven({ to, workspace, of, enabled = true }: ForgetGivenProps) {
  const { act, acting, problem } = useAct();
  return (
    <>
      <Button
        size="small"
        icon={<Eraser aria-hidden />}
        disabled={acting || !enabled}
        {...(of === undefined ? {} : { 'aria-label': `Forget what it read: ${toVisibleText(of)}` })}
        title="What it has read no longer makes its calls ask. What it reads next does."
        onClick={() => void act('given.forget', { to, workspace })}
      >
        Forget what it read
      </Button>
      <Refusal inline text={problem} />
    </>
  );
}
