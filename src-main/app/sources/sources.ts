import type { TermsSituation } from '../../domain/tool/terms.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { chooseModel } from '../../conversation/providers/model-settings.js';
import type { LookUpKey } from '../../domain/outside/key-destination.js';
import { resolveKey } from '../../outside/resolve-key.js';
import { createOutside } from '../../outside/outside-client.js';
import { systemClock } from '../../platform/clock.js';
import type { AddressResolutions } from '../../platform/data-folder/address-resolutions.js';
import { openAcceptedSources } from '../../platform/data-folder/accepted-sources.js';
import { serializeAccepted, readAccepted } from '../../tools/sources/catalog/source-acceptance.js';
import { type ReservedGroups, SourceCatalog } from '../../tools/sources/catalog/source-catalog.js';
import { ResourceBrowser } from '../../tools/sources/catalog/resource-browser.js';
import { toWireSource, toMisconfiguredWireSource } from '../../tools/sources/catalog/source-views.js';
import type { Commands } from '../commands.js';
import type { Models } from '../conversations/models.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Front } from '../front.js';
import type { Record } from '../record.js';
import type { SettingsWing } from '../settings.js';
import type { Shell } from '../shell.js';
import type { RuleBook } from '../state/confirmations.js';
import type { ToolsWing } from '../tools.js';
import { createDeniedTest } from '../../workspace/sandbox/denied-paths.js';
import { endRules } from './end-rules.js';
import { sourceKinds } from './kinds.js';
import { ServerQuestionDesk } from './server-questions.js';
import { offeredSourceChannels } from './offered-sources.js';
import { packageChannels } from './package-channels.js';
import { signInChannels } from './sign-in-channels.js';
import { openSourceHomes } from './source-homes.js';
import { sourceChannels } from './source-channels.js';

/** The tools that come from elsewhere. */
export interface SourcesWing {
  /** Lets sources start from now on. */
  readonly begin: () => void;
  /** The digests of the accepted copies of programs. */
  readonly codeDigests: () => ReadonlySet<string>;
  readonly onTheWire: () => readonly object[];
  /** The sources of which it isn’t known what they have. */
  readonly unknown: () => readonly string[];
  /** The names of the sources that are there: no group of the domain’s has one of them. */
  readonly names: () => readonly string[];
  /** And no source has one of these. */
  readonly keepFrom: (domain: ReservedGroups | null) => void;
  /** The resources and prompts that sources offer. */
  readonly shelves: ResourceBrowser;
  readonly channels: (
    gate: ComposedGate,
  ) => ReturnType<typeof sourceChannels> &
    ReturnType<typeof offeredSourceChannels> &
    ReturnType<typeof signInChannels> &
    ReturnType<typeof packageChannels> &
    ServerQuestionDesk['channels'];
  readonly close: () => Promise<void>;
}

interface SourceWings {
  readonly front: Front;
  readonly record: Record;
  readonly commands: Commands;
  readonly tools: ToolsWing;
  readonly rules: RuleBook;
  /** The folder that is shown, by its real path. */
  readonly shownFolder: () => string | null;
  readonly settings: SettingsWing;
  /** Where names of addresses led that were accepted. */
  readonly led: AddressResolutions;
  readonly models: Models;
}

export function openSources(shell: Shell, wings: SourceWings): SourcesWing {
  const { config, secrets, paths } = shell;
  const { keys, knowSecrets, onKeyGiven } = wings.settings;
  const { front, record, commands, tools, rules, shownFolder } = wings;
  const { secret, variable, refusal } = keys;
  const outside = createOutside(
    { secret, variable, refusal, signIn: (name) => secrets.signIn(name, 'access') },
    undefined,
    'kept',
    undefined,
    wings.led,
  );
  const tell = (): void => front.publish({ type: 'sources-changed' });
  const questions = new ServerQuestionDesk({
    clock: systemClock,
    onChange: tell,
    model: () => modelNow(config, wings.models),
    redact: (text) => shell.redactor.text(text).value,
  });
  const valueOf: LookUpKey = (reference, asker) => resolveKey(reference, { asker, origin: null }, keys);
  const homes = openSourceHomes(shell, front);
  const kinds = sourceKinds({
    shell,
    commands,
    outside,
    shownFolder,
    knowSecrets,
    valueOf,
    questions,
    homeOf: homes.of,
  });
  const files = openAcceptedSources(paths.acceptedSources);
  const catalog = new SourceCatalog({
    isDenied: createDeniedTest(commands.folders),
    guardCall: commands.watch.guardCall,
    kinds,
    dataFolder: paths.root,
    registry: tools.registry,
    kept: {
      find: (name) => readAccepted(files.find(name)),
      keep: (name, accepted) => files.keep(name, serializeAccepted(accepted)),
    },
    keepOutput: (callId, number, bytes) => record.blobs.keep(callId, number, bytes),
    confinementTried: commands.confinementTried,
    mayBeWritten: commands.mayBeWritten,
    now: () => systemClock.now(),
    onChange: tell,
  });
  homes.follow();
  catalog.follow(config.own);
  onKeyGiven((asker) => void catalog.find(asker)?.followed?.refresh());
  config.watch(
    ({ own, refusedSources }) => [own.sources, own.registry, refusedSources] as const,
    () => {
      homes.follow();
      catalog.follow(config.own);
      tell();
    },
  );
  const own = sourceChannels(shell, {
    record,
    catalog,
    kinds,
    homes,
    led: wings.led,
    situation: () => situationNow(config, commands),
    // Into the key store, and out of whatever is shown.
    keepSecret: wings.settings.channels['secrets.set'],
    keyEntered: (name, settings, secretNames) => keys.entered(name, settings, secretNames),
    endRules: (changed) => endRules(changed, rules, catalog.nameOf, front.problem),
  });
  return {
    channels: (gate) => ({
      ...own,
      ...signInChannels(catalog),
      ...packageChannels(catalog, homes),
      ...questions.channels,
      ...offeredSourceChannels(shell, { gate, list: own['sources.list'], add: own['sources.add'] }),
    }),
    shelves: new ResourceBrowser(catalog, () => systemClock.monotonic(), tell),
    begin: () => catalog.begin(),
    codeDigests: files.digests,
    unknown: () => [
      ...catalog.all.flatMap(({ name, followed }) => ((followed?.accepted.tools.size ?? 0) === 0 ? [name] : [])),
      ...config.refusedSources.map(({ name }) => name),
    ],
    names: () => catalog.all.flatMap(({ name, nameConflict }) => (nameConflict === null ? [name] : [])),
    keepFrom: (domain) => catalog.reserveGroups(domain),
    // Agents read it, too: what a source says of its trouble may quote what it was given.
    onTheWire: () =>
      [...catalog.all.map(toWireSource), ...config.refusedSources.map(toMisconfiguredWireSource)].map(
        (each) => shell.redactor.json({ ...each }).value,
      ),
    close: async () => {
      await catalog.close();
      outside.close();
    },
  };
}

const situationNow = (config: Shell['config'], { runner }: Commands): TermsSituation => ({
  config: config.current,
  confinement: runner.confinementNow(),
  network: NOTHING_ALLOWED,
});

/** The model that the person chose, or why there is none. */
function modelNow({ everywhere }: Shell['config'], models: Models): ReturnType<Models['of']> | string {
  const chosen = chooseModel(everywhere.model, null);
  if ('problem' in chosen) return chosen.problem;
  return chosen.served.model === '' ? 'No model is chosen under Settings, Model.' : models.of(null);
}
