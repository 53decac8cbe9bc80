import { Pause, Play } from 'lucide-react';
import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { useAct } from '../../bridge/use-act.js';
import { useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Refusal } from '../../ui/notice/refusal.js';

export interface PauseButtonProps {
  readonly who: Pick<CallSummary, 'door' | 'client' | 'agent'>;
  readonly name: string;
}

/** Whether the person paused it. */
export function useIsPaused(who: PauseButtonProps['who']): boolean {
  const { paused } = useStatus();
  const by = buildPauseKey(who);
  return by !== null && paused.includes(by);
}

/** Makes an agent's calls wait, and lets them go on. Nothing for who can't be paused. */
export function PauseButton({ who, name }: PauseButtonProps) {
  const isPaused = useIsPaused(who);
  const { act, acting, problem } = useAct();
  if (buildPauseKey(who) === null) return null;
  const { door, client, agent } = who;
  return (
    <>
      <Button
        size="small"
        icon={isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
        disabled={acting}
        title={agent === null ? 'It has no token, and is known only by the name it gives itself.' : undefined}
        onClick={() => void act(isPaused ? 'agents.resume' : 'agents.pause', { door, client, agent })}
      >
        {isPaused ? 'Resume' : 'Pause'} {toVisibleText(name)}
      </Button>
      <Refusal inline text={problem} />
    </>
  );
}
