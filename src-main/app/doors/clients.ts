import { homedir } from 'node:os';
import { relative } from 'node:path';
import { app } from 'electron';
import type { ClientId, ClientPlace, ClientTest } from '#contract/window/clients.js';
import type { Clients } from '../../clients/clients.js';
import { createSealer, getSealingKey } from '../../keys/sealing.js';
import { startPiped } from '../../process/start/piped-command.js';
import { gitIgnored } from '../../platform/git/git-ignored.js';
import { findRepositories } from '../../platform/git/repositories.js';
import { answerProblem, done, nothing, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import { type AgentsWing, createAgent } from './agents.js';
import { pipeCommand } from './doors-in-window.js';
import type { TestCalls } from './test-calls.js';
import type { RuleBook } from '../state/confirmations.js';
import type { Front } from '../front.js';
import type { Shell } from '../shell.js';

export interface ClientsWing {
  /** Loaded when somebody looks: what reads other programs' settings keeps no start waiting. */
  readonly clients: () => Promise<Clients>;
  /** A client that the person connects is an agent that they know. Null when it is, or why not. */
  readonly makeKnown: (id: ClientId) => Promise<string | null>;
  readonly test: (place: ClientPlace) => Promise<ClientTest>;
  /** The folder whose own settings may be changed: the one that is shown. */
  readonly folder: () => string | null;
}

const TEST_PATIENCE_MS = 60_000;

export function openClients(
  shell: Shell,
  front: Front,
  { register, rules }: Pick<AgentsWing, 'register'> & { readonly rules: RuleBook },
  tests: Pick<TestCalls, 'issue'>,
): ClientsWing {
  const folder = (): string | null => front.stream.snapshot().workspace?.path ?? null;
  let loading: Promise<Clients> | null = null;
  const clients = (): Promise<Clients> =>
    (loading ??= Promise.all([
      import('../../clients/clients.js'),
      import('../../clients/files/client-undo-store.js'),
    ]).then(
      ([{ Clients }, { ClientUndoStore }]) =>
        new Clients({
          around: { platform: process.platform, home: homedir(), environment: process.env },
          launch: (agent, at) => {
            const { command, args } = pipeCommand(shell, at);
            return { command, args: [...args, '--agent', agent], environment: {} };
          },
          undo: new ClientUndoStore(shell.paths.root, createSealer(getSealingKey(shell.secrets))),
          isSharedByGit,
        }),
    ));
  return {
    clients,
    folder,
    makeKnown: async (id) => {
      if (register.getStatus(id) === 'known') return null;
      // A client's pipe needs no token: nobody is given this one.
      const made = await createAgent(id, { register, rules, config: shell.config });
      return made.ok ? null : made.problem;
    },
    test: async (place) => {
      const known = await clients();
      const launch = known.launchOf(place);
      if (launch === null)
        return {
          ok: false,
          steps: [{ ok: false, text: 'Its settings don’t start this Gatehouse. Write them first.' }],
          left: null,
        };
      const { runTestCall, addToolsStep } = await import('../../clients/test-call.js');
      const test = await runTestCall(launch, {
        start: startPiped,
        folder: place.only ?? folder(),
        word: tests.issue(),
        home: homedir(),
        environment: process.env,
        version: app.getVersion(),
        patienceMs: TEST_PATIENCE_MS,
      });
      if (!test.ok) return test;
      const { name, tried } = await known.view(place);
      return addToolsStep(
        test,
        name,
        tried,
        await known.ask(place, { start: startPiped, word: tests.issue(), patienceMs: TEST_PATIENCE_MS }),
      );
    },
  };
}

/** Whether a file lies in the folder’s repository and no list keeps it out of Git. */
async function isSharedByGit(folder: string, path: string): Promise<boolean> {
  const inside = relative(folder, path);
  if (inside.startsWith('..') || findRepositories(folder)?.length === 0) return false;
  return !(await gitIgnored.isIgnored(folder, inside));
}

export const clientChannels = ({ clients, makeKnown, test, folder }: ClientsWing) => {
  const checkPlace = ({ id, only }: ClientPlace): ClientPlace | null =>
    only === null || only === folder() ? { id, only } : null;
  const notShown = refuse('stale', 'Another folder is shown by now. Look at the change again.');
  return {
    'clients.list': async () => done(await (await clients()).list(folder())),
    'clients.preview': async ({ wish, ...asked }) => {
      const place = checkPlace(asked);
      if (place === null) return notShown;
      const found = (await clients()).preview(place, wish);
      return found.ok ? done(found.preview) : refuse('unavailable', found.problem);
    },
    'clients.write': async ({ wish, digest, ...asked }) => {
      const place = checkPlace(asked);
      if (place === null) return notShown;
      const written = (await clients()).write(place, wish, digest);
      if (!written.ok) return refuse(written.stale ? 'stale' : 'refused', written.problem);
      return wish.gatehouse ? answerProblem(await makeKnown(place.id)) : nothing;
    },
    'clients.disconnect': async (asked) => {
      const place = checkPlace(asked);
      if (place === null) return notShown;
      const gone = (await clients()).disconnect(place);
      return gone.ok ? nothing : refuse('refused', gone.problem);
    },
    'clients.test': async (asked) => {
      const place = checkPlace(asked);
      return place === null ? notShown : done(await test(place));
    },
  } satisfies Partial<Handlers>;
};
