import { RadioGroup } from '@base-ui/react/radio-group';
import { useState } from 'react';
import { ASKING_PRESETS, type AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import { useAct } from '../../bridge/use-act.js';
import { useCurrent } from '../../store/use-current.js';
import { Button } from '../../ui/form/button.js';
import { Choice, ASKING_CHOICES } from './asking-question.js';
import { Refusal } from '../../ui/notice/refusal.js';
import './asking-question.css';

/** The preset for asking now, in a word, and the others: one press sets all settings of a preset. */
export function AskingSwitch() {
  const { value: view, set } = useCurrent('settings.get', {});
  const { act, acting, problem } = useAct();
  const [chosen, setChosen] = useState<AskingPreset | null>(null);
  if (view === null) return null;
  const now = view.asking;
  const use = async (asking: AskingPreset) => {
    const answer = await act('settings.changeAsking', { asking });
    if (!answer.ok) return;
    set(answer.value);
    setChosen(null);
  };
  return (
    <div className="gh-asking">
      <RadioGroup
        value={chosen ?? now}
        onValueChange={(value) => setChosen(ASKING_PRESETS.find((each) => each === value) ?? null)}
        aria-label="How it asks"
        className="gh-asking-choices"
      >
        {[...ASKING_PRESETS, ...(now === 'own' ? (['own'] as const) : [])].map((asking) => (
          <Choice key={asking} asking={asking} />
        ))}
      </RadioGroup>
      {chosen === null || chosen === now ? null : (
        <div className="gh-asking-foot">
          <Button tone="primary" disabled={acting} onClick={() => void use(chosen)}>
            {`Use ${ASKING_CHOICES[chosen].title}`}
          </Button>
        </div>
      )}
      <Refusal text={problem} />
    </div>
  );
}
