import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import { ASKING_PRESETS, type AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type { ModelOffers, WorkingConversation } from '#contract/window/conversation/conversation.js';
import { useAct } from '../../../bridge/use-act.js';
import { Select } from '../../../ui/form/select.js';
import { Progress } from '../../../ui/notice/progress.js';
import { formatCount } from '../../../ui/text/format.js';
import { BY_SETTINGS, buildModelKey, listModelOptions } from './model-choice.js';
import { Refusal } from '../../../ui/notice/refusal.js';

const ASKING_WORDS: Readonly<Record<AskingPreset, string>> = {
  strict: 'Strict',
  careful: 'Careful',
  balanced: 'Balanced',
};
/** Past this the oldest results are left out of what the model gets. */
const NEARLY_FULL = 0.75;

export interface SettingsRowProps {
  readonly conversation: ConversationSummary;
  readonly offered: ModelOffers | null;
  readonly context: WorkingConversation['context'];
}

/** Settings for this conversation alone, and how much of its context is used. */
export function SettingsRow({ conversation, offered, context }: SettingsRowProps) {
  const { id, model, asking } = conversation;
  const { act, acting, problem } = useAct();
  const chooseModel = (value: string) => {
    const chosen = offered?.others.find((each) => buildModelKey(each) === value);
    const next =
      chosen === undefined ? null : { provider: chosen.provider, baseUrl: chosen.baseUrl, model: chosen.model };
    void act('conversations.chooseModel', { id, model: value === BY_SETTINGS ? null : (next ?? model) });
  };
  return (
    <div className="gh-composer-settings">
      {offered === null || conversation.demo ? null : (
        <Select
          label="Model"
          className="gh-composer-model"
          options={listModelOptions(offered, model)}
          value={model === null ? BY_SETTINGS : buildModelKey(model)}
          onChange={chooseModel}
          disabled={acting}
        />
      )}
      <Select
        label="How to ask"
        options={[
          { value: 'all', label: 'Asks as everywhere' },
          ...ASKING_PRESETS.map((value) => ({ value, label: ASKING_WORDS[value] })),
        ]}
        value={asking ?? 'all'}
        onChange={(value) =>
          void act('conversations.setAsking', { id, asking: ASKING_PRESETS.find((each) => each === value) ?? null })
        }
        disabled={acting}
      />
      {context === null ? null : <ContextMeter {...context} />}
      <Refusal inline text={problem} />
    </div>
  );
}

function ContextMeter({ usedTokens, ofTokens }: NonNullable<WorkingConversation['context']>) {
  const share = ofTokens === 0 ? 1 : Math.min(1, usedTokens / ofTokens);
  const said = `About ${formatCount(usedTokens)} of ${formatCount(ofTokens)} tokens of context`;
  return (
    <span className="gh-composer-context secondary" title={said}>
      <Progress label={said} max={1} value={share} late={share > NEARLY_FULL} />
      {Math.round(share * 100)} % of context
    </span>
  );
}
