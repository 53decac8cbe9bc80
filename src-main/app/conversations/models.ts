import type { Config } from '#contract/vocabulary/config.js';
import type { ModelChoice } from '#contract/vocabulary/conversation/conversation.js';
import type { ModelOffer, ModelOffers } from '#contract/window/conversation/conversation.js';
import type { ModelInfo } from '#contract/window/conversation/models.js';
import { failure } from '../../conversation/providers/model-faults.js';
import { listModels, localServers } from '../../conversation/providers/model-list.js';
import {
  type ChosenModel,
  chooseModel,
  keyFor,
  keyName,
  type StoredModelKeys,
} from '../../conversation/providers/model-settings.js';
import { PROVIDERS, type ServedProvider } from '../../conversation/providers/provider-table.js';
import { createServedModel } from '../../conversation/providers/served-model.js';
import { tryModel } from '../../conversation/providers/try-model.js';
import type { ServedBy } from '../../conversation/providers/written-request.js';
import type { Model } from '../../domain/ports/conversation/model.js';
import { createOutside } from '../../outside/outside-client.js';
import { systemClock } from '../../platform/clock.js';
import { done } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Shell } from '../shell.js';
import type { ModelInUse } from './speakers.js';

export interface Models {
  /**
   * Resolves the model in use, by the settings of now or a choice of its own. What is missing is said by `answer`, as
   * `failed`.
   */
  of(choice: ModelChoice | null): ModelInUse;
  /** Null where its provider doesn't tell. */
  takesPictures(choice: ModelChoice | null): boolean | null;
  offered(): Promise<ModelOffers>;
  readonly channels: Pick<Handlers, ModelChannels>;
  close(): void;
}

type ModelChannels = 'models.about' | 'models.list' | 'models.try' | 'models.local';

/** Models that servers have: which, with which key, and what is known of them. */
export function openModels({ config, secrets }: Pick<Shell, 'config' | 'secrets'>): Models {
  const variable = (name: string) => process.env[name] ?? null;
  const outside = createOutside({ secret: (name) => secrets.ofModel(name), variable });
  // Of the person's own file: what a folder says of models is told, and ignored.
  const settings = () => config.everywhere.model;
  const places: StoredModelKeys = { variable, names: () => secrets.view.names };
  const keyOf = (served: ServedBy) => keyFor(served, settings(), places);
  const modelOf = (chosen: ChosenModel): Model =>
    'problem' in chosen
      ? cannotAnswer(chosen)
      : createServedModel(chosen.served, { outside, key: () => keyOf(chosen.served), now: () => systemClock.now() });
  const of = (choice: ModelChoice | null): ModelInUse => {
    const { provider, model: name } = choice ?? settings();
    return { model: modelOf(chooseModel(settings(), choice)), name, provider, settings: settings() };
  };
  const list = async (chosen: ChosenModel) =>
    'problem' in chosen
      ? { names: [], problem: chosen.problem }
      : listModels(outside, { ...chosen.served, key: keyOf(chosen.served) }).then((listed) =>
          'names' in listed ? { names: listed.names, problem: null } : { names: [], problem: listed.failure.message },
        );
  const hasKey = (served: ServedBy) => keyOf(served) !== null || !PROVIDERS[served.provider].needsKey;

  const offered = async (): Promise<ModelOffers> => {
    const own = chooseModel(settings(), null);
    const mine = 'served' in own && hasKey(own.served) ? own.served : null;
    const usual = (Object.keys(PROVIDERS) as ServedProvider[]).flatMap((provider) => {
      const { baseUrl } = PROVIDERS[provider];
      const served = { provider, baseUrl: baseUrl ?? '', model: '' };
      return baseUrl === null || (mine !== null && mine.baseUrl === baseUrl) || keyOf(served) === null ? [] : [served];
    });
    const asked = await Promise.all(
      (mine === null ? usual : [mine, ...usual]).map(async (served) => ({ served, ...(await list({ served })) })),
    );
    const others = asked.flatMap(({ served, names }) => names.map((model) => offerOf({ ...served, model })));
    return {
      chosen: mine === null || mine.model === '' ? null : offerOf(mine),
      others,
      problem: asked.find(({ problem }) => problem !== null)?.problem ?? null,
    };
  };
  return {
    of,
    takesPictures: (choice) => {
      const chosen = chooseModel(settings(), choice);
      return 'problem' in chosen ? null : TAKES_PICTURES[chosen.served.provider];
    },
    offered,
    channels: {
      'models.about': async () => done(aboutModel(settings(), keyOf)),
      'models.list': async () => done(await list(chooseModel(settings(), null))),
      'models.try': async () => {
        const { model, name } = of(null);
        return done(await tryModel(model, name, () => systemClock.monotonic()));
      },
      'models.local': async () => done(await localServers(outside)),
    },
    close: () => outside.close(),
  };
}

const cannotAnswer = ({ problem, isDemo = false }: Extract<ChosenModel, { readonly problem: string }>): Model => ({
  answer: async function* () {
    yield { type: 'failed', failure: failure(isDemo ? 'no-model' : 'settings', problem) };
  },
});

const TAKES_PICTURES: Readonly<Record<ServedProvider, boolean | null>> = {
  anthropic: true,
  google: true,
  openai: null,
  'openai-compatible': null,
  ollama: null,
};

const offerOf = ({ provider, baseUrl, model }: ServedBy): ModelOffer => ({
  provider,
  baseUrl,
  model,
  takesPictures: TAKES_PICTURES[provider],
});

function aboutModel(
  settings: Config['model'],
  keyOf: (served: ServedBy) => { readonly from: string } | null,
): ModelInfo {
  const chosen = chooseModel(settings, null);
  if ('problem' in chosen) return { address: null, problem: chosen.problem, key: 'none', keyName: null };
  const { served } = chosen;
  const key = keyOf(served);
  const missing = PROVIDERS[served.provider].needsKey ? 'none' : 'not-needed';
  return {
    address: served.baseUrl,
    problem: null,
    key: key === null ? missing : key.from.startsWith('env:') ? 'variable' : 'kept',
    keyName: keyName(served.baseUrl),
  };
}
