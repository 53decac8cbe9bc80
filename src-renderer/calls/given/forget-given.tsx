import { Eraser } from 'lucide-react';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { Visible } from '../../ui/text/visible.js';

export interface ForgetGivenProps {
  readonly to: string;
  readonly workspace: string;
  /** Nothing is pressed that has only just appeared. */
  readonly enabled?: boolean;
}

/** What an agent has read counts against its calls until the person says otherwise here. */
export function ForgetGiven({ to, workspace, enabled = true }: ForgetGivenProps) {
  const { act, acting, problem } = useAct();
  return (
    <>
      <Button
        size="small"
        icon={<Eraser aria-hidden />}
        disabled={acting || !enabled}
        title="What it has read no longer makes its calls ask. What it reads next does."
        onClick={() => void act('given.forget', { to, workspace })}
      >
        Forget what it read
      </Button>
      {problem === null ? null : (
        <span className="gh-field-error" role="alert">
          <Visible text={problem} />
        </span>
      )}
    </>
  );
}
