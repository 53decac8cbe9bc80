import type { GateParts } from '../../app/gate/gate.js';
import type { CallHooks } from '../../domain/ports/gate/hooks.js';

const NO_HOOKS: CallHooks = {
  identifyJudges: () => null,
  judge: async () => ({ runs: [], verdict: { kind: 'nothing' } }),
  isTold: () => false,
  tell: async () => [],
};

/** What a gate is given of which a test has nothing to say: nobody is paused, nothing was read, no program judges. */
export const plainParts = () =>
  ({
    domainQueue: () => null,
    bounds: () => ({}),
    onRoots: () => undefined,
    acting: () => () => undefined,
    texts: {
      listGivenTo: () => [],
      findSaidText: () => null,
      hasWrittenForeign: () => false,
      isForeignContent: () => false,
      hasForeignSize: () => false,
      isTrusted: () => false,
    },
    contents: () => Promise.resolve(null),
    git: {
      isIgnored: () => Promise.resolve(false),
      isInOtherRepository: () => Promise.resolve(false),
      hasIgnoredName: () => Promise.resolve(false),
    },
    statusOf: () => 'known',
    askingOf: () => null,
    unattended: false,
    titleOf: () => null,
    isPaused: () => false,
    hooks: NO_HOOKS,
  }) satisfies Partial<GateParts>;
