import { isReservedKeyName } from '../../domain/outside/references.js';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { answerProblem, done } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import { editSource, enableSource, removeSource, saveSources } from '../../settings/sources/edit-sources.js';
import {
  type CallCounts,
  toSourceDetail,
  toSourceView,
  toMisconfiguredView,
} from '../../tools/sources/catalog/source-views.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import type { AcceptedTool } from '../../tools/sources/catalog/source-acceptance.js';
import type { ConfiguredSource, SourceCatalog } from '../../tools/sources/catalog/source-catalog.js';
import type { SaveResult } from '../../settings/config-store.js';
import { systemClock } from '../../platform/clock.js';
import type { AddressResolutions } from '../../platform/data-folder/address-resolutions.js';
import type { Record } from '../record.js';
import { whyNot } from '../settings.js';
import type { Shell } from '../shell.js';
import type { SourceKinds } from './kinds.js';
import type { OpenSourceHomes } from './source-homes.js';
import { findMovedAddress, gone, notNow, OFF, reviewChannels } from './review-channels.js';

interface SourceChannelWings {
  readonly record: Record;
  readonly catalog: SourceCatalog;
  readonly kinds: SourceKinds;
  readonly homes: OpenSourceHomes;
  readonly situation: () => TermsSituation;
  readonly led: AddressResolutions;
  readonly keepSecret: Handlers['secrets.set'];
  /** Reports keys that were entered for a source. */
  readonly keyEntered: (name: string, settings: SourceSettings, secrets: readonly string[]) => void;
  /** Ends the rules that were for one of these tools alone, since what it was accepted as is over. */
  readonly endRules: (tools: readonly AcceptedTool[]) => Promise<unknown>;
}

const HOUR_MS = 3_600_000;

export const sourceChannels = ({ config, redactor }: Shell, wings: SourceChannelWings) => {
  const { record, catalog, kinds, homes, situation, endRules, led } = wings;
  const removed = new Map<string, () => Promise<SaveResult>>();
  /** Counts the calls since midnight, by source. */
  const today = async (): Promise<(source: string) => CallCounts> => {
    const hours = Math.max((Date.now() - new Date().setHours(0, 0, 0, 0)) / HOUR_MS, 1 / 60);
    const { tools } = await record.reader.telemetry(hours);
    return (source) => {
      const its = tools.filter(({ tool }) => tool.startsWith(`${source}__`));
      return {
        calls: its.reduce((sum, { count }) => sum + count, 0),
        failures: its.reduce((sum, { failed }) => sum + failed, 0),
      };
    };
  };
  const viewOf = (source: ConfiguredSource, count: (source: string) => CallCounts) =>
    toSourceView(source, situation(), count(source.name), findMovedAddress(source.settings, led));
  return {
    'sources.list': async () => {
      const count = await today();
      return done([
        ...catalog.all.map((source) => viewOf(source, count)),
        ...config.refusedSources.map(toMisconfiguredView),
      ]);
    },
    'sources.get': async ({ name }) => {
      const source = catalog.find(name);
      const wrong = config.refusedSources.find((each) => each.name === name);
      if (source === null)
        return wrong === undefined
          ? gone(name)
          : done({ ...toMisconfiguredView(wrong), tools: [], stderr: '', home: null });
      // The page draws the source's tools with their words: they are read now.
      source.followed?.markRead();
      const view = viewOf(source, await today());
      const detail = toSourceDetail(source, view, catalog.nameOf, await homes.sizeOf(name));
      return done({ ...detail, stderr: redactor.text(detail.stderr).value });
    },
    ...reviewChannels({ catalog, endRules, clock: systemClock, led }),
    'sources.setEnabled': async ({ name, enabled }) => answerProblem(whyNot(await enableSource(config, name, enabled))),
    'sources.add': async ({ sources: added, secrets }) => {
      const missing = added.find(({ settings }) => kinds[settings.kind] === undefined);
      if (missing !== undefined)
        return answerProblem(`There are no sources of the kind “${missing.settings.kind}” in this version.`);
      const nameConflict = added.map(({ name }) => catalog.findNameConflict(name)).find((why) => why !== null);
      if (nameConflict !== undefined) return answerProblem(nameConflict);
      const notKept = await keepKeys(wings, secrets, added);
      return answerProblem(notKept ?? whyNot(await saveSources(config, added)));
    },
    'sources.edit': async ({ name, was, settings, secrets }) => {
      const notKept = await keepKeys(wings, secrets, [{ name, settings }]);
      return answerProblem(notKept ?? whyNot(await editSource(config, { name, was, settings })));
    },
    'sources.remove': async ({ name }) => {
      const signIn = catalog.find(name)?.followed?.source.signIn;
      const taken = await removeSource(config, name);
      if (!taken.ok) return answerProblem(taken.problem);
      // Who has it back signs in again.
      void signIn?.signOut();
      removed.set(name, taken.restore);
      return done(null);
    },
    'sources.undoRemove': async ({ name }) => {
      const restore = removed.get(name);
      removed.delete(name);
      return restore === undefined ? gone(name) : answerProblem(whyNot(await restore()));
    },
    'sources.start': async ({ name }) => {
      const source = catalog.find(name);
      if (source === null) return gone(name);
      const { followed, refused } = source;
      if (followed === null) return notNow(name, refused ?? OFF);
      await followed.refresh();
      return followed.problem === null ? done(null) : notNow(name, followed.problem);
    },
  } satisfies Partial<Handlers>;
};

/** Stores keys for these sources, and for nobody else. Returns in words why not; null where they are stored. */
async function keepKeys(
  { keepSecret, keyEntered }: Pick<SourceChannelWings, 'keepSecret' | 'keyEntered'>,
  keys: readonly { readonly name: string; readonly value: string }[],
  sources: readonly { readonly name: string; readonly settings: SourceSettings }[],
): Promise<string | null> {
  for (const { name, value } of keys) {
    if (isReservedKeyName(name)) return `“${name}” is a name of Gatehouse’s own: no source is given such a key.`;
    const kept = await keepSecret({ name, value });
    if (!kept.ok) return `The key “${name}” could not be kept: ${kept.error.message}`;
  }
  const names = keys.map(({ name }) => name);
  for (const { name, settings } of sources) keyEntered(name, settings, names);
  return null;
}
