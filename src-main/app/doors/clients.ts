import { homedir } from 'node:os';
import { app } from 'electron';
import type { ClientId, ClientTest } from '#contract/window/clients.js';
import type { Clients } from '../../clients/clients.js';
import { createSealer, getSealingKey } from '../../platform/keys/sealing.js';
import { startPiped } from '../../process/start/piped-command.js';
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
  readonly test: (id: ClientId) => Promise<ClientTest>;
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
        }),
    ));
  return {
    clients,
    makeKnown: async (id) => {
      if (register.getStatus(id) === 'known') return null;
      // Its pipe needs no token: nobody is given this one.
      const made = await createAgent(id, { register, rules, config: shell.config });
      return made.ok ? null : made.problem;
    },
    test: async (id) => {
      const known = await clients();
      const launch = known.launchOf(id);
      if (launch === null)
        return {
          ok: false,
          steps: [{ ok: false, text: 'Its settings don’t start this Gatehouse. Write them first.' }],
          left: null,
        };
      const { runTestCall, addToolsStep } = await import('../../clients/test-call.js');
      const test = await runTestCall(launch, {
        start: startPiped,
        folder: folder(),
        word: tests.issue(),
        home: homedir(),
        environment: process.env,
        version: app.getVersion(),
        patienceMs: TEST_PATIENCE_MS,
      });
      if (!test.ok) return test;
      const { name, tried } = known.view(id);
      return addToolsStep(
        test,
        name,
        tried,
        await known.ask(id, { start: startPiped, word: tests.issue(), patienceMs: TEST_PATIENCE_MS }),
      );
    },
  };
}

export const clientChannels = ({ clients, makeKnown, test }: ClientsWing) =>
  ({
    'clients.list': async () => done((await clients()).list()),
    'clients.preview': async ({ id, wish }) => {
      const found = (await clients()).preview(id, wish);
      return found.ok ? done(found.preview) : refuse('unavailable', found.problem);
    },
    'clients.write': async ({ id, wish, digest }) => {
      const written = (await clients()).write(id, wish, digest);
      if (!written.ok) return refuse(written.stale ? 'stale' : 'refused', written.problem);
      return wish.gatehouse ? answerProblem(await makeKnown(id)) : nothing;
    },
    'clients.undo': async ({ id }) => {
      const undone = (await clients()).undo(id);
      return undone.ok ? nothing : refuse(undone.stale ? 'stale' : 'refused', undone.problem);
    },
    'clients.test': async ({ id }) => done(await test(id)),
  }) satisfies Partial<Handlers>;
