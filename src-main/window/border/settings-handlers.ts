import type { AgentView } from '#contract/window/agents.js';
import type { ConnectInfo, GatewayTest } from '#contract/window/channels.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { BridgeResult } from '#contract/vocabulary/result.js';
import type { SettingsView } from '#contract/window/settings.js';
import type { ToolPolicy } from '#contract/vocabulary/tools.js';
import type { ToolView } from '#contract/window/tools.js';
import type { Handlers } from './border.js';
import { done, jsonIn, nothing, refuse } from './answers.js';

export interface SettingsServices {
  readonly tools: () => readonly ToolView[];
  /** The rest give null when it was done, or why not, in words. */
  readonly setPolicy: (tool: string, policy: ToolPolicy) => Promise<string | null>;
  readonly settings: () => SettingsView;
  readonly set: (key: string, value: Json) => Promise<string | null>;
  readonly reset: (key: string) => Promise<string | null>;
  readonly setSecret: (name: string, value: string) => string | null;
  readonly removeSecret: (name: string) => string | null;
  readonly openFile: (which: 'person' | 'workspace' | 'logs') => Promise<string | null>;
  readonly agents: () => readonly AgentView[];
  readonly createAgent: (
    name: string,
  ) => { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: string };
  readonly revokeAgent: (name: string) => string | null;
  readonly setGateway: (enabled: boolean) => Promise<string | null>;
  readonly rotateToken: () => void;
  readonly disconnect: (sessionId: string) => boolean;
  readonly connectInfo: () => ConnectInfo;
  readonly testGateway: () => Promise<GatewayTest>;
}

type SettingsChannels =
  | 'tools.list'
  | 'tools.setPolicy'
  | 'settings.get'
  | 'settings.set'
  | 'settings.reset'
  | 'settings.openFile'
  | 'secrets.set'
  | 'secrets.remove'
  | 'agents.list'
  | 'agents.create'
  | 'agents.revoke'
  | 'gateway.setEnabled'
  | 'gateway.rotateToken'
  | 'gateway.disconnect'
  | 'gateway.connectInfo'
  | 'gateway.test';

const answer = (problem: string | null): BridgeResult<null> =>
  problem === null ? nothing : refuse('refused', problem);

export function settingsHandlers(services: SettingsServices): Pick<Handlers, SettingsChannels> {
  const view = (problem: string | null): BridgeResult<SettingsView> =>
    problem === null ? done(services.settings()) : refuse('refused', problem);
  return {
    'tools.list': async () => done(services.tools()),
    'tools.setPolicy': async ({ tool, policy }) => answer(await services.setPolicy(tool, policy)),
    'settings.get': async () => done(services.settings()),
    'settings.set': async ({ key, value }) => {
      const parsed = jsonIn(value);
      return parsed.ok ? view(await services.set(key, parsed.value)) : parsed.error;
    },
    'settings.reset': async ({ key }) => view(await services.reset(key)),
    'settings.openFile': async ({ which }) => answer(await services.openFile(which)),
    'secrets.set': async ({ name, value }) => view(services.setSecret(name, value)),
    'secrets.remove': async ({ name }) => view(services.removeSecret(name)),
    'agents.list': async () => done(services.agents()),
    'agents.create': async ({ name }) => {
      const made = services.createAgent(name);
      return made.ok ? done({ token: made.token }) : refuse('refused', made.problem);
    },
    'agents.revoke': async ({ name }) => answer(services.revokeAgent(name)),
    'gateway.setEnabled': async ({ enabled }) => answer(await services.setGateway(enabled)),
    'gateway.rotateToken': async () => {
      services.rotateToken();
      return nothing;
    },
    'gateway.disconnect': async ({ sessionId }) =>
      services.disconnect(sessionId) ? nothing : refuse('not-found', 'This client is not connected any more.'),
    'gateway.connectInfo': async () => done(services.connectInfo()),
    'gateway.test': async () => done(await services.testGateway()),
  };
}
