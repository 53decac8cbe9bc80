import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';
import type { Config } from '#contract/vocabulary/config.js';
import { RegistryCatalog } from '../../tools/registry/tool-catalog.js';
import { clearDeadSocket } from '../../doors/stdio/pipe-listener.js';
import type { CrashCleanups } from '../../gate/recovery/crash-leftovers.js';
import { keepDisplay } from '../../platform/data-folder/display-environment.js';
import { forgetUncleanGateway } from '../../platform/data-folder/gateway-file.js';
import { answerProblem, done, nothing, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { AgentsWing } from './agents.js';
import type { Commands } from '../commands.js';
import type { DomainWing } from '../domain/domain.js';
import type { ComposedDoors } from './doors.js';
import { doorsWhenWanted } from './doors-when-wanted.js';
import type { Front } from '../front.js';
import type { ComposedGate } from '../gate/gate.js';
import { openPipeDoor } from './pipe-door.js';
import type { Record } from '../record.js';
import type { ToolsWing } from '../tools.js';
import { whyNot } from '../settings.js';
import { folderQuestionChannels, openFolderQuestions } from './folders-asked.js';
import { foldersAtDoors } from './folders-at-doors.js';
import type { SourcesWing } from '../sources/sources.js';
import type { Shell } from '../shell.js';
import { windowlessFlags } from '../start/launch-flags.js';
import { TestCalls } from './test-calls.js';
import { copiesAhead } from '../state/folders/copies-ahead.js';
import type { FolderQuestions } from '../state/folders/folder-questions.js';
import type { Workspaces } from '../state/folders/workspaces.js';

export interface DoorsWing {
  readonly questions: FolderQuestions;
  readonly tests: TestCalls;
  readonly doors: ComposedDoors;
  /** Opens the doors; nobody comes in before. */
  readonly open: () => void;
  readonly clearings: Pick<CrashCleanups, 'gatewayAddress' | 'socket'>;
  readonly close: () => Promise<void>;
}

interface DoorWings {
  readonly record: Record;
  readonly commands: Commands;
  readonly agents: AgentsWing;
  readonly gate: ComposedGate;
  readonly workspaces: Workspaces;
  readonly sources: Pick<SourcesWing, 'onTheWire'>;
  readonly domain: Pick<DomainWing, 'domain'>;
  readonly tools: Pick<ToolsWing, 'registry' | 'search'>;
}

export function openDoors(
  shell: Shell,
  front: Front,
  { record, commands, agents, gate, workspaces, sources, domain, tools }: DoorWings,
): DoorsWing {
  const { config, logger, paths } = shell;
  const inFolder = (folder?: string): Config =>
    folder === undefined || folder === '' ? config.everywhere : config.forFolder(folder).config;
  const folders = foldersAtDoors(workspaces, config);
  const questions = openFolderQuestions(shell, front, workspaces);
  const tests = new TestCalls();
  const copyFor = copiesAhead({
    situation: gate.situation,
    offersCommands: (folder) =>
      gate.gate.listAdvertised(folder).some(({ declaration }) => declaration?.nature === 'command'),
    prepare: (place) => commands.runner.prepare(place),
  });
  const doors = doorsWhenWanted({
    gate: gate.gate,
    reader: () => ({
      page: (query) => record.reader.page(query),
      detail: record.detail,
      verify: () => record.reader.verify(),
    }),
    sources: sources.onTheWire,
    domain: domain.domain,
    programs: {
      invocations: record.journal.invocations,
      catalog: new RegistryCatalog(tools.registry, inFolder),
      finder: tools.search.search,
    },
    outputWindow: record.outputWindow,
    snapshot: () => front.stream.snapshot(),
    folders,
    config: inFolder,
    agents: agents.register,
    agentLimits: agents.limits,
    forced: shell.gateway,
    version: app.getVersion(),
    dataDir: paths.root,
    launcher: () => ({
      ...pipeCommand(shell, front.stream.snapshot().workspace?.path ?? null),
      url: null,
      token: null,
    }),
    testTools:
      !shell.packaged && process.env['GATEHOUSE_TEST_TOOLS'] === '1'
        ? pathToFileURL(join(shell.built, 'mcp-test-tools.js'))
        : null,
    keepEnabled: async (enabled) => whyNot(await config.set('gateway.enabled', enabled)),
    publish: (gateway) => {
      front.status.update({ gateway });
      copyFor(gateway.clients);
    },
    report: (message, error) => logger.warn(message, { error }),
  });
  config.watch(
    ({ everywhere: { gateway } }) => [gateway.enabled, gateway.port],
    () => void doors.configChanged(),
  );
  let pipes: ReturnType<typeof openPipeDoor> | null = null;
  return {
    doors,
    questions,
    tests,
    open: () => {
      pipes = openPipeDoor({
        dataDir: paths.root,
        agents: agents.register,
        folders,
        open: () => workspaces.open,
        questions,
        tests,
        doors,
        onProblem: (text) => front.problem('Agents can’t connect over stdio', text),
      });
      void pipes.then(() => keepDisplay(paths.root, process.env));
      // Who reads gateway.json may come by either way: the socket listens before that stands there.
      void pipes.then(() => doors.start());
    },
    clearings: {
      gatewayAddress: () => forgetUncleanGateway(paths.root),
      socket: () => clearDeadSocket(paths.root),
    },
    close: async () => {
      await (await pipes)?.close();
      await doors.close();
    },
  };
}

/** How a program that speaks over a pipe starts Gatehouse, on that folder. */
export const pipeCommand = ({ launcher, paths }: Shell, folder: string | null) => ({
  command: launcher.command,
  args: [
    ...launcher.args,
    '--mcp-stdio',
    '--data-dir',
    paths.root,
    ...(folder === null ? [] : ['--workspace', folder]),
    ...windowlessFlags(),
  ],
});

export const doorChannels = ({ doors, questions }: DoorsWing) =>
  ({
    ...folderQuestionChannels(questions),
    'gateway.setEnabled': async ({ enabled }) => answerProblem(await doors.setEnabled(enabled)),
    'gateway.rotateToken': async () => {
      doors.rotateToken();
      return nothing;
    },
    'gateway.disconnect': async ({ sessionId }) =>
      doors.disconnect(sessionId) ? nothing : refuse('not-found', 'This client is not connected any more.'),
    'gateway.connectInfo': async () => done(doors.connectInfo()),
    'gateway.test': async () => done(await doors.test()),
  }) satisfies Partial<Handlers>;
