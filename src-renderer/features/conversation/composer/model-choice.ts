import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { ModelChoice } from '#contract/vocabulary/conversation/conversation.js';
import type { ModelOffer, ModelOffers } from '#contract/window/conversation/conversation.js';

/** The option that means: as the settings say. */
export const BY_SETTINGS = 'settings';

export const buildModelKey = ({ provider, baseUrl, model }: ModelChoice): string =>
  JSON.stringify([provider, baseUrl, model]);

export interface ModelOption {
  readonly value: string;
  readonly label: string;
}

/** Lists the picker's options; the chosen one is among them though nobody offers it any more. */
export function listModelOptions(offered: ModelOffers, own: ModelChoice | null): readonly ModelOption[] {
  const { chosen, others } = offered;
  const all =
    own === null || others.some((each) => buildModelKey(each) === buildModelKey(own)) ? others : [own, ...others];
  return [
    {
      value: BY_SETTINGS,
      label: chosen === null ? 'As in Settings' : `${toVisibleLine(chosen.model, 60)} (as in Settings)`,
    },
    ...all.map((each) => ({
      value: buildModelKey(each),
      label: `${toVisibleLine(each.model, 60)} · ${each.provider}`,
    })),
  ];
}

/** The one that would answer now; null where none can. */
export function findAnsweringModel(offered: ModelOffers | null, own: ModelChoice | null): ModelOffer | null {
  if (own === null) return offered?.chosen ?? null;
  const all = offered === null ? [] : [...offered.others, ...(offered.chosen === null ? [] : [offered.chosen])];
  return all.find((each) => buildModelKey(each) === buildModelKey(own)) ?? { ...own, takesPictures: null };
}
