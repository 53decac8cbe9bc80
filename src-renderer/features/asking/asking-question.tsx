import { RadioGroup } from '@base-ui/react/radio-group';
import { useId, useState } from 'react';
import { ASKING_PRESETS, type AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import { useAct } from '../../bridge/use-act.js';
import { goTo, useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Radio } from '../../ui/form/radio.js';
import { Refusal } from '../../ui/notice/refusal.js';
import './asking-question.css';

export const ASKING_CHOICES: Readonly<
  Record<AskingPreset | 'own', { readonly title: string; readonly about: string }>
> = {
  strict: { title: 'Strict', about: 'You review every change. Commands are turned off.' },
  careful: {
    title: 'Careful',
    about: 'You review edits. Commands run in a sandbox, or ask.',
  },
  balanced: {
    title: 'Balanced',
    about: 'Recommended. Like Careful, but edits you can undo are made at once.',
  },
  own: { title: 'Your own', about: 'As the settings below are.' },
};

/** Asked once, where nothing was set yet. It blocks nothing, and choosing alone changes nothing. */
export function AskingQuestion() {
  const { hasSettings } = useStatus();
  // Kept here: the question goes once it is answered, and what it was answered with is told.
  const [chosen, setChosen] = useState<AskingPreset | null>(null);
  if (!hasSettings) return <Question chosen={chosen} onChoose={setChosen} />;
  return chosen === null ? null : (
    <output className="secondary">
      {ASKING_CHOICES[chosen].title} is on. <MoreInSettings />
    </output>
  );
}

const MoreInSettings = () => (
  <Button size="small" tone="quiet" onClick={() => goTo('settings', 'asking')}>
    You can change it under Settings
  </Button>
);

interface AskingQuestionProps {
  readonly chosen: AskingPreset | null;
  readonly onChoose: (asking: AskingPreset | null) => void;
}

function Question({ chosen, onChoose }: AskingQuestionProps) {
  const { act, acting, problem } = useAct();
  const title = useId();
  return (
    <section className="gh-asking" aria-labelledby={title}>
      <h2 id={title}>How should Gatehouse ask?</h2>
      <RadioGroup
        value={chosen}
        onValueChange={(value) => onChoose(ASKING_PRESETS.find((each) => each === value) ?? null)}
        aria-labelledby={title}
        className="gh-asking-choices"
      >
        {ASKING_PRESETS.map((asking) => (
          <Choice key={asking} asking={asking} />
        ))}
      </RadioGroup>
      <div className="gh-asking-foot">
        <Button
          tone="primary"
          disabled={chosen === null || acting}
          onClick={() => chosen !== null && void act('settings.chooseAsking', { asking: chosen })}
        >
          Use this
        </Button>
        <p className="secondary">
          Until you choose, it is Strict. <MoreInSettings />
        </p>
      </div>
      <Refusal text={problem} />
    </section>
  );
}

export function Choice({ asking }: { readonly asking: AskingPreset | 'own' }) {
  const [name, about] = [useId(), useId()];
  const { title, about: words } = ASKING_CHOICES[asking];
  return (
    // oxlint-disable-next-line jsx-a11y/label-has-associated-control
    <label className="gh-asking-choice">
      <Radio value={asking} aria-labelledby={name} aria-describedby={about} />
      <span>
        <span id={name} className="gh-asking-name">
          {title}
        </span>
        <span id={about} className="secondary">
          {words}
        </span>
      </span>
    </label>
  );
}
