import { Play } from 'lucide-react';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { Refusal } from '../../ui/notice/refusal.js';

/** A script plays the model, in a folder of its own. */
export function TryDemo({ size }: { readonly size?: 'small' }) {
  const { act, acting, problem } = useAct();
  return (
    <>
      <Button
        {...(size === undefined ? {} : { size })}
        icon={<Play aria-hidden />}
        disabled={acting}
        onClick={() => void act('demo.begin', {})}
      >
        Try the demo
      </Button>
      <Refusal inline text={problem} />
    </>
  );
}
